//! What a run of waits was asked for, with which priority, the overshoot above its limit, and the
//! plan that the tool made of it.

use super::Load;
use crate::units::{ParseError, parse_duration};
#[cfg(feature = "clap")]
use crate::units::{parse_count, parse_period, parse_whole};
use crate::why::Interrupts;
#[cfg(feature = "clap")]
use clap::builder::ArgPredicate;
use std::str::FromStr;
use std::time::Duration;

/// What is asked of a run of waits: the options of `chronoscope waits`, under their names. The tool
/// chooses what is left at its default.
#[record(Args)]
#[serde(default)]
pub struct WaitSpec {
    /// Ids, prefixes or globs of wait methods, such as python/sleep or node; '*' is all of every
    /// language. Default: an overview of a few in 20 s, or every method of C, C++ and Rust if an
    /// option below sets what to measure or for how long. Plain numbers are a wait in milliseconds
    /// and a count: 10 500.
    pub ids: Vec<String>,
    /// Measure every method of C, C++ and Rust, from 1 us to 100 ms, for a minute, and show the
    /// whole table.
    #[arg(long)]
    pub all: bool,
    /// A known set of waits (windows-waits), drawn as its own table. Other options change parts of
    /// it.
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    pub preset: Option<String>,
    /// Durations to wait for, such as 100us,10ms.
    #[serde(rename = "durations_ns", with = "ns_list")]
    #[schemars(with = "Vec<u64>")]
    #[arg(long, value_name = "DURATION", value_delimiter = ',')]
    #[arg(value_parser = parse_duration, allow_hyphen_values = true)]
    pub wait: Vec<Duration>,
    /// Waits of each method and duration, such as 500 or 1e6.
    #[arg(long, value_name = "N", value_parser = parse_count, allow_hyphen_values = true)]
    pub count: Option<u64>,
    /// Wait for the deadlines of a fixed grid with this period instead, such as 10ms or 144Hz.
    #[serde(rename = "period_ns", with = "ns")]
    #[schemars(with = "Option<u64>")]
    #[arg(long, value_name = "PERIOD", conflicts_with = "wait")]
    #[arg(value_parser = parse_period, allow_hyphen_values = true)]
    pub period: Option<Duration>,
    /// With --period, compute for this long in each period, as a game or a control loop does.
    #[serde(rename = "work_ns", with = "ns")]
    #[schemars(with = "Option<u64>")]
    #[arg(long, value_name = "DURATION", requires = "period")]
    #[arg(value_parser = parse_duration, allow_hyphen_values = true)]
    pub work: Option<Duration>,
    /// Time for each load, such as 10m or 2h.
    #[serde(rename = "time_ns", with = "ns")]
    #[schemars(with = "Option<u64>")]
    #[arg(long, value_name = "DURATION")]
    #[arg(value_parser = parse_duration, allow_hyphen_values = true)]
    pub duration: Option<Duration>,
    /// What runs alongside: none, low, low-nice, normal, high, io, memory, timers, print. Default:
    /// none; in an overview, none and normal.
    #[serde(rename = "loads")]
    #[arg(long, value_name = "LOAD", value_delimiter = ',')]
    pub load: Vec<Load>,
    /// Processes of a load. Default: one per CPU.
    #[arg(long, value_name = "N", value_parser = parse_count, allow_hyphen_values = true)]
    pub load_processes: Option<u64>,
    /// Run the high load with SCHED_FIFO at this priority (1 to 49) instead of its nice value.
    #[serde(rename = "load_fifo")]
    #[arg(long, value_name = "PRIORITY")]
    #[arg(value_parser = parse_whole::<u32>, allow_hyphen_values = true)]
    pub load_priority: Option<u32>,
    /// Let the high load take every CPU without a pause, so that nothing of a lower priority runs
    /// next to it (Windows).
    #[arg(long)]
    pub load_all_cpus: bool,
    /// Timer slacks of the waiting thread (Linux): 'default' or a duration.
    #[serde(rename = "slacks")]
    #[arg(long, value_name = "SLACK", value_delimiter = ',', allow_hyphen_values = true)]
    #[arg(default_value = "default,1ns")]
    #[arg(default_value_if("preset", ArgPredicate::IsPresent, "default"))]
    pub slack: Vec<Slack>,
    /// Slices that the waiting thread asks the scheduler for (Linux 6.12): 'default' or a duration
    /// from 100us to 100ms.
    #[always]
    #[serde(rename = "slices", skip_serializing_if = "are_default")]
    #[arg(long, value_name = "SLICE", value_delimiter = ',', allow_hyphen_values = true)]
    #[arg(default_value = "default")]
    pub slice: Vec<Slack>,
    /// Run a waiting thread on each CPU.
    #[arg(long, conflicts_with = "cpu")]
    pub all_cpus: bool,
    /// Run the waiting threads with SCHED_FIFO at this priority (Linux, 1 to 49, or 99 with
    /// --allow-high-priority), or at this class (Windows: normal, above, high, realtime).
    #[serde(rename = "fifo")]
    #[arg(long, value_name = "PRIORITY", allow_hyphen_values = true)]
    pub priority: Option<Priority>,
    /// Scheduling policies of the waiting threads, each with rows of its own (Linux): other, batch,
    /// idle, rr, fifo, deadline, ext. Those of real time take --priority, or 1.
    #[serde(rename = "policies")]
    #[arg(long, value_name = "POLICY", value_delimiter = ',')]
    pub policy: Vec<Policy>,
    /// Allow a --priority or --load-priority of 50 to 99, which the kernel's interrupt threads
    /// cannot interrupt.
    #[arg(long)]
    pub allow_high_priority: bool,
    /// Keep the CPUs out of deep idle states (/dev/cpu_dma_latency).
    #[arg(long)]
    pub keep_awake: bool,
    /// Stop at the first overshoot above this, and show what is known of that moment.
    #[serde(rename = "stop_above_ns", with = "ns")]
    #[schemars(with = "Option<u64>")]
    #[arg(long, value_name = "DURATION")]
    #[arg(value_parser = parse_duration, allow_hyphen_values = true)]
    pub stop_above: Option<Duration>,
    /// With --stop-above, write a mark into the kernel's trace at that moment, and stop tracing
    /// (tracefs, as root).
    #[arg(long, requires = "stop_above")]
    pub trace_marker: bool,
    /// Split each late wake-up into its causes, say who ran instead, and show the twenty worst.
    #[arg(long)]
    pub why: bool,
    /// With --why, record no names of the tasks that ran instead.
    #[arg(long, requires = "why")]
    pub no_names: bool,
    /// With `why`, do not look for those who ran instead; for programs that need the causes only.
    #[arg(skip)]
    pub no_culprits: bool,
}

