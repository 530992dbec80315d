//! Waits that the probe of a runtime makes, in a process of its own with the CPU, the priority, the
//! slack and the slice of the thread that asks for them.

use super::answer::Waited;
use super::prepare::{Cache, Ready, candidates};
use super::probe::Probe;
use crate::engine::{Interrupt, RulerKind};
use crate::{grown, locked};
use chronoscope_model::waits::{Kind, Policy};
use chronoscope_probes::blame::{Sources, Task};
use chronoscope_probes::waits::{Entry, os};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The probes of the runtimes whose waits are measured, built before the first wait.
pub(crate) struct Waiters {
    ready: BTreeMap<&'static str, Result<Ready, String>>,
    running: Mutex<BTreeMap<Key, Started>>,
    interrupt: Interrupt,
    /// Removed last, if it belongs to this run alone.
    _cache: Option<Cache>,
}

/// What a process inherits from the thread that starts it, and whether it spins: a thread that has
/// spun pays for that when it wakes, and no sleep must pay for a spin.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub runtime: &'static str,
    pub cpu: Option<usize>,
    pub slack: Option<u64>,
    pub slice: Option<u64>,
    pub policy: Option<Policy>,
    pub spins: bool,
}

type Started = Result<Arc<Mutex<Probe>>, String>;

impl Waiters {
    /// Builds the probes that these waits need.
    pub fn of(entries: &[&'static Entry], interrupt: &Interrupt) -> Self {
        let (ready, running) = (BTreeMap::new(), Mutex::default());
        let mut all = Self { ready, running, interrupt: interrupt.clone(), _cache: None };
        let wanted = entries.iter().filter_map(|entry| entry.runtime);
        for runtime in wanted.filter_map(chronoscope_runtimes::find_any) {
            if all.ready.contains_key(runtime.id) || interrupt.is_set() {
                continue;
            }
            if all._cache.is_none() {
                all._cache = Cache::open().ok();
            }
            let found = candidates(runtime, None);
            let found = found.and_then(|found| found.into_iter().next().ok_or("no build".into()));
            let ready = found.and_then(|one| {
                let cache = all._cache.as_ref().ok_or("no directory to build in")?;
                one.prepare(cache, &|| interrupt.is_set())
            });
            all.ready.insert(runtime.id, ready);
        }
        all
    }

    /// Returns a process for a wait, started by the calling thread unless there is one. A runtime
    /// that could not be started is not started again: it may have been waited for in vain.
    ///
    /// # Errors
    /// The reason why the wait cannot be made.
    pub fn open(
        &self,
        entry: &'static Entry,
        key: Key,
        real_time: Option<os::Scheduling>,
    ) -> Result<Remote, String> {
        let mut running = locked(&self.running);
        let mut of_runtime = running.iter().filter(|(known, _)| known.runtime == key.runtime);
        if let Some(why) = of_runtime.find_map(|(_, started)| started.as_ref().err()) {
            return Err(why.clone());
        }
        let started = running.entry(key).or_insert_with(|| {
            let ready = self.ready.get(key.runtime).ok_or("it was not built")?.as_ref()?;
            let probe = Probe::start(&mut ready.command(), RulerKind::System, &self.interrupt)?;
            Ok(Arc::new(Mutex::new(probe)))
        });
        let probe = started.clone()?;
        let name = entry.name_in_runtime();
        let raised = real_time.map(|asked| (asked, None));
        let remote = Remote { name, probe, warm: false, empty_ns: 0, thread: None, raised };
        let hello = locked(&remote.probe).hello.clone();
        if let Some(gone) = hello.unavailable.iter().find(|gone| gone.id == name) {
            return Err(gone.reason.clone());
        }
        if !hello.waits.iter().any(|wait| wait == name) {
            return Err(format!("{} {} has no such wait", hello.runtime, hello.version));
        }
        Ok(remote)
    }

    /// Ends all processes.
    pub fn end(&self) {
        for (_, started) in std::mem::take(&mut *locked(&self.running)) {
            if let Ok(probe) = started {
                locked(&probe).end();
            }
        }
    }
}

impl Key {
    /// The key of a wait with these settings on the calling thread.
    pub fn of(entry: &Entry, cpu: Option<usize>, slack: Option<u64>, slice: Option<u64>) -> Self {
        let spins = entry.kind != Kind::Sleep;
        let runtime = entry.runtime.unwrap_or_default();
        Self { runtime, cpu, slack, slice, policy: None, spins }
    }
}

/// What is asked of a probe: waits of `ns` nanoseconds, each from the end of the one before, or for
/// the deadlines of a grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub ns: u64,
    pub count: u64,
    /// The first deadline by the probe's clock, or 1 for the next one from now; `None`: no grid.
    pub grid: Option<u64>,
    /// How long the thread computes after each wait, in nanoseconds.
    pub work_ns: u64,
}

