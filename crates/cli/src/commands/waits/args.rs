//! What can be asked of a run of waits, and the plan that follows from it.

use crate::args::{Cli, Global, whole};
use crate::commands::Command;
use crate::select;
use chronoscope_measure::waits::{Plan, Slack};
use chronoscope_model::waits::Load;
use chronoscope_model::{Report, units};
use chronoscope_probes::machine::affinity;
use chronoscope_probes::waits::ALL;
use clap::Parser;
use std::path::PathBuf;
use std::time::Duration;

/// `chronoscope waits`
#[derive(clap::Args)]
pub struct Args {
    /// Ids of wait methods, whole, by prefix or by glob; all if absent.
    ids: Vec<String>,
    /// Durations to wait for, such as 100us,10ms.
    #[arg(long, value_name = "DURATION", value_delimiter = ',', value_parser = units::parse_duration, allow_hyphen_values = true)]
    wait: Vec<Duration>,
    /// Waits of each method and duration.
    #[arg(long, value_name = "N", value_parser = units::parse_count, allow_hyphen_values = true)]
    count: Option<u64>,
    /// Wait for the deadlines of a fixed grid of this period instead.
    #[arg(long, value_name = "DURATION", value_parser = units::parse_duration, allow_hyphen_values = true, conflicts_with = "wait")]
    period: Option<Duration>,
    /// Time for each load, such as 10m or 2h.
    #[arg(long, value_name = "DURATION", value_parser = units::parse_duration, allow_hyphen_values = true)]
    pub(super) duration: Option<Duration>,
    /// What runs beside: none, low, normal, high, io, memory, timers.
    #[arg(
        long,
        value_name = "LOAD",
        value_delimiter = ',',
        default_value = "none"
    )]
    load: Vec<Load>,
    /// Processes of a load; one for each CPU if absent.
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_hyphen_values = true)]
    load_processes: Option<usize>,
    /// Let the high load run by SCHED_FIFO at this priority (1 to 49), and not by its nice value.
    #[arg(long, value_name = "PRIORITY", value_parser = whole::<u32>, allow_hyphen_values = true)]
    load_priority: Option<u32>,
    /// Timer slacks of the waiting thread (Linux): 'default' or a duration.
    #[arg(long, value_name = "SLACK", value_delimiter = ',', default_value = "default,1ns", value_parser = slack, allow_hyphen_values = true)]
    slack: Vec<Slack>,
    /// One waiting thread on each CPU.
    #[arg(long, conflicts_with = "cpu")]
    all_cpus: bool,
    /// Let the waiting threads run by SCHED_FIFO at this priority (1 to 49).
    #[arg(long, value_name = "PRIORITY", value_parser = whole::<u32>, allow_hyphen_values = true)]
    priority: Option<u32>,
    /// Keep the CPUs from deep idle states by /dev/cpu_dma_latency.
    #[arg(long)]
    keep_awake: bool,
    /// End at the first overshoot above this, and tell what is known of that moment.
    #[arg(long, value_name = "DURATION", value_parser = units::parse_duration, allow_hyphen_values = true)]
    stop_above: Option<Duration>,
    /// Write the report into this file once a second, so that it outlives whatever ends the run.
    #[arg(long, value_name = "FILE")]
    pub(super) checkpoint: Option<PathBuf>,
    /// Go on with the run whose checkpoint this is, as it was asked for then.
    #[arg(long, value_name = "FILE", exclusive = true)]
    pub(super) resume: Option<PathBuf>,
    /// How the table is drawn.
    #[arg(long, value_enum, default_value_t, value_name = "STYLE")]
    pub(super) style: Style,
}

/// How the table is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Style {
    /// Overshoot with its percentiles.
    #[default]
    Table,
    /// MIN, AVG, MAX and MAX OVER in ticks of the reference.
    Seed,
}

/// The durations that are waited for where none are given.
const DURATIONS: [Duration; 6] = [
    Duration::from_micros(1),
    Duration::from_micros(10),
    Duration::from_micros(100),
    Duration::from_millis(1),
    Duration::from_millis(10),
    Duration::from_millis(100),
];
/// Waits of each where durations are given and no count.
const COUNT: u64 = 50;
/// Time for a load where nothing is given.
const BUDGET: Duration = Duration::from_secs(60);

