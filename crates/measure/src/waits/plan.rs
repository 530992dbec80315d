//! The plan of a run of waits, checked before anything runs.

use crate::engine::children::{LONGEST_SPIN, check_fifo, check_processes};
use chronoscope_model::Note;
use chronoscope_model::units::{human, plural, short_ns};
use chronoscope_model::waits::{self, Class, Load, Policy, Priority, Slack, Wait, WaitSpec};
use chronoscope_probes::machine::{Root, affinity};
use chronoscope_probes::waits::privilege::{self, OfClass};
use chronoscope_probes::waits::{Entry, Kind, Unavailable, find, os};
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Clone, Default)]
pub struct Plan {
    pub methods: Vec<&'static Entry>,
    /// The durations, loads, settings and limits. If no load, slack or slice is given, the default
    /// is measured.
    pub spec: WaitSpec,
    /// The ids of the methods that are measured with slices other than the default, each only with
    /// the last of its slacks. Empty: all methods, with all slacks.
    pub sliced: Vec<String>,
    /// Whether one thread makes all waits, one burst right after another. Otherwise each method and
    /// setting has a thread of its own, and cores settle between the bursts of different rows.
    pub one_thread: bool,
    /// The CPUs with one waiting thread each; empty: one thread that is not pinned.
    pub cpus: Vec<usize>,
    /// The number of methods left out, if the tool itself chose this plan, for an overview.
    pub chosen: Option<u64>,
    /// Whether to check for a neighbour on the cores of the waiting threads. This must be off on an
    /// emulated processor, and if the processor's counter cannot be trusted.
    pub gauged: bool,
    /// The seed of the random order within each round.
    pub seed: u64,
    /// Whether each wait is kept until [`super::Tap`] takes it.
    pub watched: bool,
    /// The rows of an earlier run to continue.
    pub earlier: Vec<Wait>,
    /// How the plan differs from the request.
    pub notes: Vec<Note>,
}

/// The longest wait that the histograms can hold.
const LONGEST: Duration = Duration::from_hours(1);
/// The shortest period. A shorter one would measure the sampling itself, which takes some 50 ns.
const SHORTEST_PERIOD: Duration = Duration::from_micros(1);
/// The slices that the scheduler accepts, in nanoseconds (Linux kernel/sched/syscalls.c,
/// `__setparam_fair`); it would replace others by the nearest of these.
const SLICES_NS: std::ops::RangeInclusive<u64> = 100_000..=100_000_000;
/// The most rows, times CPUs, which limits memory.
const MOST_ROWS: usize = 4096;

impl Plan {
    pub fn data(&self) -> waits::Plan {
        waits::Plan {
            methods: self.methods.iter().map(|entry| entry.id.into()).collect(),
            spec: self.spec.clone(),
            sliced: self.sliced.clone(),
            cpus: self.cpus.clone(),
            chosen: self.chosen.is_some(),
            left_out: self.chosen.unwrap_or(0),
        }
    }

    /// Restores the plan that a report stores. [`Plan::check`] decides whether it can be carried
    /// out.
    ///
    /// # Errors
    /// This version lacks one of the methods.
    pub fn from_data(data: waits::Plan) -> Result<Self, String> {
        let method = |id: &String| {
            let none = || format!("this version has no wait method '{}'", id.escape_debug());
            find(id).ok_or_else(none)
        };
        Ok(Self {
            methods: data.methods.iter().map(method).collect::<Result<_, _>>()?,
            spec: data.spec,
            sliced: data.sliced,
            cpus: data.cpus,
            chosen: data.chosen.then_some(data.left_out),
            ..Self::default()
        })
    }

