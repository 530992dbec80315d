//! What to measure, checked before anything runs.

use chronoscope_model::Note;
use chronoscope_model::units::{human, plural};
use chronoscope_model::waits::{self, Load, Slack, Wait, WaitSpec};
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
    /// The durations, loads, settings and limits. No load, slack or slice at all is the default one.
    pub spec: WaitSpec,
    /// The ids of the methods that are measured with other slices than the default, each with the
    /// last of its slacks only; empty: all, with all.
    pub sliced: Vec<String>,
    /// Whether each method and setting has a thread of its own, and cores settle between the bursts
    /// of different rows. Without, one thread makes all waits, one burst right after another.
    pub isolated: bool,
    /// The CPUs with one waiting thread each; empty: one thread that is not pinned.
    pub cpus: Vec<usize>,
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
            spec: WaitSpec::default(),
            sliced: Vec::new(),
            isolated: true,
            cpus: Vec::new(),
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
        waits::Plan {
            methods: self.methods.iter().map(|entry| entry.id.into()).collect(),
            spec: self.spec.clone(),
            sliced: self.sliced.clone(),
            cpus: self.cpus.clone(),
            chosen: self.chosen.is_some(),
            left_out: self.chosen.unwrap_or(0),
        }
    }

    /// The plan that a report stores. [`Plan::check`] decides whether it can be carried out.
    ///
    /// # Errors
    /// This version does not have one of the methods.
    pub fn from_data(data: waits::Plan) -> Result<Self, Error> {
        let method = |id: &String| {
            find(id).ok_or_else(|| {
                Error(format!("this version has no wait method '{}'", id.escape_debug()))
            })
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

    /// Checks what can be checked before anything runs.
    ///
    /// # Errors
    /// One line that states what is wrong and what would be right.
    pub fn check(&self) -> Result<(), Error> {
        let fail = |why: String| Err(Error(why));
        let spec = &self.spec;
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
        if spec.period.is_some_and(|period| period < SHORTEST_PERIOD) {
            return fail("a period must be at least 1us".into());
        }
        if spec.count == Some(0) {
            return fail("the count of waits must be above zero".into());
        }
        if spec.count.is_none() && spec.duration.is_none() {
            return fail("neither a count of waits nor a time was given".into());
        }
        if spec.duration.is_some_and(|time| time.is_zero()) {
            return fail("the time for a run must be above zero".into());
        }
        if let (Some(time), Some(long)) = (spec.duration, durations.iter().max())
            && *long > time
        {
            return fail(format!(
                "a wait of {} does not fit into a run of {}",
                human(*long),
                human(time)
            ));
        }
        self.check_slices()?;
        let settings = self.slacks().len() * self.slices().len();
        let rows = self.methods.len() * settings * durations.len();
        if rows.saturating_mul(self.cpus.len().max(1)) > MOST_ROWS {
            return fail(format!(
                "that makes {rows} rows on {}, but at most {MOST_ROWS} are possible in all",
                plural(self.cpus.len().max(1) as u64, "CPU", "CPUs")
            ));
        }
        self.check_cpus()?;
        let cpus = affinity::allowed().len();
        if let Some(processes) = spec.load_processes {
            let most = (cpus.max(1) * MOST_LOAD) as u64;
            if !(1..=most).contains(&processes) {
                return fail(format!(
                    "{processes} load processes are not possible: choose 1 to {most}, {MOST_LOAD} \
                     per CPU"
                ));
            }
        }
        if let Some(priority) = spec.load_priority {
            if !spec.load.contains(&Load::High) {
                return fail("--load-priority applies to `--load high` only".into());
            }
            check_fifo("--load-priority", priority, cpus)?;
        }
        if let Some(priority) = spec.priority {
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
        let mut set = self.spec.slice.iter().filter_map(|slice| slice.ns());
        if let Some(ns) = set.clone().find(|ns| !SLICES_NS.contains(ns)) {
            return Err(Error(format!(
                "a slice of {} is not possible: the scheduler takes 100us to 100ms",
                human(Duration::from_nanos(ns))
            )));
        }
        if self.spec.priority.is_some() && set.next().is_some() {
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
        Some(self.spec.duration?.saturating_sub(spent))
    }

    /// The slacks and slices that a method is measured with. `slack`: whether there is a slack that
    /// affects it.
    pub(super) fn settings(&self, entry: &Entry, slack: bool) -> Vec<(Option<Slack>, Option<u64>)> {
        let slacks: Vec<Option<Slack>> =
            if slack { self.slacks().into_iter().map(Some).collect() } else { vec![None] };
        let few = !self.sliced.is_empty();
        let is_sliced = self.sliced.iter().any(|id| id == entry.id);
        let mut all = Vec::new();
        for (nth, &slack) in slacks.iter().enumerate() {
            let last = nth + 1 == slacks.len();
            let slices = self.slices().into_iter().map(Slack::ns);
            let measured = |slice: &Option<u64>| !few || slice.is_none() || is_sliced && last;
            all.extend(slices.filter(measured).map(|slice| (slack, slice)));
        }
        all
    }

    /// The durations of the rows: those of the waits, or the period.
    pub(super) fn durations(&self) -> Vec<Duration> {
        self.spec.period.map_or_else(|| self.spec.wait.clone(), |period| vec![period])
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

fn or_default<T: Clone + Default>(given: &[T]) -> Vec<T> {
    if given.is_empty() { vec![T::default()] } else { given.to_vec() }
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
        assert!(error.0.contains("no/such") && error.0.is_ascii(), "{error}");
    }

    #[test]
    fn what_cannot_be_done_is_refused_in_one_line() {
        assert_eq!(plan().check(), Ok(()));
        type Spoil = fn(&mut WaitSpec);
        let bad: [(&str, Spoil); 15] = [
            ("100us to 100ms", |s| s.slice = vec![Slack::Default, Slack::Ns(99_999)]),
            ("--slice has no effect", |s| {
                (s.slice, s.priority) = (vec![Slack::Ns(100_000)], Some(5));
            }),
            ("does not fit", |s| s.duration = Some(Duration::from_micros(1))),
            ("duration", |s| s.wait.clear()),
            ("longer than zero", |s| s.wait.push(Duration::ZERO)),
            ("1h", |s| s.wait.push(Duration::MAX)),
            ("1us", |s| s.period = Some(Duration::from_nanos(10))),
            ("above zero", |s| s.count = Some(0)),
            ("neither", |s| s.count = None),
            ("above zero", |s| s.duration = Some(Duration::ZERO)),
            ("rows", |s| s.wait = vec![Duration::from_millis(1); 5000]),
            ("load processes", |s| s.load_processes = Some(1 << 20)),
            ("1 to 49", |s| s.priority = Some(99)),
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
