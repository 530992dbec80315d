//! What is taken from a command while it runs, by whom, and when. The command runs as it is; every
//! 10 ms, this looks at what the kernel counts of its tasks: how long each has run, and how long it
//! was ready to run while something else had its CPU.

use crate::engine::children::{LOOK, ended, signal};
use crate::grown;
use crate::run::{Error, Measurement, Setting};
use chronoscope_model::Report;
use chronoscope_model::noise::{Taken, TakenAt, TakenBy, Watched};
use chronoscope_probes::blame::{Ran, Scan, Scanned, Task, Times, tasks_of, times};
use chronoscope_probes::group::until_end;
use chronoscope_probes::machine::Root;
use chronoscope_probes::machine::noise::{CpuTimes, children_cpu_ns, cpu_times};
use chronoscope_probes::machine::quota::Quota;
use chronoscope_probes::time::{Instant, receive};
use chronoscope_probes::waits::os::thread_cpu;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::process::Command;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// How often to look at the steal, which the kernel counts in ticks of mostly 10 ms.
const STEAL_STEP: Duration = Duration::from_millis(100);
/// Who runs instead is looked for once so much was taken on a CPU.
const WORTH: u64 = 1_000_000;
/// A search may take this share of the time of one CPU: it reads the times of all tasks.
const SEARCH_SHARE: u32 = 30;
/// A search on a CPU on which nothing was taken for this long, so that the next one knows what has
/// run since.
const REFRESH: Duration = Duration::from_secs(1);
/// How long a command may take to end after Ctrl-C, which it gets from the terminal as well.
const FAREWELL: Duration = Duration::from_secs(2);
/// Short-lived tasks are named if they ran for more than this share of the time of all others: the
/// kernel may count the time of a CPU in whole ticks.
const SHORT_LIVED: f64 = 0.1;
/// How many names and moments are kept.
const MOST_NAMES: usize = 20;
const MOST_MOMENTS: usize = 20;

/// A command to watch, with its streams as they are.
pub struct Request {
    pub command: Vec<OsString>,
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let Some((program, words)) = self.command.split_first() else {
            return Err(Error::Invalid("no command to watch".into()));
        };
        let shown = program.to_string_lossy();
        let invalid = |why: String| Error::Invalid(format!("`{shown}`: {why}"));
        let (cpu_before, own_before) = (children_cpu_ns(), thread_cpu());
        let mut sampler = Sampler::new(true);
        let started = Instant::now();
        let mut child = Command::new(program)
            .args(words)
            .spawn()
            .map_err(|error| invalid(format!("cannot start it: {error}")))?;
        let ended = ended(until_end(&child)).map_err(|why| {
            let _ = child.kill();
            let _ = child.wait();
            invalid(why)
        })?;
        let mut asked: Option<Instant> = None;
        let at = loop {
            match receive(&ended, LOOK) {
                Ok(at) => break at,
                Err(RecvTimeoutError::Disconnected) => break Instant::now(),
                Err(RecvTimeoutError::Timeout) => sampler.look(child.id()),
            }
            if setting.interrupt.is_set() && asked.is_none() {
                asked = Some(Instant::now());
            }
            if asked.is_some_and(|asked| asked.elapsed() > FAREWELL) {
                let _ = child.kill();
            }
        };
        // Its times can be read until it is waited for.
        sampler.look(child.id());
        let status = child.wait().map_err(|error| invalid(error.to_string()))?;
        let cpu_ns = grown(cpu_before, children_cpu_ns());
        let watching_ns = grown(own_before, thread_cpu());
        report.watched = Some(Watched {
            command: self.command.iter().map(|it| it.to_string_lossy().into_owned()).collect(),
            exit_code: status.code(),
            signal: signal(status),
            wall_ns: at.saturating_duration_since(started).as_nanos() as u64,
            cpu_ns,
            watching_ns,
            ..sampler.taken(cpu_ns)
        });
        Ok(())
    }
}

