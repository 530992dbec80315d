//! What to measure, checked before anything runs.

use chronoscope_model::Note;
use chronoscope_model::units::{human, plural};
use chronoscope_model::waits::{self, Load, Slack, Wait};
use chronoscope_probes::machine::{Root, affinity};
use chronoscope_probes::waits::{Entry, Kind, find, privilege};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// What to measure.
#[derive(Clone)]
pub struct Plan {
    /// The methods.
    pub methods: Vec<&'static Entry>,
    /// The slacks that each method is measured with, if slack affects it.
    pub slacks: Vec<Slack>,
    /// The scheduler's slices that each method is measured with, in nanoseconds; `None`: the slice
    /// that a thread has by default.
    pub slices: Vec<Option<u64>>,
    /// The ids of the methods that are measured with other slices than the default, each with the
    /// last of its slacks only; empty: all, with all.
    pub sliced: Vec<String>,
    /// Whether each method and setting has a thread of its own, and cores settle between the bursts
    /// of different rows. Without, one thread makes all waits, one burst right after another, as
    /// runs before version 0.2 did.
    pub isolated: bool,
    /// The durations to wait for, each wait beginning after the one before has ended. Ignored if
    /// there is a period.
    pub durations: Vec<Duration>,
    /// The period of a grid of deadlines to wait for instead.
    pub period: Option<Duration>,
    /// Waits for each row; absent: as many as the time allows.
    pub count: Option<u64>,
    /// Time for each load; absent: until every row has its count.
    pub time: Option<Duration>,
    /// The loads, one after the other.
    pub loads: Vec<Load>,
    /// Processes of a load; absent: one per CPU.
    pub load_processes: Option<usize>,
    /// Real-time priority of the `high` load; absent: the highest nice value.
    pub load_fifo: Option<u32>,
    /// The CPUs with one waiting thread each; empty: one thread that is not pinned.
    pub cpus: Vec<usize>,
    /// Real-time priority of the waiting threads.
    pub fifo: Option<u32>,
    /// Whether to keep the CPUs out of deep idle states.
    pub keep_awake: bool,
    /// The overshoot that ends the run.
    pub stop_above: Option<Duration>,
    /// Whether to explain each late wake-up.
    pub why: bool,
    /// Whether the tool chose all this, for an overview, and how many methods it left out.
    pub chosen: Option<u64>,
    /// Whether to look for a neighbour on the cores of the waiting threads. Not on an emulated
    /// processor, and not if its counter cannot be trusted.
    pub gauged: bool,
    /// The seed of the random order within each round.
    pub seed: u64,
    /// Rows of an earlier run, which is to be continued.
    pub earlier: Vec<Wait>,
    /// How the plan differs from what was asked for.
    pub notes: Vec<Note>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            methods: Vec::new(),
            slacks: vec![Slack::Default],
            slices: vec![None],
            sliced: Vec::new(),
            isolated: true,
            durations: Vec::new(),
            period: None,
            count: None,
            time: None,
            loads: vec![Load::None],
            load_processes: None,
            load_fifo: None,
            cpus: Vec::new(),
            fifo: None,
            keep_awake: false,
            stop_above: None,
            why: false,
            chosen: None,
            gauged: false,
            seed: 0,
            earlier: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Why a plan cannot be carried out, or not completely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// The longest wait that the histograms can hold.
const LONGEST: Duration = Duration::from_hours(1);
/// The shortest period. Below it, the sampling itself, some 50 ns, would be measured.
const SHORTEST_PERIOD: Duration = Duration::from_micros(1);
/// The longest spin of a real-time thread: half of the time that the kernel lets real-time threads
/// run in each second, so that its throttling is not what is measured.
const LONGEST_SPIN: Duration = Duration::from_millis(450);
/// The slices that the scheduler takes, in nanoseconds (Linux kernel/sched/syscalls.c,
/// `__setparam_fair`); it would replace others by the nearest of these.
const SLICES_NS: std::ops::RangeInclusive<u64> = 100_000..=100_000_000;
/// The most rows, times CPUs: a bound on memory.
const MOST_ROWS: usize = 4096;
/// The most load processes per CPU.
const MOST_LOAD: usize = 8;

impl Plan {
    /// The plan as a report stores it.
    pub fn data(&self) -> waits::Plan {
        let ns = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        waits::Plan {
            methods: self.methods.iter().map(|entry| entry.id.into()).collect(),
            slacks: self.slacks.clone(),
            slices: match self.slices.as_slice() {
                [None] => Vec::new(),
                slices => {
                    slices.iter().map(|slice| slice.map_or(Slack::Default, Slack::Ns)).collect()
                }
            },
            sliced: self.sliced.clone(),
            isolated: self.isolated,
            durations_ns: self.durations.iter().copied().map(ns).collect(),
            period_ns: self.period.map(ns),
            count: self.count,
            time_ns: self.time.map(ns),
            loads: self.loads.clone(),
            load_processes: self.load_processes,
            load_fifo: self.load_fifo,
            cpus: self.cpus.clone(),
            fifo: self.fifo,
            keep_awake: self.keep_awake,
            stop_above_ns: self.stop_above.map(ns),
            why: self.why,
            chosen: self.chosen.is_some(),
            left_out: self.chosen.unwrap_or(0),
        }
    }