impl WaitSpec {
    /// The real-time priority of waiting threads, if any of them have one.
    pub fn fifo(&self) -> Option<u32> {
        self.policies().into_iter().find_map(|policy| self.priority_of(policy))
    }

    /// The real-time priority of the threads with this policy, or with none of their own.
    pub fn priority_of(&self, policy: Option<Policy>) -> Option<u32> {
        let asked = match self.priority {
            Some(Priority::Fifo(priority)) => Some(priority),
            Some(Priority::Class(_)) | None => None,
        };
        match policy {
            None => asked,
            Some(Policy::Rr | Policy::Fifo) => Some(asked.unwrap_or(1)),
            Some(_) => None,
        }
    }

    /// The policies, each with rows of its own; `None`: that of the tool, or of its priority.
    pub fn policies(&self) -> Vec<Option<Policy>> {
        match &self.policy[..] {
            [] => vec![None],
            asked => asked.iter().copied().map(Some).collect(),
        }
    }
}

/// What is known of the moment of one overshoot.
#[record]
pub struct Moment {
    /// Seconds from the start of the run.
    pub at_s: f64,
    /// The overshoot, in nanoseconds.
    pub overshoot_ns: u64,
    /// The limit that it exceeded, in nanoseconds.
    pub limit_ns: u64,
    /// The CPU that the thread ran on when it had woken.
    pub cpu: Option<usize>,
    /// Length of the period before it that the counts below cover, in seconds.
    pub span_s: f64,
    /// Time stolen by the hypervisor from all CPUs in that period, in milliseconds.
    pub steal_ms: Option<f64>,
    /// How often the thread gave up its CPU in that period.
    pub voluntary_switches: Option<u64>,
    /// How often it was taken off its CPU in that period.
    pub involuntary_switches: Option<u64>,
    /// Frequency of the CPU just after, in kHz.
    pub khz: Option<u64>,
    /// Interrupts counted in that period on that CPU (on all CPUs if it is not known), most
    /// frequent first.
    pub interrupts: Vec<Interrupts>,
    /// Overshoots of the last waits, in nanoseconds, oldest first; the last is that of this moment.
    pub last_ns: Vec<i64>,
}