fn slack(text: &str) -> Result<Slack, String> {
    if text == "default" {
        return Ok(Slack::Default);
    }
    let slack = units::parse_duration(text).map_err(|error| format!("{error}, or 'default'"))?;
    u64::try_from(slack.as_nanos())
        .map(Slack::Ns)
        .map_err(|_| "it is too long".into())
}

/// What the run of a report was asked for.
pub(super) fn asked(report: &Report) -> Result<(Args, Global), String> {
    let cli = Cli::try_parse_from(&report.run.argv).map_err(|error| {
        let text = error.to_string();
        format!(
            "its command line cannot be read: {}",
            text.lines().next().unwrap_or_default()
        )
    })?;
    match cli.command {
        Some(Command::Waits(args)) if args.resume.is_none() => Ok((*args, cli.global)),
        _ => Err("it is not the checkpoint of a run of waits".into()),
    }
}

pub(super) fn plan(
    args: &Args,
    cpu: Option<usize>,
    budget: Option<Duration>,
) -> anyhow::Result<Plan> {
    let methods = select::select("wait", ALL, |entry| entry.id, &args.ids)?;
    let allowed = affinity::allowed();
    let mut notes = Vec::new();
    let cpus = if args.all_cpus {
        let mut cpus = allowed.clone();
        if args.priority.is_some()
            && cpus.len() > 1
            && let Some(free) = cpus.pop()
        {
            notes.push(format!(
                "--all-cpus with --priority: no wait is measured on CPU {free}, since real-time threads leave one CPU to \
                 everybody else"
            ));
        }
        cpus
    } else {
        // The last one allowed: the first takes most interrupts on most machines.
        cpu.or(allowed.last().copied()).into_iter().collect()
    };
    let mut durations = args.wait.clone();
    durations.sort_unstable();
    durations.dedup();
    let given = !durations.is_empty() || args.period.is_some();
    if durations.is_empty() {
        durations = DURATIONS.to_vec();
    }
    let time = args.duration.or(budget);
    let count = args.count.or((given && time.is_none()).then_some(COUNT));
    let time = time.or(count.is_none().then_some(BUDGET));
    Ok(Plan {
        methods,
        slacks: once(&args.slack),
        durations,
        period: args.period,
        count,
        time,
        loads: once(&args.load),
        load_processes: args.load_processes,
        load_fifo: args.load_priority,
        cpus,
        fifo: args.priority,
        keep_awake: args.keep_awake,
        stop_above: args.stop_above,
        notes,
        ..Plan::default()
    })
}

/// What was named, in the order of its first mention: a row that is asked for twice is one row.
fn once<T: Clone + PartialEq>(named: &[T]) -> Vec<T> {
    let mut kept = Vec::with_capacity(named.len());
    for one in named {
        if !kept.contains(one) {
            kept.push(one.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(args: &[&str]) -> Plan {
        let line = [&["chronoscope", "waits", "rust/thread-sleep"], args].concat();
        let cli = Cli::try_parse_from(line).expect("a command line");
        match cli.command {
            Some(Command::Waits(args)) => plan(&args, None, None).expect("a plan"),
            _ => unreachable!("waits was asked for"),
        }
    }

    #[test]
    fn what_is_named_twice_is_measured_once_and_the_order_stays() {
        let plan = planned(&[
            "--load",
            "low,none,low,none",
            "--slack",
            "1ns,default,1ns",
            "--wait",
            "2ms,1ms,2ms",
        ]);
        assert_eq!(plan.loads, [Load::Low, Load::None]);
        assert_eq!(plan.slacks, [Slack::Ns(1), Slack::Default]);
        let ms = [1, 2].map(Duration::from_millis);
        assert_eq!(plan.durations, ms);
    }

    #[test]
    fn a_cpu_that_real_time_threads_leave_free_is_named() {
        let allowed = affinity::allowed();
        let plan = planned(&["--all-cpus", "--priority", "5"]);
        if let [rest @ .., free] = &allowed[..]
            && !rest.is_empty()
        {
            assert_eq!(plan.cpus, rest);
            assert!(
                plan.notes[0].contains(&format!("CPU {free}")),
                "{:?}",
                plan.notes
            );
        }
        let whole = planned(&["--all-cpus"]);
        assert_eq!((whole.cpus, whole.notes), (allowed, Vec::new()));
    }
}