    /// The plan that a report stores. [`Plan::check`] decides whether it can be carried out.
    ///
    /// # Errors
    /// This version does not have one of the methods.
    pub fn from_data(data: &waits::Plan) -> Result<Self, Error> {
        let method = |id: &String| {
            find(id).ok_or_else(|| {
                Error(format!("this version has no wait method '{}'", id.escape_debug()))
            })
        };
        Ok(Self {
            methods: data.methods.iter().map(method).collect::<Result<_, _>>()?,
            slacks: data.slacks.clone(),
            slices: match data.slices.as_slice() {
                [] => vec![None],
                slices => slices
                    .iter()
                    .map(|slice| match *slice {
                        Slack::Default => None,
                        Slack::Ns(ns) => Some(ns),
                    })
                    .collect(),
            },
            sliced: data.sliced.clone(),
            isolated: data.isolated,
            durations: data.durations_ns.iter().copied().map(Duration::from_nanos).collect(),
            period: data.period_ns.map(Duration::from_nanos),
            count: data.count,
            time: data.time_ns.map(Duration::from_nanos),
            loads: data.loads.clone(),
            load_processes: data.load_processes,
            load_fifo: data.load_fifo,
            cpus: data.cpus.clone(),
            fifo: data.fifo,
            keep_awake: data.keep_awake,
            stop_above: data.stop_above_ns.map(Duration::from_nanos),
            why: data.why,
            chosen: data.chosen.then_some(data.left_out),
            ..Self::default()
        })
    }