impl Moment {
    /// The moment of an overshoot, in nanoseconds, `at_s` seconds after the start; absent if it is
    /// not above the limit.
    pub fn above(limit: Duration, overshoot_ns: i64, at_s: f64) -> Option<Self> {
        let (limit_ns, overshoot_ns) = (ns::of(limit), u64::try_from(overshoot_ns).ok()?);
        let is_above = overshoot_ns > limit_ns;
        is_above.then(|| Self { at_s, overshoot_ns, limit_ns, ..Self::default() })
    }
}

/// A scheduling policy of Linux (sched(7)).
#[record(Names, Hash, PartialOrd, Ord)]
pub enum Policy {
    /// That of ordinary threads.
    #[default]
    Other,
    /// For threads that compute: they are woken a little later.
    Batch,
    /// For what nothing else wants.
    Idle,
    /// Real time in turns with others of the same priority.
    Rr,
    /// Real time until it blocks.
    Fifo,
    /// Real time with a budget in each period.
    Deadline,
    /// That of a scheduler in BPF, where one runs.
    Ext,
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|it| it.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("there is no policy '{text}': use one of {names}")
        })
    }
}

/// What a run of waits measures: what it was asked for, with a value for all that was left open. A
/// run is resumed from its plan.
#[record]
#[serde(default)]
pub struct Plan {
    /// The ids of the methods.
    #[always]
    pub methods: Vec<String>,
    /// The durations, loads, settings and limits. Ids, a preset and CPUs have become `methods` and
    /// `cpus`.
    #[serde(flatten)]
    pub spec: WaitSpec,
    /// The ids of the methods that are measured with other slices than the default, each with the
    /// last of its slacks only; absent: all of them.
    pub sliced: Vec<String>,
    /// The CPUs with one waiting thread each; empty: one thread that is not pinned.
    pub cpus: Vec<usize>,
    /// Whether the tool chose the methods, durations, loads and times: a selection for an overview.
    pub chosen: bool,
    /// How many methods of the catalogue exist on this system but are not in that selection.
    #[absent]
    pub left_out: u64,
}

/// A timer slack, or a scheduler's slice, of the waiting thread.
#[record]
pub enum Slack {
    /// The one that the thread has by default.
    #[default]
    Default,
    /// This many nanoseconds.
    Ns(u64),
}

impl Slack {
    /// Nanoseconds; `None` for the default.
    pub fn ns(self) -> Option<u64> {
        match self {
            Self::Default => None,
            Self::Ns(ns) => Some(ns),
        }
    }
}

impl FromStr for Slack {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "default" {
            return Ok(Self::Default);
        }
        let slack = parse_duration(text);
        let slack = slack.map_err(|error: ParseError| format!("{error}, or 'default'"))?;
        u64::try_from(slack.as_nanos()).map(Self::Ns).map_err(|_| "it is too long".into())
    }
}

/// Whether these slices are the one that a thread has anyway.
fn are_default(slices: &[Slack]) -> bool {
    matches!(slices, [] | [Slack::Default])
}