    /// Checks everything that can be checked before the run.
    ///
    /// # Errors
    /// One line that names the mistake and the correct values.
    pub fn check(&self) -> Result<(), String> {
        let spec = &self.spec;
        let durations = self.durations();
        let longest = durations.iter().max().copied().unwrap_or_default();
        let time = spec.duration.unwrap_or(Duration::MAX);
        ensure(!self.methods.is_empty(), "no wait method was given")?;
        ensure(!durations.is_empty(), "no duration to wait for was given")?;
        ensure(
            longest <= LONGEST,
            format!("a wait of {} exceeds the range of the histograms: at most 1h", human(longest)),
        )?;
        ensure(!durations.iter().any(Duration::is_zero), "a wait must be longer than zero")?;
        let too_often = spec.period.is_some_and(|period| period < SHORTEST_PERIOD);
        ensure(!too_often, "a period must be at least 1us")?;
        ensure(spec.work.is_none() || spec.period.is_some(), "--work needs a --period")?;
        let fits = spec.work.zip(spec.period).is_none_or(|(work, period)| work < period);
        ensure(fits, "--work must be shorter than the period, or no deadline can be kept")?;
        ensure(spec.count != Some(0), "the count of waits must be above zero")?;
        let ends = spec.count.is_some() || spec.duration.is_some();
        ensure(ends, "neither a count of waits nor a time was given")?;
        ensure(!time.is_zero(), "the time for a run must be above zero")?;
        ensure(
            longest <= time,
            format!("a wait of {} does not fit into a run of {}", human(longest), human(time)),
        )?;
        self.check_slices()?;
        self.check_policies()?;
        let settings = self.slacks().len() * self.slices().len() * spec.policies().len();
        let rows = self.methods.len() * settings * durations.len();
        let lanes = self.cpus.len().max(1);
        ensure(
            rows.saturating_mul(lanes) <= MOST_ROWS,
            format!(
                "that makes {rows} rows on {}, but at most {MOST_ROWS} are possible in total",
                plural(lanes as u64, "CPU", "CPUs")
            ),
        )?;
        self.check_cpus()?;
        let (cpus, allowed) = (affinity::allowed().len(), spec.allow_high_priority);
        check_processes(spec.load_processes, cpus)?;
        let high = spec.load.contains(&Load::High);
        if let Some(priority) = spec.load_priority {
            ensure(high, "--load-priority applies to `--load high` only")?;
            check_fifo("--load-priority", priority, allowed, cpus)?;
        }
        if spec.load_all_cpus {
            ensure(high, "--load-all-cpus applies to `--load high` only")?;
            ensure(
                privilege::HAS_CLASSES,
                "--load-all-cpus applies to Windows only; here the high load takes every CPU \
                 unless it has a --load-priority",
            )?;
        }
        let leaves_one = (1..cpus).contains(&self.cpus.len());
        let must_pin =
            "a real-time run must be pinned and leave one CPU free: name the CPUs with --cpu";
        let _raised = self.raised().map_err(|why| {
            let name = self.class().map_or("", Class::name);
            format!("--priority {name}: {}", why.0)
        })?;
        ensure(leaves_one || self.class() != Some(Class::Realtime), must_pin)?;
        if let Some(priority) = spec.fifo() {
            let busy = self.methods.iter().any(|method| method.kind == Kind::Busy);
            ensure(
                longest <= LONGEST_SPIN || !busy,
                format!(
                    "a real-time thread must not spin for longer than {}, or the kernel would stop \
                     it: leave out the busy waits or the long durations",
                    human(LONGEST_SPIN)
                ),
            )?;
            check_fifo("--priority", priority, allowed, cpus)?;
            ensure(leaves_one, must_pin)?;
        }
        Ok(())
    }

    /// The priority class that the run asks for.
    fn class(&self) -> Option<Class> {
        match self.spec.priority? {
            Priority::Class(class) => Some(class),
            Priority::Fifo(_) => None,
        }
    }

    /// Gives this process the class that the run asks for, until the result is dropped.
    pub(super) fn raised(&self) -> Result<Option<OfClass>, Unavailable> {
        self.class().map(OfClass::new).transpose()
    }

    fn check_slices(&self) -> Result<(), String> {
        for ns in self.spec.slice.iter().filter_map(|slice| slice.ns()) {
            ensure(
                SLICES_NS.contains(&ns),
                format!(
                    "a slice of {} is not possible: the scheduler accepts 100us to 100ms",
                    human(Duration::from_nanos(ns))
                ),
            )?;
            ensure(
                self.spec.fifo().is_none(),
                "--slice has no effect on a real-time thread: leave out --priority or --slice",
            )?;
        }
        Ok(())
    }

