//! The columns of waits, and the remarks next to their tables.

use super::{Labelled, durations, label, method_cell, name_with, setting, why};
use crate::block::chart::{Mark, What};
use crate::block::{Block, Cell, Fact, Rank, Text, Tone, Value};
use crate::number::{count, plural, short};
use crate::section::{Detail, Spec, by_key, columns, load_got};
use chronoscope_model::Report;
use chronoscope_model::quantile::Interval;
use chronoscope_model::quantile::Percentile::{self, P50, P90, P99, P999};
use chronoscope_model::trust::{Gap, Online};
use chronoscope_model::waits::{ByClock, Course, Energy, Load, LoadRun, Moment, Wait, WholeTicks};
use std::collections::BTreeSet;

/// What rows have that decides about their columns.
#[derive(Clone, Copy, Default)]
pub(super) struct Traits {
    pub(super) everything: bool,
    /// Some rows were measured with a slice that was set.
    pub(super) slice: bool,
    /// Some rows were measured in a control group that a CPU quota throttled.
    pub(super) throttled: bool,
    /// The rows waited for a grid of deadlines, and can have missed some.
    pub(super) grid: bool,
    /// The rows worked in each period, so the rate that they kept is what counts.
    pub(super) work: bool,
    /// The machine counted its energy.
    pub(super) energy: bool,
    /// Some waits were early, which is a defect.
    pub(super) early: bool,
    /// All rows waited for one duration, so that one strip shows how they are distributed.
    pub(super) strip: bool,
}

impl Traits {
    pub(super) fn of(rows: &[&Wait], detail: Detail) -> Self {
        Self {
            everything: detail == Detail::Everything,
            slice: rows.iter().any(|wait| wait.slice_ns.is_some()),
            throttled: rows.iter().any(|wait| wait.throttled.is_some_and(|it| it.periods > 0)),
            grid: rows.iter().any(|wait| wait.grid.is_some()),
            work: rows.iter().any(|wait| wait.work_ns.is_some()),
            energy: rows.iter().any(|wait| energy(wait, |it| it.watts).is_some()),
            early: rows.iter().any(|wait| wait.early > 0),
            strip: durations(rows).len() == 1,
        }
    }
}