/// A duration as whole nanoseconds.
pub(crate) mod ns {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::time::Duration;

    pub fn of(duration: Duration) -> u64 {
        u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
    }

    pub fn serialize<S: Serializer>(ns: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        ns.map(of).serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Option<Duration>, D::Error> {
        Ok(Option::deserialize(from)?.map(Duration::from_nanos))
    }
}

/// Durations as whole nanoseconds.
mod ns_list {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::time::Duration;

    pub fn serialize<S: Serializer>(all: &[Duration], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(all.iter().copied().map(super::ns::of))
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<Duration>, D::Error> {
        Ok(Vec::deserialize(from)?.into_iter().map(Duration::from_nanos).collect())
    }
}

/// The priority of waiting threads, as `--priority` takes it.
#[record(Verbatim)]
#[serde(untagged)]
pub enum Priority {
    /// SCHED_FIFO at this priority (Linux).
    Fifo(u32),
    /// The priority class of the process (Windows).
    Class(Class),
}

/// A priority class of Windows that a run may ask for.
#[record(Names)]
pub enum Class {
    /// That of an ordinary program.
    Normal,
    /// Above normal.
    Above,
    /// High.
    High,
    /// Real-time, which takes a privilege.
    Realtime,
}

impl FromStr for Priority {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(class) = Class::ALL.into_iter().find(|c| c.name().eq_ignore_ascii_case(text)) {
            return Ok(Self::Class(class));
        }
        text.parse().map(Self::Fifo).map_err(|_| {
            let names = Class::ALL.map(Class::name).join(", ");
            format!("a priority is 1 to 49 (Linux), or one of {names} (Windows)")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slack_is_a_duration_or_the_default() {
        assert_eq!("default".parse(), Ok(Slack::Default));
        assert_eq!("1us".parse(), Ok(Slack::Ns(1_000)));
        assert!("none".parse::<Slack>().expect_err("no slack").ends_with("or 'default'"));
    }

    #[test]
    fn a_plan_has_the_keys_of_what_it_was_asked_for_next_to_its_own() {
        let plan = Plan {
            methods: vec!["rust/thread-sleep".into()],
            spec: WaitSpec {
                wait: vec![Duration::from_micros(50)],
                duration: Some(Duration::from_secs(7200)),
                load: vec![Load::None, Load::High],
                load_priority: Some(7),
                slack: vec![Slack::Default, Slack::Ns(1)],
                slice: vec![Slack::Default],
                priority: Some(Priority::Fifo(40)),
                stop_above: Some(Duration::from_millis(2)),
                ..WaitSpec::default()
            },
            cpus: vec![1],
            ..Plan::default()
        };
        let json = serde_json::json!({
            "methods": ["rust/thread-sleep"],
            "durations_ns": [50_000],
            "time_ns": 7_200_000_000_000u64,
            "loads": ["none", "high"],
            "load_fifo": 7,
            "slacks": ["default", {"ns": 1}],
            "fifo": 40,
            "stop_above_ns": 2_000_000,
            "cpus": [1],
        });
        assert_eq!(serde_json::to_value(&plan).expect("plain data"), json);
        let back: Plan = serde_json::from_value(json).expect("a plan");
        let spec = WaitSpec { slice: Vec::new(), ..plan.spec.clone() };
        assert_eq!(back, Plan { spec, ..plan });
    }

    #[test]
    fn a_priority_is_a_number_or_the_name_of_a_class() {
        assert_eq!("40".parse(), Ok(Priority::Fifo(40)));
        for class in Class::ALL {
            assert_eq!(class.name().parse(), Ok(Priority::Class(class)));
            let json = serde_json::to_string(&Priority::Class(class)).expect("a word");
            assert_eq!(json, format!("\"{}\"", class.name()));
        }
        let error = "hihg".parse::<Priority>().expect_err("no priority");
        assert!(error.contains("1 to 49") && error.contains("realtime"), "{error}");
    }
}