/// What is known of a CPU that tasks of the command ran on.
#[derive(Default)]
struct OnCpu {
    /// How long they ran on it, now and at the last look at the steal, in nanoseconds.
    ran: u64,
    ran_before: u64,
    /// How long they have waited for it since the last search, in nanoseconds, since when, and
    /// which.
    open: u64,
    since: Option<u64>,
    waited: HashSet<Task>,
    scan: Option<Scan>,
    searched: Option<Instant>,
    /// How long this CPU, and all CPUs, had been busy at the last search, and for how much longer
    /// than tasks that were seen: with those that ended before they could be looked at.
    busy: [u64; 2],
    unseen: [i64; 2],
}

/// A name, and whether it is of the command's own tasks, or of another user's.
type Who = (Option<String>, bool, bool);

/// Looks at a command, and adds up what was taken from it.
pub struct Sampler {
    began: Instant,
    tasks: HashMap<Task, Times>,
    on: BTreeMap<usize, OnCpu>,
    ran: u64,
    queued: u64,
    stolen: u64,
    first: Vec<CpuTimes>,
    counts: Vec<CpuTimes>,
    counted: Instant,
    quota: Option<Quota>,
    throttled_before: u64,
    /// Who ran instead: tasks, and for how long, in nanoseconds.
    by: HashMap<Who, (HashSet<Task>, u64)>,
    /// How long those ran.
    others: u64,
    moments: Vec<TakenAt>,
    /// Whether to search for who ran instead.
    closely: bool,
    /// No search before this.
    rests_until: Instant,
}

impl Sampler {
    /// To be made right before the command is started. `closely`: also find out who runs instead.
    pub fn new(closely: bool) -> Self {
        let quota = Quota::of(&Root::host());
        let (now, counts) = (Instant::now(), cpu_times());
        Self {
            began: now,
            tasks: HashMap::new(),
            on: BTreeMap::new(),
            ran: 0,
            queued: 0,
            stolen: 0,
            first: counts.clone(),
            counts,
            counted: now,
            throttled_before: quota.as_ref().map_or(0, |it| it.throttled().ns),
            quota,
            by: HashMap::new(),
            others: 0,
            moments: Vec::new(),
            closely,
            rests_until: now,
        }
    }

    /// Looks at the process and all that it has started. A process that has ended can be looked at
    /// until it is waited for.
    pub fn look(&mut self, process: u32) {
        let at = self.began.elapsed().as_nanos() as u64;
        for task in tasks_of(process) {
            let Some(now) = times(task) else { continue };
            let before = self.tasks.insert(task, now).unwrap_or_default();
            let ran = now.ran_ns.saturating_sub(before.ran_ns);
            let queued = now.queued_ns.saturating_sub(before.queued_ns);
            self.ran += ran;
            self.queued += queued;
            if let Some(cpu) = now.cpu {
                let on = self.on.entry(cpu).or_default();
                on.ran += ran;
                on.open += queued;
                if queued > 0 {
                    on.waited.insert(task);
                }
                if queued > 0 && on.since.is_none() {
                    on.since = Some(at.saturating_sub((LOOK.as_nanos() as u64).max(queued)));
                }
            }
        }
        if self.counted.elapsed() >= STEAL_STEP {
            self.count(at);
        }
        if self.closely && Instant::now() > self.rests_until {
            self.search(at);
        }
    }

    /// Adds the steal of the CPUs since the last time, as far as tasks of the command ran on them.
    fn count(&mut self, at: u64) {
        let span = self.counted.elapsed().as_nanos() as u64;
        let counts = cpu_times();
        for (now, before) in counts.iter().zip(&self.counts) {
            let Some(on) = self.on.get_mut(&now.cpu).filter(|_| now.cpu == before.cpu) else {
                continue;
            };
            let ran = on.ran.saturating_sub(std::mem::replace(&mut on.ran_before, on.ran));
            let steal = now.steal_ns.saturating_sub(before.steal_ns);
            let busy = now.busy_ns.saturating_sub(before.busy_ns).max(ran).max(1);
            let ns = (steal as f64 * (ran as f64 / busy as f64)) as u64;
            self.stolen += ns;
            if ns >= WORTH {
                self.moments.push(TakenAt {
                    from_ns: at.saturating_sub(span),
                    to_ns: at,
                    ns,
                    cause: "steal".into(),
                    ..TakenAt::default()
                });
            }
        }
        (self.counts, self.counted) = (counts, Instant::now());
    }