pub(super) fn wait_columns<'a>(traits: Traits) -> Vec<Spec<Labelled<'a>>> {
    // Intervals are shown if there is room, or if the reader asks for everything.
    let interval = if traits.everything { Rank::More } else { Rank::Optional };
    // If no wait was early, the column gives up its place first.
    let defect = if traits.early { Rank::Primary } else { Rank::More };
    // A strip stands for the figures that it shows.
    let (figure_rank, shown) = match traits.strip {
        true => (Rank::More, Rank::More),
        false => (Rank::Spare, Rank::Primary),
    };
    let mut all = columns! { (wait, several) in Labelled;
        "id" "method" [full whole_name] method_cell(&(wait, *several));
        "load" "method" [] Cell::text(wait.load.name());
        "requested_ns" "method" [] Cell::count(wait.requested_ns);
        "period_ns" "method" [] Cell::count(wait.period_ns);
        "slack_ns" "slack" [full also_name right close] setting(wait.slack_ns);
        "slice_ns" "slice" [full_if(traits.slice) also_name right close] setting(wait.slice_ns);
        "timer_period_ms" "method" [] Cell::count(wait.timer_period_ms.map(u64::from));
        "timer_resolution_ns" "method" [] Cell::count(wait.timer_resolution_ns);
        "scheduling" "method" [] Cell::text(&wait.scheduling);
        "cpu" "method" [] Cell::count(wait.cpu.map(|cpu| cpu as u64));
        "available" "method" [] Cell::flag(wait.available);
        "unavailable_reason" "method" [] Cell::words(wait.unavailable_reason.clone());
        "waits" "waits" [full more right] Cell::count(wait.samples);
        "min_ns" "min" [full right rank(figure_rank) close] figure(wait, wait.min_ns as f64);
        "mean_ns" "mean" [full right rank(figure_rank) close] figure(wait, wait.mean_ns);
        "p50_ns" "p50" [full right close] Cell::whole_ns(wait.percentile(P50));
        "p50_low_ns" "p50 95 %" [] low(wait, P50);
        "p50_high_ns" "p50 95 %" [] high(wait, P50);
        "" "p50\n95 %" [full right rank(interval)] interval_cell(wait, P50);
        "p90_ns" "p90" [full right more] Cell::whole_ns(wait.percentile(P90));
        "p90_low_ns" "p90 95 %" [] low(wait, P90);
        "p90_high_ns" "p90 95 %" [] high(wait, P90);
        "" "p90\n95 %" [full right rank(interval)] interval_cell(wait, P90);
        "p99_ns" "p99" [full right rank(figure_rank)] Cell::whole_ns(wait.percentile(P99));
        "p99_low_ns" "p99 95 %" [] low(wait, P99);
        "p99_high_ns" "p99 95 %" [] high(wait, P99);
        "" "p99\n95 %" [full right rank(interval)] interval_cell(wait, P99);
        "p99_9_ns" "p99.9" [full right more] Cell::whole_ns(wait.percentile(P999));
        "p99_9_low_ns" "p99.9" [] low(wait, P999);
        "p99_9_high_ns" "p99.9" [] high(wait, P999);
        "max_ns" "max" [full right rank(shown)] figure(wait, wait.max_ns as f64);
        "std_dev_ns" "std dev" [full_if(traits.everything) right more] Cell::ns(wait.std_dev_ns());
        "max_var_ns" "max var" [full_if(traits.everything) right more]
            Cell::ns(wait.range_ns().map(|ns| ns as f64));
        "clock_mean_ns" "mean\nby clock" [full_if(traits.everything) right more]
            Cell::ns(by_clock(wait).map(|clock| clock.mean_ns));
        "clock_difference_ns" "clock\n- ruler" [full_if(traits.everything) right more]
            Cell::ns(wait.clock_difference_ns());
        "" "overshoot" [full_if(traits.strip)] strip_cell(wait, 0, "");
        "early" "early" [full right close rank(defect)] {
            let early = (wait.samples > 0).then_some(wait.early);
            Cell::count(early).toned(if wait.early > 0 { Tone::Bad } else { Tone::Dim })
        };
        "cpu_share" "CPU" [full right close] cpu(wait).or("");
        "cpu_ns" "CPU" [] Cell::number(wait.cpu_ns);
        "" "switches own/forced" [full narrow("switches\nown/forced") more right close] {
            let of = |n: Option<u64>| n.map_or("-".into(), count);
            let (own, forced) = (wait.voluntary_switches, wait.involuntary_switches);
            Cell::text(format!("{}/{}", of(own), of(forced)))
        };
        "wakeups_per_s" "wake-ups/s" [full_if(traits.everything) more right close]
            Cell::number(wait.wakeups_per_s())
                .said(wait.wakeups_per_s().map(|rate| format!("{rate:.0}")));
        "watts" "power" [full_if(traits.energy) right close] power(wait);
        "low_watts" "power" [] Cell::number(energy(wait, |it| it.low_watts));
        "high_watts" "power" [] Cell::number(energy(wait, |it| it.high_watts));
        "wait_uj" "power" [] Cell::number(energy(wait, |it| it.wait_uj));
        "voluntary_switches" "switches" [] Cell::count(wait.voluntary_switches);
        "involuntary_switches" "switches" [] Cell::count(wait.involuntary_switches);
        "missed" "missed" [full_if(traits.grid) right close]
            Cell::count(wait.grid.as_ref().map(|grid| grid.missed));
        "frames_per_s" "frames/s" [full_if(traits.work) right close] frames(wait);
        "work_ns" "work" [] Cell::count(wait.work_ns);
        "throttled_periods" "throttled" [full_if(traits.throttled) right close more]
            Cell::count(wait.throttled.map(|it| it.periods));
        "throttled_ns" "throttled" [] Cell::count(wait.throttled.map(|it| it.ns));
        "censored" "censored" [] Cell::count(wait.censored.as_ref().map(|it| it.count));
        "censored_late_ns" "censored" [] Cell::count(wait.censored.as_ref().map(|it| it.late_ns));
    };
    all.extend(why::why_data());
    all.extend(columns! { (wait, _) in Labelled;
        "notes" "method" [] Cell::text(wait.notes.join("; "));
    });
    all
}