    fn check_policies(&self) -> Result<(), String> {
        let spec = &self.spec;
        if spec.policy.is_empty() {
            return Ok(());
        }
        let sliced = spec.slice.iter().any(|slice| slice.ns().is_some());
        ensure(!sliced, "--slice is for the policy other: leave out --slice or --policy")?;
        ensure(
            spec.fifo().is_some() || spec.priority.is_none(),
            "--priority applies to the policies rr and fifo: name one, or leave out --priority",
        )?;
        let deadline = spec.policy.contains(&Policy::Deadline);
        ensure(
            !deadline || self.cpus.len() <= 1,
            "a thread with a deadline may use every CPU: leave out --all-cpus",
        )?;
        for &policy in spec.policy.iter().filter(|it| ![Policy::Rr, Policy::Fifo].contains(it)) {
            for ns in self.durations().into_iter().map(ns) {
                let tried = privilege::try_policy(&Root::host(), self.scheduling(policy, ns));
                tried.map_err(|why| format!("--policy {}: {}", policy.name(), why.0))?;
            }
        }
        Ok(())
    }

    /// How a thread with this policy is scheduled, that waits for `ns` nanoseconds.
    pub(super) fn scheduling(&self, policy: Policy, wait_ns: u64) -> os::Scheduling {
        let priority = self.spec.priority_of(Some(policy)).unwrap_or(0);
        os::Scheduling { policy, priority, wait_ns, work_ns: self.work_ns().unwrap_or(0) }
    }

    /// Whether those are looked for who ran instead of late threads.
    pub(super) fn finds_culprits(&self) -> bool {
        self.spec.why && !self.spec.no_culprits
    }

    fn check_cpus(&self) -> Result<(), String> {
        let allowed = affinity::allowed();
        let names = |cpus: &[usize]| {
            let names: Vec<String> = cpus.iter().map(ToString::to_string).collect();
            names.join(", ")
        };
        for (at, cpu) in self.cpus.iter().enumerate() {
            ensure(
                allowed.contains(cpu),
                format!(
                    "CPU {cpu} is not one of those that this process may use: {}",
                    names(&allowed)
                ),
            )?;
            let twice = self.cpus[..at].contains(cpu);
            ensure(!twice, format!("a CPU is named twice: {}", names(&self.cpus)))?;
        }
        Ok(())
    }

    /// How long the run takes at least, and what for; `None` if that is just the time that it was
    /// given, or if it continues another.
    pub fn expected(&self) -> Option<(Duration, String)> {
        let (spec, durations) = (&self.spec, self.durations());
        let here = self.methods.iter().filter(|entry| !entry.is_on_other_system());
        let settings = |entry: &&Entry| self.settings(entry, entry.slack);
        let settings: u64 = here.map(|entry| settings(entry).len() as u64).sum();
        let (rows, loads) = (settings * durations.len() as u64, self.loads().len() as u64);
        let round = durations.iter().map(Duration::as_secs_f64).sum::<f64>() * settings as f64;
        let counted = spec.count.map(|count| (round * count as f64, count));
        let given = spec.duration.map_or(f64::INFINITY, |time| time.as_secs_f64());
        let (each, what) = match counted {
            Some((seconds, count)) if seconds <= given => {
                let waits = plural(count, "wait", "waits");
                let of = match durations[..] {
                    [only] if rows == 1 => format!("of {}", short_ns(only.as_nanos() as f64)),
                    _ => format!("in each of {}", plural(rows, "row", "rows")),
                };
                (seconds, format!("{waits} {of}"))
            }
            _ if loads == 1 => return None,
            _ => (given, short_ns(given * 1e9)),
        };
        let under =
            if loads == 1 { String::new() } else { format!(" under each of {loads} loads") };
        let time = Duration::try_from_secs_f64(each * loads as f64).unwrap_or(Duration::MAX);
        self.earlier.is_empty().then(|| (time, what + &under))
    }

    /// The time for a load, less what an earlier run spent on it.
    pub(super) fn time_left(&self, load: Load) -> Option<Duration> {
        let mut spent: BTreeMap<Option<usize>, f64> = BTreeMap::new();
        for row in self.earlier.iter().filter(|row| row.load == load) {
            *spent.entry(row.cpu).or_default() += row.seconds.max(0.0);
        }
        let most = spent.into_values().fold(0.0, f64::max);
        let spent = Duration::try_from_secs_f64(most).unwrap_or(Duration::MAX);
        Some(self.spec.duration?.saturating_sub(spent))
    }