    /// Checks what can be checked before anything runs.
    ///
    /// # Errors
    /// One line that states what is wrong and what would be right.
    pub fn check(&self) -> Result<(), Error> {
        let fail = |why: String| Err(Error(why));
        if self.methods.is_empty() {
            return fail("no wait method was given".into());
        }
        let durations = self.durations();
        if durations.is_empty() {
            return fail("no duration to wait for was given".into());
        }
        if let Some(long) = durations.iter().find(|d| **d > LONGEST) {
            return fail(format!(
                "a wait of {} exceeds the range of the histograms: at most 1h",
                human(*long)
            ));
        }
        if durations.iter().any(Duration::is_zero) {
            return fail("a wait must be longer than zero".into());
        }
        if self.period.is_some_and(|period| period < SHORTEST_PERIOD) {
            return fail("a period must be at least 1us".into());
        }
        if self.count == Some(0) {
            return fail("the count of waits must be above zero".into());
        }
        if self.count.is_none() && self.time.is_none() {
            return fail("neither a count of waits nor a time was given".into());
        }
        if self.time.is_some_and(|time| time.is_zero()) {
            return fail("the time for a run must be above zero".into());
        }
        if let (Some(time), Some(long)) = (self.time, durations.iter().max())
            && *long > time
        {
            return fail(format!(
                "a wait of {} does not fit into a run of {}",
                human(*long),
                human(time)
            ));
        }
        if self.loads.is_empty() || self.slacks.is_empty() {
            return fail("no load, or no timer slack, was given".into());
        }
        self.check_slices()?;
        let settings = self.slacks.len() * self.slices.len();
        let rows = self.methods.len() * settings * durations.len();
        if rows.saturating_mul(self.cpus.len().max(1)) > MOST_ROWS {
            return fail(format!(
                "that makes {rows} rows on {}, but at most {MOST_ROWS} are possible in all",
                plural(self.cpus.len().max(1) as u64, "CPU", "CPUs")
            ));
        }
        self.check_cpus()?;
        let cpus = affinity::allowed().len();
        if let Some(processes) = self.load_processes {
            let most = cpus.max(1) * MOST_LOAD;
            if !(1..=most).contains(&processes) {
                return fail(format!(
                    "{processes} load processes are not possible: choose 1 to {most}, {MOST_LOAD} \
                     per CPU"
                ));
            }
        }
        if let Some(priority) = self.load_fifo {
            if !self.loads.contains(&Load::High) {
                return fail("--load-priority applies to `--load high` only".into());
            }
            check_fifo("--load-priority", priority, cpus)?;
        }
        if let Some(priority) = self.fifo {
            let long = durations.iter().any(|d| *d > LONGEST_SPIN);
            if long && self.methods.iter().any(|m| m.kind == Kind::Busy) {
                return fail(format!(
                    "a real-time thread must not spin for longer than {}, or the kernel would stop \
                     it: leave out the busy waits or the long durations",
                    human(LONGEST_SPIN)
                ));
            }
            check_fifo("--priority", priority, cpus)?;
            if self.cpus.is_empty() || self.cpus.len() >= cpus {
                return fail(
                    "a real-time run must be pinned and leave one CPU free: name the CPUs with \
                     --cpu"
                        .into(),
                );
            }
        }
        Ok(())
    }

    fn check_slices(&self) -> Result<(), Error> {
        if self.slices.is_empty() {
            return Err(Error("no slice was given".into()));
        }
        let mut set = self.slices.iter().flatten();
        if let Some(ns) = set.clone().find(|ns| !SLICES_NS.contains(ns)) {
            return Err(Error(format!(
                "a slice of {} is not possible: the scheduler takes 100us to 100ms",
                human(Duration::from_nanos(*ns))
            )));
        }
        if self.fifo.is_some() && set.next().is_some() {
            return Err(Error(
                "--slice has no effect on a real-time thread: leave out --priority or --slice"
                    .into(),
            ));
        }
        Ok(())
    }

    fn check_cpus(&self) -> Result<(), Error> {
        let allowed = affinity::allowed();
        let names = |cpus: &[usize]| {
            let names: Vec<String> = cpus.iter().map(ToString::to_string).collect();
            names.join(", ")
        };
        if let Some(cpu) = self.cpus.iter().find(|cpu| !allowed.contains(cpu)) {
            return Err(Error(format!(
                "CPU {cpu} is not one of those that this process may use: {}",
                names(&allowed)
            )));
        }
        let mut sorted = self.cpus.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() < self.cpus.len() {
            return Err(Error(format!("a CPU is named twice: {}", names(&self.cpus))));
        }
        Ok(())
    }

    /// The time for a load, less what an earlier run spent on it.
    pub(super) fn time_left(&self, load: Load) -> Option<Duration> {
        let mut spent: BTreeMap<Option<usize>, f64> = BTreeMap::new();
        for row in self.earlier.iter().filter(|row| row.load == load) {
            *spent.entry(row.cpu).or_default() += row.seconds.max(0.0);
        }
        let most = spent.into_values().fold(0.0, f64::max);
        let spent = Duration::try_from_secs_f64(most).unwrap_or(Duration::MAX);
        Some(self.time?.saturating_sub(spent))
    }

    /// The slacks and slices that a method is measured with. `slack`: whether there is a slack that
    /// affects it.
    pub(super) fn settings(&self, entry: &Entry, slack: bool) -> Vec<(Option<Slack>, Option<u64>)> {
        let slacks: Vec<Option<Slack>> = match slack {
            true => self.slacks.iter().copied().map(Some).collect(),
            false => vec![None],
        };
        let few = !self.sliced.is_empty();
        let is_sliced = self.sliced.iter().any(|id| id == entry.id);
        let mut all = Vec::new();
        for (nth, &slack) in slacks.iter().enumerate() {
            let last = nth + 1 == slacks.len();
            let measured = |slice: &&Option<u64>| !few || slice.is_none() || is_sliced && last;
            all.extend(self.slices.iter().filter(measured).map(|slice| (slack, *slice)));
        }
        all
    }