/// The median, the 90th and the 99th percentile as far as there are waits for them, and the worst,
/// of a row with this name in the report of this number.
pub(super) fn strip_cell(wait: &Wait, of: usize, name: &str) -> Cell {
    // A logarithmic axis has no place for 0.
    let place = |ns: u64| ns.max(1) as f64;
    let largest = u64::try_from(wait.max_ns).unwrap_or(0);
    let mark = |(what, percentile): (What, Percentile)| {
        let ns = wait.percentile(percentile)?;
        let interval = wait.intervals.get(percentile);
        let low = interval.map_or(ns, |it| it.low_ns).min(ns);
        let high = interval.map_or(ns, |it| it.high_ns.unwrap_or(largest)).max(ns);
        let range = interval.map(|it| format!(", 95 %: {}", range_of(it))).unwrap_or_default();
        let words = format!("{name} · {} {}{range}", percentile.name(), short(ns as f64));
        Some(Mark::new(what, [low, ns, high].map(place), of, words))
    };
    let percentiles = [(What::Median, P50), (What::P90, P90), (What::P99, P99)];
    let mut marks: Vec<Mark> = percentiles.into_iter().filter_map(mark).collect();
    let words = format!("{name} · worst {}", short(wait.max_ns as f64));
    marks.push(Mark::new(What::Worst, [place(largest); 3], of, words));
    Cell::new(Value::Strip(marks))
}

/// A figure of a row; absent if nothing was measured, and not zero.
fn figure(wait: &Wait, ns: f64) -> Cell {
    Cell::ns((wait.samples > 0).then_some(ns))
}

/// The share of a CPU that a row used.
pub(super) fn cpu(wait: &Wait) -> Cell {
    Cell::some(wait.cpu_share, Value::Share).said(wait.cpu_words())
}

/// The frames per second of a grid. No period is shorter than a nanosecond.
pub(super) fn frames(wait: &Wait) -> Cell {
    let rate = wait.grid.as_ref().and_then(|grid| grid.frames_per_s);
    let rate = rate.filter(|rate| (0.0..=1e9).contains(rate));
    Cell::number(rate).said(rate.map(|rate| format!("{rate:.1}")))
}

fn energy(wait: &Wait, of: fn(&Energy) -> Option<f64>) -> Option<f64> {
    wait.energy.as_ref().and_then(of).filter(|value| value.is_finite())
}

/// The power that the machine drew, with its interval.
fn power(wait: &Wait) -> Cell {
    let watts = energy(wait, |it| it.watts);
    let ends = energy(wait, |it| it.low_watts).zip(energy(wait, |it| it.high_watts));
    let words = watts.zip(ends);
    let words = words.map(|(watts, (low, high))| format!("{watts:.2} W ({low:.2} to {high:.2})"));
    Cell::number(watts).said(words)
}

/// The waits by the clock that the system's timers run on, if there were any.
fn by_clock(wait: &Wait) -> Option<&ByClock> {
    wait.by_clock.as_ref().filter(|_| wait.samples > 0)
}

fn low(wait: &Wait, percentile: Percentile) -> Cell {
    Cell::count(wait.intervals.get(percentile).map(|it| it.low_ns))
}

fn high(wait: &Wait, percentile: Percentile) -> Cell {
    Cell::count(wait.intervals.get(percentile).and_then(|it| it.high_ns))
}

pub(super) fn interval_cell(wait: &Wait, percentile: Percentile) -> Cell {
    Cell::words(wait.intervals.get(percentile).map(range_of))
}

/// An interval in words: `24.1 to 28 us`, or `24.1 us to` if its end is not known.
fn range_of(interval: Interval) -> String {
    let (low, high) = (short(interval.low_ns as f64), interval.high_ns.map(|ns| short(ns as f64)));
    match (low.split_once(' '), high) {
        (_, None) => format!("{low} to"),
        (Some((number, unit)), Some(high)) if high.ends_with(&format!(" {unit}")) => {
            format!("{number} to {high}")
        }
        (_, Some(high)) => format!("{low} to {high}"),
    }
}