    /// Whether an earlier run left nothing of this load to measure.
    pub(super) fn has_ended(&self, load: Load) -> bool {
        let rows = self.earlier.iter().filter(|row| row.load == load);
        let mut rows = rows.filter(|row| row.available || row.samples > 0);
        let done = |count| rows.all(|row| row.available && row.samples >= count);
        self.time_left(load).is_some_and(|left| left.is_zero()) || self.spec.count.is_some_and(done)
    }

    /// Returns the slacks, slices and policies with which a method is measured. `slack`: whether
    /// any slack affects it.
    pub(super) fn settings(&self, entry: &Entry, slack: bool) -> Vec<Set> {
        let policies = self.spec.policies().into_iter();
        policies.flat_map(|policy| self.settings_of(entry, slack, policy)).collect()
    }

    fn settings_of(&self, entry: &Entry, slack: bool, policy: Option<Policy>) -> Vec<Set> {
        // Real-time threads have no slack (Linux kernel/time/hrtimer.c, hrtimer_nanosleep).
        let ordinary = self.spec.priority_of(policy).is_none() && policy != Some(Policy::Deadline);
        let slacks: Vec<Option<Slack>> = match slack && ordinary {
            true => self.slacks().into_iter().map(Some).collect(),
            false => vec![None],
        };
        let few = !self.sliced.is_empty();
        let is_sliced = self.sliced.iter().any(|id| id == entry.id);
        let mut all = Vec::new();
        for (nth, &slack) in slacks.iter().enumerate() {
            let last = nth + 1 == slacks.len();
            let slices = self.slices().into_iter().map(Slack::ns);
            let measured = |slice: &Option<u64>| !few || slice.is_none() || is_sliced && last;
            all.extend(slices.filter(measured).map(|slice| (slack, slice, policy)));
        }
        all
    }

    /// Returns the durations of the rows: those of the waits, or the period.
    pub(super) fn durations(&self) -> Vec<Duration> {
        self.spec.period.map_or_else(|| self.spec.wait.clone(), |period| vec![period])
    }

    /// How long the rows compute in each period, in nanoseconds.
    pub(super) fn work_ns(&self) -> Option<u64> {
        self.spec.work.map(ns)
    }

    pub(super) fn loads(&self) -> Vec<Load> {
        or_default(&self.spec.load)
    }

    pub(super) fn slacks(&self) -> Vec<Slack> {
        or_default(&self.spec.slack)
    }

    fn slices(&self) -> Vec<Slack> {
        or_default(&self.spec.slice)
    }
}

/// The slack, the slice and the policy of a row; `None`: it has none, or the thread's own.
pub(super) type Set = (Option<Slack>, Option<u64>, Option<Policy>);

/// A duration as whole nanoseconds.
pub(super) fn ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn or_default<T: Clone + Default>(given: &[T]) -> Vec<T> {
    if given.is_empty() { vec![T::default()] } else { given.to_vec() }
}