    /// The durations of the rows: those of the waits, or the period.
    pub fn durations(&self) -> Vec<Duration> {
        match self.period {
            Some(period) => vec![period],
            None => self.durations.clone(),
        }
    }
}

/// Checks that an option's priority is possible and permitted: a run that was asked for priority
/// and has none would answer another question.
fn check_fifo(option: &str, priority: u32, cpus: usize) -> Result<(), Error> {
    let possible = privilege::check_fifo(&Root::host(), priority, cpus);
    let permitted = possible.and_then(|()| privilege::try_fifo(priority));
    permitted.map_err(|why| Error(format!("{option} {priority}: {}", why.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            methods: vec![find("rust/thread-sleep").expect("everywhere")],
            durations: vec![Duration::from_millis(1)],
            count: Some(1),
            ..Plan::default()
        }
    }

    #[test]
    fn a_plan_survives_a_report() {
        let asked = Plan {
            slacks: vec![Slack::Default, Slack::Ns(1)],
            slices: vec![None, Some(100_000)],
            period: Some(Duration::from_micros(50)),
            count: None,
            time: Some(Duration::from_secs(7200)),
            loads: vec![Load::None, Load::High],
            load_processes: Some(2),
            load_fifo: Some(7),
            cpus: vec![0, 1],
            fifo: Some(40),
            keep_awake: true,
            stop_above: Some(Duration::from_millis(2)),
            chosen: Some(20),
            ..plan()
        };
        let text = serde_json::to_string(&asked.data()).expect("plain data");
        let data: waits::Plan = serde_json::from_str(&text).expect("its own");
        let back = Plan::from_data(&data).expect("a known method");
        assert_eq!(back.data(), asked.data());
        let unknown = waits::Plan { methods: vec!["no/such\u{1b}".into()], ..data };
        let error = Plan::from_data(&unknown).err().expect("no such method");
        assert!(error.0.contains("no/such") && error.0.is_ascii(), "{error}");
    }

    #[test]
    fn what_cannot_be_done_is_refused_in_one_line() {
        assert_eq!(plan().check(), Ok(()));
        type Spoil = fn(&mut Plan);
        let bad: [(&str, Spoil); 18] = [
            ("100us to 100ms", |p| p.slices = vec![None, Some(99_999)]),
            ("no slice", |p| p.slices.clear()),
            ("--slice has no effect", |p| {
                (p.slices, p.fifo) = (vec![Some(100_000)], Some(5));
            }),
            ("does not fit", |p| p.time = Some(Duration::from_micros(1))),
            ("method", |p| p.methods.clear()),
            ("duration", |p| p.durations.clear()),
            ("longer than zero", |p| p.durations.push(Duration::ZERO)),
            ("1h", |p| p.durations.push(Duration::MAX)),
            ("1us", |p| p.period = Some(Duration::from_nanos(10))),
            ("above zero", |p| p.count = Some(0)),
            ("neither", |p| p.count = None),
            ("above zero", |p| p.time = Some(Duration::ZERO)),
            ("CPU 123456", |p| p.cpus = vec![123_456]),
            ("rows", |p| p.durations = vec![Duration::from_millis(1); 5000]),
            ("load processes", |p| p.load_processes = Some(1 << 20)),
            ("1 to 49", |p| p.fifo = Some(99)),
            ("1 to 49", |p| {
                (p.loads, p.load_fifo) = (vec![Load::High], Some(99));
            }),
            ("--load high", |p| p.load_fifo = Some(5)),
        ];
        for (word, spoil) in bad {
            let mut plan = plan();
            spoil(&mut plan);
            let error = plan.check().expect_err(word).to_string();
            assert!(error.contains(word), "{error}");
            assert!(!error.contains('\n') && error.is_ascii(), "{error}");
        }
        let mut twice = plan();
        if let Some(&cpu) = affinity::allowed().first() {
            twice.cpus = vec![cpu, cpu];
            assert!(twice.check().expect_err("twice").0.contains("twice"));
        }
    }
}