/// The columns of overshoots with those of missed deadlines.
pub(super) fn corrected_columns<'a>(traits: Traits) -> Vec<Spec<Labelled<'a>>> {
    columns! { (wait, several) in Labelled;
        "" "method" [full whole_name] method_cell(&(wait, *several));
        "" "slack" [full also_name right close] setting(wait.slack_ns);
        "" "slice" [full_if(traits.slice) also_name right close] setting(wait.slice_ns);
        "" "deadlines" [full right close more]
            Cell::count(wait.grid.as_ref().map(|grid| grid.corrected.count));
        "" "p50" [full right close] Cell::whole_ns(wait.corrected(P50));
        "" "p90" [full right close more] Cell::whole_ns(wait.corrected(P90));
        "" "p99" [full right close] Cell::whole_ns(wait.corrected(P99));
        "" "p99.9" [full right close] Cell::whole_ns(wait.corrected(P999));
    }
}

// The remarks on waits next to their tables.

/// How many interrupts and how many earlier waits of a moment are shown.
const INTERRUPTS: usize = 6;
const WAITS: usize = 12;

/// The load next to rows: what its processes did, and the CPU time that they got.
pub(super) fn load_remarks(rows: &[&Wait]) -> Vec<Block> {
    let run = rows.iter().find_map(|wait| wait.load_run.as_ref());
    run.map_or(Vec::new(), |run| load_got("The load", run))
}

/// How many rows that took whole ticks are named.
const TICKS: usize = 4;

/// What happened to rows during their waits.
pub(super) fn remarks(rows: &[&Wait]) -> Vec<Block> {
    let mut blocks: Vec<Block> = throttled(rows).map(Block::paragraph).into_iter().collect();
    blocks.extend(whole_ticks(rows));
    // A line above the table reports that the load was incomplete.
    let run = rows.iter().find_map(|wait| wait.load_run.as_ref());
    let loss = run.and_then(LoadRun::loss);
    let mut said: BTreeSet<&String> = loss.iter().collect();
    let mut loads = BTreeSet::new();
    let courses = rows.iter().filter_map(|wait| wait.course.as_ref());
    let courses = courses.filter(|course| loads.insert(&course.started));
    blocks.extend(courses.flat_map(dated).map(Block::paragraph));
    for wait in rows {
        for gap in &wait.gaps {
            let missed = match gap.missed {
                0 => String::new(),
                n => format!(", and had missed {}", plural(n, "deadline", "deadlines")),
            };
            blocks.push(Block::paragraph(format!(
                "Gap: the process was {} and could not wait. It ran again {:.1} s into the run, {} \
                 late{missed}. No sample of {} includes the gap.",
                gap.cause,
                gap.at_s,
                short(gap.late_ns as f64),
                wait.id
            )));
        }
        if wait.gaps_left_out > 0 {
            let more = plural(wait.gaps_left_out, "more gap", "more gaps");
            blocks.push(Block::paragraph(format!("{more}.")));
        }
        blocks.extend(censored(wait).map(Block::paragraph));
        if let Some(why) = &wait.unavailable_reason {
            blocks.push(Block::paragraph(format!("{} ended early: {why}.", wait.id)));
        }
        for note in &wait.notes {
            if said.insert(note) {
                blocks.push(Block::paragraph(format!("{note}.")));
            }
        }
    }
    blocks
}

/// What happened to a run and its machine: the latest times.
fn dated(course: &Course) -> Vec<String> {
    /// How many of each kind are shown.
    const SHOWN: usize = 8;
    let started = course.started.get(..19).unwrap_or(&course.started);
    let lines = |what: &str, gaps: &[Gap], more: &str| {
        let line = |gap: &Gap| {
            let [until, long] = [gap.at_s, gap.seconds].map(|s| short(s * 1e9));
            format!("{what} for {long}, until {until} after {started} UTC.{more}")
        };
        gaps.iter().rev().take(SHOWN).rev().map(line).collect::<Vec<_>>()
    };
    let changed = |Online { at_s, before, after }: &Online| {
        let at = short(at_s * 1e9);
        format!("The online CPUs changed from {before} to {after}, {at} after {started} UTC.")
    };
    let without = " No sample includes that.";
    [
        lines("The run was stopped", &course.stops, without),
        lines("The machine was suspended", &course.suspensions, without),
        course.cpus.iter().rev().take(SHOWN).rev().map(changed).collect(),
        lines("No checkpoint could be written", &course.unkept, ""),
    ]
    .concat()
}