/// One wait, by the clock that timers run on, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct One {
    pub begin: u64,
    pub deadline: u64,
    pub end: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    pub waits: Vec<One>,
    /// The CPU time of the whole process, in nanoseconds, if known.
    pub cpu_ns: Option<u64>,
    /// What to add to a time of the probe's clock.
    pub shift: i64,
    /// The thread that made all of them, if the probe knows it.
    pub thread: Option<Task>,
}

/// A wait that a runtime makes.
pub(crate) struct Remote {
    name: &'static str,
    probe: Arc<Mutex<Probe>>,
    warm: bool,
    /// The CPU time of a request without waits, in nanoseconds.
    empty_ns: u64,
    /// The thread that made the last waits, and what the system reports about it.
    thread: Option<(Task, Result<Sources, String>)>,
    /// The real-time policy that the thread is to have, and the one that has it.
    raised: Option<(os::Scheduling, Option<Task>)>,
}

/// The most waits in one request (`PROTOCOL.md`).
pub(crate) const MOST: u64 = 1000;
/// Waits before the first that counts: they load, link and compile what the others use.
const WARM: u64 = 20;
/// How long they take at most, in nanoseconds: nobody waits for an hour twice.
const WARM_NS: u64 = 20_000_000;
/// Requests without waits, of which the one with the least CPU time counts.
const EMPTY: usize = 5;
/// How much longer than asked for waits may take before a probe is given up.
const PATIENCE: Duration = Duration::from_secs(50);

impl Remote {
    /// Lets its process be given up if this holds, rather than at the interrupt of the run.
    pub fn stops_if(&self, holds: impl Fn() -> bool + Send + 'static) {
        locked(&self.probe).stop = Box::new(holds);
    }

    /// Makes some waits.
    ///
    /// # Errors
    /// The reason why there are none.
    pub fn series(&mut self, asked: Asked) -> Result<Series, String> {
        if !self.warm {
            self.warm = true;
            let ns = asked.ns.clamp(1, WARM_NS);
            let warm = Asked { ns, count: (WARM_NS / ns).min(WARM), grid: None, work_ns: 0 };
            self.ask(warm)?;
            let mut empty = (0..EMPTY).map(|_| self.ask(Asked { count: 0, ..warm }));
            let least = empty.try_fold(u64::MAX, |least, one| {
                Ok::<_, String>(least.min(one?.cpu_ns.unwrap_or(0)))
            });
            self.empty_ns = least?;
            if let Some((policy, _)) = self.raised {
                let task = self.ask(Asked { count: 1, ..warm })?.thread;
                let task =
                    task.ok_or("its runtime does not say which thread waits, to raise it")?;
                // The probe may have named any thread of the machine.
                let own = format!("/proc/{}/task/{}", task.pid, task.tid);
                if !Path::new(&own).exists() {
                    return Err(format!("it has no thread {}", task.tid));
                }
                os::set_policy_of(task.tid, policy).map_err(|why| why.0)?;
                self.raised = Some((policy, Some(task)));
            }
        }
        let made = self.ask(asked)?;
        match self.raised {
            Some((_, task)) if task != made.thread => {
                Err("each of its waits is made by another thread, which is not raised".into())
            }
            _ => Ok(made),
        }
    }

    /// Makes one wait, and returns the sources of the thread that made it, which were opened
    /// before.
    ///
    /// # Errors
    /// As for [`Self::series`]. Without sources, the inner error is the reason.
    pub fn watched(
        &mut self,
        asked: Asked,
    ) -> Result<(Series, Result<&mut Sources, String>), String> {
        if self.thread.is_none() {
            let ns = asked.ns.min(WARM_NS);
            let first = self.series(Asked { ns, count: 1, grid: None, ..asked })?;
            self.thread = first.thread.map(|task| (task, Sources::of(task)));
        }
        if let Some((_, Ok(sources))) = &mut self.thread {
            sources.forget();
        }
        let made = self.series(Asked { count: 1, ..asked })?;
        let known = self.thread.as_ref().map(|(task, _)| *task);
        let Some(now) = made.thread else {
            return Ok((made, Err("its runtime does not say which thread waits".into())));
        };
        if known != Some(now) {
            self.thread = Some((now, Sources::of(now)));
            return Ok((made, Err("each of its waits is made by another thread".into())));
        }
        let sources = match &mut self.thread {
            Some((_, Ok(sources))) => Ok(sources),
            Some((_, Err(why))) => Err(why.clone()),
            None => Err(String::new()),
        };
        Ok((made, sources))
    }