    /// Looks for who ran on the CPU on which most was taken since it was last searched.
    fn search(&mut self, at: u64) {
        let stale = |on: &OnCpu| on.searched.is_none_or(|it| it.elapsed() > REFRESH);
        let worth = |(_, on): &(&usize, &mut OnCpu)| on.open >= WORTH || stale(on);
        let Some((cpu, on)) = self.on.iter_mut().filter(worth).max_by_key(|(_, on)| on.open) else {
            return;
        };
        let (start, cpu_before) = (Instant::now(), thread_cpu());
        let is_first = on.scan.is_none();
        let mut found = on.scan.get_or_insert_with(|| Scan::new(*cpu)).look();
        let times = cpu_times();
        on.searched = Some(start);
        // On a busy machine, the search waits for its CPU, which takes nothing from the command.
        let spent = grown(cpu_before, thread_cpu());
        let took = spent.map_or(start.elapsed(), Duration::from_nanos);
        self.rests_until = Instant::now() + took * SEARCH_SHARE;
        let here = times.iter().filter(|it| it.cpu == *cpu).map(|it| it.busy_ns);
        let busy = [here.sum(), times.iter().map(|it| it.busy_ns).sum()];
        let before = std::mem::replace(&mut on.busy, busy);
        // The first one only learns what the times are.
        if is_first {
            return;
        }
        if found.left_out == 0 {
            let here: u64 = found.grown.iter().map(|(ran, _)| ran.ns).sum();
            for (at, seen) in [here, here + found.elsewhere_ns].into_iter().enumerate() {
                on.unseen[at] += busy[at].saturating_sub(before[at]) as i64 - seen as i64;
            }
        }
        if on.open < WORTH {
            return;
        }
        let (ns, from_ns) = (std::mem::take(&mut on.open), on.since.take().unwrap_or(at));
        let waited = std::mem::take(&mut on.waited);
        if waited.len() == 1 {
            // It also ran, but not while it waited.
            found.grown.retain(|(ran, _)| !waited.contains(&ran.task));
        }
        let most = self.blame(&found, ns);
        let (by, other_user) = most.map_or((None, false), |it| it);
        let cause = "run-queue".into();
        self.moments.push(TakenAt { from_ns, to_ns: at, ns, cause, by, other_user });
        if self.moments.len() > 50 * MOST_MOMENTS {
            self.drop_moments();
        }
    }

    /// Divides what was taken among the tasks that ran meanwhile, and returns the name of the
    /// first.
    fn blame(&mut self, found: &Scanned, ns: u64) -> Option<(Option<String>, bool)> {
        let all: u64 = found.grown.iter().map(|(ran, _)| ran.ns).sum();
        self.others += all;
        for (Ran { task, ns: ran }, named) in &found.grown {
            let own = self.tasks.contains_key(task);
            let key = (named.name.clone(), own, named.other_user);
            let (tasks, sum) = self.by.entry(key).or_default();
            tasks.insert(*task);
            *sum += (ns as f64 * (*ran as f64 / all.max(1) as f64)) as u64;
        }
        let (_, named) = found.grown.first()?;
        Some((named.name.clone(), named.other_user))
    }

    fn drop_moments(&mut self) {
        self.moments.sort_by_key(|it| std::cmp::Reverse(it.ns));
        self.moments.truncate(MOST_MOMENTS);
        self.moments.sort_by_key(|it| it.from_ns);
    }