/// Waits that the end of the run cut off.
fn censored(wait: &Wait) -> Option<String> {
    let it = wait.censored.as_ref()?;
    let waits = plural(it.count, "wait was", "waits were");
    let late = match it.late_ns {
        0 => ", before any deadline".to_owned(),
        ns => format!(
            ", up to {} after the deadline: the largest overshoot is at least that",
            short(ns as f64)
        ),
    };
    Some(format!("Censored: {waits} still in progress when the run ended{late} ({}).", label(wait)))
}

/// What a CPU quota throttled while rows were measured.
fn throttled(rows: &[&Wait]) -> Option<String> {
    let all = rows.iter().filter_map(|wait| wait.throttled);
    let (periods, ns) = all.fold((0u64, 0u64), |sum, it| {
        (sum.0.saturating_add(it.periods), sum.1.saturating_add(it.ns))
    });
    (periods > 0).then(|| {
        format!(
            "A CPU quota throttled this control group in {}, for {} of CPU time: waits and load \
             had to stop. Raise the quota (cpu.max) to measure the machine.",
            plural(periods, "period", "periods"),
            short(ns as f64)
        )
    })
}

/// The rows whose late waits took whole ticks of the system's timer.
pub(super) fn whole_ticks(rows: &[&Wait]) -> Vec<Block> {
    let found: Vec<_> = rows.iter().filter_map(|wait| Some((wait, wait.whole_ticks?))).collect();
    let line = |(wait, it): &(&&Wait, WholeTicks)| {
        let (tick, usual) = (it.tick_ns as f64 / 1e6, it.usual);
        Block::paragraph(format!(
            "{:.1} ms is {} of {} ms: of {} of {} by {}, {} took whole ticks.",
            usual as f64 * tick,
            plural(usual, "tick", "ticks"),
            (tick * 1e3).round() / 1e3,
            plural(it.late, "late wait", "late waits"),
            wait.requested_ns.map_or(String::new(), |ns| short(ns as f64)),
            name_with(wait, wait.slack_ns.filter(|_| wait.timer_period_ms.is_none()), false, " "),
            count(it.whole),
        ))
    };
    let more = found.len().saturating_sub(TICKS) as u64;
    let more = (more > 0).then(|| {
        Block::paragraph(format!("{} too.", plural(more, "other row does so", "other rows do so")))
    });
    found.iter().take(TICKS).map(line).chain(more).collect()
}

/// The conditions under which rows were measured: slack, slice, priority and power source.
pub(super) fn conditions(report: &Report, rows: &[&Wait]) -> Vec<String> {
    let of = |name: &str, default: &str, values: BTreeSet<(u64, bool)>| {
        let one = |(ns, is_default): &(u64, bool)| {
            format!("{}{}", short(*ns as f64), if *is_default { default } else { "" })
        };
        let values: Vec<String> = values.iter().map(one).collect();
        (!values.is_empty()).then(|| format!("{name} {}", values.join(" and ")))
    };
    let env = &report.environment;
    let windows = env.os.contains("Windows");
    let slacks = rows.iter().filter_map(|row| Some((row.slack_ns?, row.default_slack))).collect();
    let slices = rows.iter().filter_map(|row| match row.slice_ns {
        Some(ns) => Some((ns, false)),
        None => Some((row.default_slice_ns?, true)),
    });
    let slack = of(if windows { "timer period" } else { "slack" }, " (default)", slacks);
    let slice = of("slice", " (default)", slices.collect());
    let own = rows.iter().map(|row| row.scheduling.as_str()).find(|it| !it.is_empty());
    let priority = match own.and_then(|it| it.split_once(':')) {
        _ if rows.iter().any(|row| row.policy.is_some()) => {
            let all: BTreeSet<&str> = rows.iter().map(|row| row.scheduling.as_str()).collect();
            format!("policy {}", all.into_iter().collect::<Vec<_>>().join(" and "))
        }
        Some(("fifo", priority)) => format!("SCHED_FIFO {priority}"),
        Some((_, class)) => format!("priority class {class}"),
        None => match &env.power.priority_class {
            Some(class) => format!("priority class {class}"),
            None => "ordinary priority".into(),
        },
    };
    let virtual_one = if env.hypervisor.is_some() { " of this virtual machine" } else { "" };
    let power = match rows.iter().find_map(|row| row.power.as_deref()) {
        Some(source) => format!("on {source}"),
        None => format!("power source unknown: the system{virtual_one} reports none"),
    };
    // A real-time thread has neither slack nor slice, and what only spins has no slack.
    let fifo = priority.starts_with("SCHED_FIFO");
    let slice = slice.or((!fifo).then(|| "slice not reported".into()));
    slack.into_iter().chain(slice).chain([priority, power]).collect()
}

