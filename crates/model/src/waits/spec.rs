//! What a run of waits was asked for, and the plan that the tool made of it.

use super::{Load, Priority};
use crate::units::{ParseError, parse_duration};
#[cfg(feature = "clap")]
use crate::units::{parse_count, parse_whole};
#[cfg(feature = "clap")]
use clap::builder::ArgPredicate;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::time::Duration;

/// What is asked of a run of waits: the options of `chronoscope waits`, under their names. The tool
/// chooses what is left at its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct WaitSpec {
    /// Ids, prefixes or globs of wait methods, such as python/sleep or node; '*' is all of every
    /// language. Default: an overview of a few in 20 s, or every method of C, C++ and Rust if an
    /// option below sets what to measure or for how long. Plain numbers are a wait in milliseconds
    /// and a count: 10 500.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// Measure every method of C, C++ and Rust, from 1 us to 100 ms, for a minute, and show the
    /// whole table.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "clap", arg(long))]
    pub all: bool,
    /// A known set of waits (windows-waits), drawn as its own table. Other options change parts of
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", conflicts_with = "all"))]
    pub preset: Option<String>,
    /// Durations to wait for, such as 100us,10ms.
    #[serde(rename = "durations_ns", with = "ns_list", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<u64>"))]
    #[cfg_attr(feature = "clap", arg(long, value_name = "DURATION", value_delimiter = ','))]
    #[cfg_attr(feature = "clap", arg(value_parser = parse_duration, allow_hyphen_values = true))]
    pub wait: Vec<Duration>,
    /// Waits of each method and duration, such as 500 or 1e6.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    #[cfg_attr(feature = "clap", arg(value_parser = parse_count, allow_hyphen_values = true))]
    pub count: Option<u64>,
    /// Wait for the deadlines of a fixed grid with this period instead.
    #[serde(rename = "period_ns", with = "ns", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    #[cfg_attr(feature = "clap", arg(long, value_name = "DURATION", conflicts_with = "wait"))]
    #[cfg_attr(feature = "clap", arg(value_parser = parse_duration, allow_hyphen_values = true))]
    pub period: Option<Duration>,
    /// Time for each load, such as 10m or 2h.
    #[serde(rename = "time_ns", with = "ns", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    #[cfg_attr(feature = "clap", arg(long, value_name = "DURATION"))]
    #[cfg_attr(feature = "clap", arg(value_parser = parse_duration, allow_hyphen_values = true))]
    pub duration: Option<Duration>,
    /// What runs alongside: none, low, low-nice, normal, high, io, memory, timers, print. Default:
    /// none; in an overview, none and normal.
    #[serde(rename = "loads", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "LOAD", value_delimiter = ','))]
    pub load: Vec<Load>,
    /// Processes of a load. Default: one per CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    #[cfg_attr(feature = "clap", arg(value_parser = parse_count, allow_hyphen_values = true))]
    pub load_processes: Option<u64>,
    /// Run the high load with SCHED_FIFO at this priority (1 to 49) instead of its nice value.
    #[serde(rename = "load_fifo", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "PRIORITY"))]
    #[cfg_attr(feature = "clap", arg(value_parser = parse_whole::<u32>))]
    #[cfg_attr(feature = "clap", arg(allow_hyphen_values = true))]
    pub load_priority: Option<u32>,
    /// Let the high load take every CPU without a pause, so that nothing of a lower priority runs
    /// next to it (Windows).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "clap", arg(long))]
    pub load_all_cpus: bool,
    /// Timer slacks of the waiting thread (Linux): 'default' or a duration.
    #[serde(rename = "slacks", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SLACK", value_delimiter = ','))]
    #[cfg_attr(feature = "clap", arg(default_value = "default,1ns", allow_hyphen_values = true))]
    #[cfg_attr(
        feature = "clap",
        arg(default_value_if("preset", ArgPredicate::IsPresent, "default"))
    )]
    pub slack: Vec<Slack>,
    /// Slices that the waiting thread asks the scheduler for (Linux 6.12): 'default' or a duration
    /// from 100us to 100ms.
    #[serde(rename = "slices", skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SLICE", value_delimiter = ','))]
    #[cfg_attr(feature = "clap", arg(default_value = "default", allow_hyphen_values = true))]
    pub slice: Vec<Slack>,
    /// Run a waiting thread on each CPU.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "cpu"))]
    pub all_cpus: bool,
    /// Run the waiting threads with SCHED_FIFO at this priority (Linux, 1 to 49, or 99 with
    /// --allow-high-priority), or at this class (Windows: normal, above, high, realtime).
    #[serde(rename = "fifo", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "PRIORITY"))]
    #[cfg_attr(feature = "clap", arg(allow_hyphen_values = true))]
    pub priority: Option<Priority>,
    /// Allow a --priority or --load-priority of 50 to 99, which the kernel's interrupt threads
    /// cannot interrupt.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "clap", arg(long))]
    pub allow_high_priority: bool,
    /// Keep the CPUs out of deep idle states (/dev/cpu_dma_latency).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "clap", arg(long))]
    pub keep_awake: bool,
    /// Stop at the first overshoot above this, and show what is known of that moment.
    #[serde(rename = "stop_above_ns", with = "ns", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    #[cfg_attr(feature = "clap", arg(long, value_name = "DURATION"))]
    #[cfg_attr(feature = "clap", arg(value_parser = parse_duration, allow_hyphen_values = true))]
    pub stop_above: Option<Duration>,
    /// With --stop-above, write a mark into the kernel's trace at that moment, and stop tracing
    /// (tracefs, as root).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "clap", arg(long, requires = "stop_above"))]
    pub trace_marker: bool,
    /// Split each late wake-up into its causes, say who ran instead, and show the twenty worst.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "clap", arg(long))]
    pub why: bool,
    /// With --why, record no names of the tasks that ran instead.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "clap", arg(long, requires = "why"))]
    pub no_names: bool,
    /// With `why`, do not look for those who ran instead; for programs that need the causes only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub no_culprits: bool,
}

impl WaitSpec {
    /// The priority of the waiting threads under SCHED_FIFO, if they have one.
    pub fn fifo(&self) -> Option<u32> {
        match self.priority? {
            Priority::Fifo(priority) => Some(priority),
            Priority::Class(_) => None,
        }
    }
}

/// What a run of waits measures: what it was asked for, with a value for all that was left open. A
/// run is resumed from its plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Plan {
    /// The ids of the methods.
    pub methods: Vec<String>,
    /// The durations, loads, settings and limits. Ids, a preset and CPUs have become `methods` and
    /// `cpus`.
    #[serde(flatten)]
    pub spec: WaitSpec,
    /// The ids of the methods that are measured with other slices than the default, each with the
    /// last of its slacks only; absent: all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sliced: Vec<String>,
    /// The CPUs with one waiting thread each; empty: one thread that is not pinned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<usize>,
    /// Whether the tool chose the methods, durations, loads and times: a selection for an overview.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub chosen: bool,
    /// How many methods of the catalogue exist on this system but are not in that selection.
    #[serde(skip_serializing_if = "super::is_zero")]
    pub left_out: u64,
}

/// A timer slack, or a scheduler's slice, of the waiting thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
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
fn is_default(slices: &[Slack]) -> bool {
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
}