    fn ask(&mut self, asked: Asked) -> Result<Series, String> {
        let Asked { ns, grid, work_ns, .. } = asked;
        let count = asked.count.min(MOST);
        let first = grid.unwrap_or(0);
        let request = format!("waits {} {ns} {count} {first} {work_ns}", self.name);
        let each = Duration::from_nanos(ns.saturating_add(work_ns));
        let work = each.saturating_mul(count as u32).saturating_add(PATIENCE);
        let mut probe = locked(&self.probe);
        let monotonic = probe.hello.monotonic;
        let (before, cpu) = (os::monotonic(), probe.cpu_ns());
        let waited: Waited = probe.demand(&request, work)?;
        let spent = grown(cpu, probe.cpu_ns());
        let after = os::monotonic();
        let mut series = of_answer(&waited, asked, [before, after], monotonic)?;
        // What a probe does not count itself includes the request.
        let outside = spent.map(|ns| ns.saturating_sub(self.empty_ns));
        series.cpu_ns = series.cpu_ns.or(outside);
        series.thread = waited.thread.map(|tid| probe.task(tid as u32));
        Ok(series)
    }
}

/// How far the clock of a probe may be from the tool's, for what both read.
const CLOSE_NS: u64 = 1_000_000;

/// Returns the waits of an answer that was given between two times of the tool's clock.
///
/// # Errors
/// The answer cannot be true.
fn of_answer(
    waited: &Waited,
    asked: Asked,
    [before, after]: [u64; 2],
    monotonic: bool,
) -> Result<Series, String> {
    let count = waited.times.len() / 3;
    if count as u64 > asked.count {
        return Err(format!("it made {count} waits instead of {}", asked.count));
    }
    // It may make fewer, but would be asked for the rest forever.
    if count == 0 && asked.count > 0 {
        return Err("it made no wait".into());
    }
    let last = waited.times.last().copied().unwrap_or_default();
    if last > after.saturating_sub(before).saturating_add(CLOSE_NS) as f64 {
        return Err("its waits are longer than its request: its clock is wrong".into());
    }
    // A clock with another origin is placed so that the last wait ended a moment before the answer.
    let start = if monotonic { waited.start as u64 } else { after.saturating_sub(last as u64) };
    if start.saturating_add(CLOSE_NS) < before || start > after {
        return Err("its waits lie outside of its request: its clock is another".into());
    }
    let at = |ns: f64| start.saturating_add_signed(ns as i64);
    let waits = waited.times.chunks_exact(3);
    let waits = waits.map(|one| One { begin: at(one[0]), deadline: at(one[1]), end: at(one[2]) });
    Ok(Series {
        waits: waits.collect(),
        cpu_ns: waited.cpu_ns.map(|ns| ns as u64),
        shift: (start as i64).wrapping_sub(waited.start as i64),
        thread: None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::answer::{NoAnswer, read};
    use super::*;

    const ASKED: Asked = Asked { ns: 1_000, count: 2, grid: None, work_ns: 0 };

    fn series(line: &str, monotonic: bool) -> Result<Series, String> {
        let waited: Waited = match read(line) {
            Ok(waited) => waited,
            Err(NoAnswer::Refused(why) | NoAnswer::Invalid(why)) => return Err(why),
        };
        of_answer(&waited, ASKED, [5_000_000, 9_000_000], monotonic)
    }

    #[test]
    fn the_times_of_waits_are_by_the_clock_of_the_tool() {
        let line = r#"{"start":5000100,"times":[0,1000,1050,1100,2100,2200],"cpu_ns":7e3,
            "thread":12}"#;
        let found = series(line, true).expect("valid");
        let first = One { begin: 5_000_100, deadline: 5_001_100, end: 5_001_150 };
        assert_eq!((found.waits[0], found.waits.len()), (first, 2));
        assert_eq!((found.cpu_ns, found.shift), (Some(7_000), 0));
        // A clock with another origin: the last wait has ended by the answer.
        let found = series(&line.replace("5000100", "17"), false).expect("valid");
        assert_eq!(found.waits[1].end, 9_000_000);
        assert_eq!(found.waits[1].end - found.waits[1].deadline, 100);
    }

    #[test]
    fn waits_that_cannot_have_been_made_are_refused() {
        let with = |times: &str| {
            let line = format!(r#"{{"start":5000100,"times":[{times}]}}"#);
            series(&line, true).expect_err(times)
        };
        assert!(with("0,1").contains("three"), "{}", with("0,1"));
        assert_eq!(with(""), "it made no wait");
        assert!(with("5,1,4").contains("ended before"));
        assert!(with("0,1,5,4,5,9").contains("began before"));
        assert!(with("0,1,2,3,4,5,6,7,8").contains("3 waits instead of 2"));
        assert!(with("0,1,9000000").contains("longer than its request"));
        assert!(with("0,1e18,2").starts_with("a time of a wait is 1"), "{}", with("0,1e18,2"));
        let early = r#"{"start":17,"times":[0,1,2]}"#;
        assert!(series(early, true).expect_err("early").contains("clock is another"));
        let absurd = r#"{"start":5000100,"times":[0,1,2],"cpu_ns":-1}"#;
        assert!(series(absurd, true).is_err());
        assert!(series(r#"{"error":"no such wait"}"#, true).is_err());
    }
}