    /// The share that was taken of the time in which the command was ready to run; `None` if that
    /// cannot be seen here.
    pub fn share(mut self) -> Option<f64> {
        self.count(self.began.elapsed().as_nanos() as u64);
        let taken = self.queued + self.stolen;
        (!self.tasks.is_empty()).then(|| taken as f64 / (self.ran + taken).max(1) as f64)
    }

    /// Counts tasks that ended between two looks. Those of the command, which ran for so long,
    /// waited as much as its others for the time that they ran, but not more than others ran.
    fn add_short_lived(&mut self, ran: u64) {
        let grown = |ns: u64, by: f64| (ns as f64 * by) as u64;
        let by = 1.0 + ran as f64 / self.ran.max(1) as f64;
        let on = |it: &&CpuTimes| self.on.contains_key(&it.cpu);
        let busy = |all: &[CpuTimes]| all.iter().filter(on).map(|it| it.busy_ns).sum::<u64>();
        let others = busy(&self.counts).saturating_sub(busy(&self.first) + self.ran + ran);
        self.queued = grown(self.queued, by).min(others.max(self.queued));
        self.stolen = grown(self.stolen, by);
        // Those that moved on to another CPU since the last search are seen there.
        let unseen = |on: &OnCpu| on.unseen[0].min(on.unseen[1]).max(0) as u64;
        let share = self.on.values().map(unseen).sum::<u64>().saturating_sub(ran) as f64;
        let share = share / (share + self.others as f64).max(1.0);
        let named: u64 = self.by.values().map(|(_, ns)| ns).sum();
        if share > SHORT_LIVED {
            self.by.values_mut().for_each(|(_, ns)| *ns = grown(*ns, 1.0 - share));
            let who = (Some("short-lived tasks".into()), false, false);
            self.by.insert(who, (HashSet::new(), grown(named, share)));
        }
    }

    /// What was taken of the command, whose CPU time was this.
    fn taken(mut self, cpu_ns: Option<u64>) -> Watched {
        let at = self.began.elapsed().as_nanos() as u64;
        self.count(at);
        if self.tasks.is_empty() {
            let unseen = ["run-queue", "steal", "quota"].map(String::from).to_vec();
            return Watched { unseen, ..Watched::default() };
        }
        if self.closely {
            self.search(at);
        }
        self.drop_moments();
        if let Some(unseen) = cpu_ns.map(|ns| ns.saturating_sub(self.ran)) {
            self.add_short_lived(unseen);
        }
        let quota = self.quota.as_ref().map(|it| it.throttled().ns);
        let quota = quota.map_or(0, |ns| ns.saturating_sub(self.throttled_before)).min(self.queued);
        let ready = self.ran.max(cpu_ns.unwrap_or(0)) + self.queued + self.stolen;
        let share = |ns: u64| ns as f64 / ready.max(1) as f64;
        let all = [("run-queue", self.queued - quota), ("steal", self.stolen), ("quota", quota)];
        let all = all.into_iter().filter(|(_, ns)| *ns > 0);
        let mut causes: Vec<Taken> =
            all.map(|(cause, ns)| Taken { cause: cause.into(), ns, share: share(ns) }).collect();
        causes.sort_by_key(|it| std::cmp::Reverse(it.ns));
        let by = self.by.into_iter().map(|((name, own, other_user), (tasks, ns))| TakenBy {
            name,
            tasks: tasks.len() as u64,
            ns,
            own,
            other_user,
        });
        let mut by: Vec<TakenBy> = by.collect();
        by.sort_by(|a, b| b.ns.cmp(&a.ns).then_with(|| a.name.cmp(&b.name)));
        by.truncate(MOST_NAMES);
        let mut unseen = Vec::new();
        if self.counts.is_empty() {
            unseen.push("steal".to_owned());
        }
        if self.quota.is_none() {
            unseen.push("quota".to_owned());
        }
        let taken = Some(share(self.queued + self.stolen));
        Watched { taken, causes, by, moments: self.moments, unseen, ..Watched::default() }
    }
}