/// The overshoot that ended the run.
pub(super) fn moment(wait: &Wait, moment: &Moment) -> Vec<Block> {
    let stopped = format!(
        "Stopped: {} overshot by {}, above the limit of {}, {:.3} s into the run.",
        wait.id,
        short(moment.overshoot_ns as f64),
        short(moment.limit_ns as f64),
        moment.at_s
    );
    let fact = |name: &'static str, value: Option<String>| {
        Fact::new(name, value.unwrap_or("not reported by this system".into()))
    };
    let interrupts = moment.interrupts.iter().take(INTERRUPTS);
    let interrupts: Vec<String> =
        interrupts.map(|i| format!("{} x {} ({})", count(i.count), i.id, i.name)).collect();
    let held = moment.last_ns.len();
    let last = moment.last_ns.iter().skip(held.saturating_sub(WAITS));
    let last: Vec<String> = last.map(|ns| short(*ns as f64)).collect();
    let switches = moment.voluntary_switches.zip(moment.involuntary_switches);
    let noticed = format!("{} before it was noticed:", short(moment.span_s * 1e9));
    let last = format!("{} (the last {held} are in the JSON)", last.join(", "));
    let facts = vec![
        fact("in the last", Some(noticed)),
        fact("CPU", moment.cpu.map(|cpu| cpu.to_string())),
        fact("frequency", moment.khz.map(|khz| format!("{:.3} GHz", khz as f64 / 1e6))),
        fact("steal", moment.steal_ms.map(|ms| format!("{ms} ms, all CPUs together"))),
        fact("switches", switches.map(|(own, forced)| format!("{own} own, {forced} forced"))),
        fact("interrupts", (!interrupts.is_empty()).then(|| interrupts.join("; "))),
        fact("last waits", Some(last)),
    ];
    vec![Block::legend(stopped), Block::Facts(facts)]
}

pub(super) fn unavailable(waits: &[Wait], detail: Detail) -> Vec<Block> {
    let absent = waits.iter().filter(|wait| wait.samples == 0 && !wait.available);
    let (elsewhere, here): (Vec<&Wait>, Vec<&Wait>) = absent.partition(|wait| wait.elsewhere);
    let everything = detail == Detail::Everything;
    // The method has a row for each load that was measured.
    let hidden: BTreeSet<&str> = elsewhere.iter().map(|wait| wait.id.as_str()).collect();
    let hidden = hidden.len() as u64;
    let shown = here.into_iter().chain(elsewhere.into_iter().filter(|_| everything));
    // A reason that many share is given once.
    let reasons = by_key(shown.map(|wait| {
        let reason = wait.unavailable_reason.as_deref().unwrap_or("no reason is known");
        ((reason, wait.load), wait.id.as_str())
    }));
    let reasons = reasons.into_iter().map(|((reason, load), ids)| {
        let whole_load = load != Load::None && reason.starts_with("load ");
        let what = if whole_load { "Not measured".to_owned() } else { ids.join(", ") };
        Block::paragraph(format!("{what}: {reason}."))
    });
    let mut blocks: Vec<Block> = reasons.collect();
    if hidden > 0 && !everything {
        let methods = plural(hidden, "method exists", "methods exist");
        let text = Text::from(format!("{methods} only on other systems: see "))
            .and(Text::toned(Tone::Name, "chronoscope list waits"))
            .and(".");
        blocks.push(Block::Paragraph(text));
    }
    blocks
}