fn ensure(holds: bool, otherwise: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            methods: vec![find("rust/thread-sleep").expect("everywhere")],
            spec: WaitSpec {
                wait: vec![Duration::from_millis(1)],
                count: Some(1),
                ..WaitSpec::default()
            },
            ..Plan::default()
        }
    }

    #[test]
    fn a_plan_survives_a_report() {
        let asked = Plan { cpus: vec![0, 1], chosen: Some(20), ..plan() };
        let text = serde_json::to_string(&asked.data()).expect("plain data");
        let data: waits::Plan = serde_json::from_str(&text).expect("its own");
        let back = Plan::from_data(data.clone()).expect("a known method");
        assert_eq!(back.data(), asked.data());
        let unknown = waits::Plan { methods: vec!["no/such\u{1b}".into()], ..data };
        let error = Plan::from_data(unknown).err().expect("no such method");
        assert!(error.contains("no/such") && error.is_ascii(), "{error}");
    }

    #[test]
    fn the_time_that_a_run_takes_follows_from_all_that_multiplies_it() {
        let minutes = |spec| {
            Plan { spec, ..plan() }.expected().map(|(time, what)| (time.as_secs() / 60, what))
        };
        let five =
            WaitSpec { wait: vec![Duration::from_mins(1)], count: Some(5), ..WaitSpec::default() };
        assert_eq!(minutes(five.clone()), Some((5, "5 waits of 60 s".into())));
        let loads = vec![Load::None, Load::Normal];
        let loaded = WaitSpec { load: loads.clone(), ..five.clone() };
        let what = "5 waits of 60 s under each of 2 loads";
        assert_eq!(minutes(loaded), Some((10, what.into())));
        let wait = vec![Duration::from_mins(1); 2];
        let rows = WaitSpec { wait, slack: vec![Slack::Default; 2], ..five.clone() };
        let rows = minutes(rows).expect("a count");
        // A method has a slack on some systems only.
        assert!(rows.0 >= 10 && rows.1.starts_with("5 waits in each of "), "{rows:?}");
        let hour = Some(Duration::from_hours(1));
        let timed = WaitSpec { count: None, duration: hour, ..five.clone() };
        assert_eq!(minutes(timed.clone()), None);
        let both = minutes(WaitSpec { load: loads, ..timed });
        assert_eq!(both, Some((120, "1 h under each of 2 loads".into())));
        assert_eq!(Plan { earlier: vec![Wait::default()], ..plan() }.expected(), None);
    }

    #[test]
    fn what_cannot_be_done_is_refused_in_one_line() {
        assert_eq!(plan().check(), Ok(()));
        type Spoil = fn(&mut WaitSpec);
        let bad: [(&str, Spoil); 21] = [
            ("100us to 100ms", |s| s.slice = vec![Slack::Default, Slack::Ns(99_999)]),
            ("--slice has no effect", |s| {
                (s.slice, s.priority) = (vec![Slack::Ns(100_000)], Some(Priority::Fifo(5)));
            }),
            ("--slice or --policy", |s| {
                (s.slice, s.policy) = (vec![Slack::Ns(100_000)], vec![Policy::Batch]);
            }),
            ("rr and fifo", |s| {
                (s.priority, s.policy) = (Some(Priority::Fifo(5)), vec![Policy::Idle]);
            }),
            // Whether a thread may have one or not, and on every system.
            ("--policy deadline: ", |s| {
                (s.wait, s.policy) = (vec![Duration::from_micros(10)], vec![Policy::Deadline]);
            }),
            ("does not fit", |s| s.duration = Some(Duration::from_micros(1))),
            ("duration", |s| s.wait.clear()),
            ("longer than zero", |s| s.wait.push(Duration::ZERO)),
            ("1h", |s| s.wait.push(Duration::MAX)),
            ("1us", |s| s.period = Some(Duration::from_nanos(10))),
            ("needs a --period", |s| s.work = Some(Duration::from_micros(10))),
            ("shorter than the period", |s| {
                (s.period, s.work) = (Some(Duration::from_micros(10)), s.wait.first().copied());
            }),
            ("above zero", |s| s.count = Some(0)),
            ("neither", |s| s.count = None),
            ("above zero", |s| s.duration = Some(Duration::ZERO)),
            ("rows", |s| s.wait = vec![Duration::from_millis(1); 5000]),
            ("load processes", |s| s.load_processes = Some(1 << 20)),
            ("1 to 49", |s| s.priority = Some(Priority::Fifo(99))),
            ("1 to 99", |s| {
                (s.priority, s.allow_high_priority) = (Some(Priority::Fifo(100)), true);
            }),
            ("1 to 49", |s| {
                (s.load, s.load_priority) = (vec![Load::High], Some(99));
            }),
            ("--load high", |s| s.load_priority = Some(5)),
        ];
        let refused = |word: &str, plan: Plan| {
            let error = plan.check().expect_err(word).to_string();
            assert!(error.contains(word), "{error}");
            assert!(!error.contains('\n') && error.is_ascii(), "{error}");
        };
        for (word, spoil) in bad {
            let mut plan = plan();
            spoil(&mut plan.spec);
            refused(word, plan);
        }
        refused("method", Plan { methods: Vec::new(), ..plan() });
        refused("CPU 123456", Plan { cpus: vec![123_456], ..plan() });
        if let Some(&cpu) = affinity::allowed().first() {
            refused("twice", Plan { cpus: vec![cpu, cpu], ..plan() });
        }
    }
}
