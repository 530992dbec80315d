//! The remarks on waits next to their tables.

use super::super::Detail;
use super::rows::{label, method};
use crate::block::{Block, Fact, Text, Tone};
use crate::number::{count, plural, short};
use crate::under_load;
use chronoscope_model::Report;
use chronoscope_model::waits::{Load, LoadRun, Moment, Wait, WholeTicks};
use std::collections::BTreeSet;

/// How many interrupts and how many earlier waits of a moment are shown.
const INTERRUPTS: usize = 6;
const WAITS: usize = 12;

/// The load next to rows: what its processes did, and the CPU time that they got.
pub(super) fn load(rows: &[&Wait]) -> Vec<Block> {
    let run = rows.iter().find_map(|wait| wait.load_run.as_ref());
    run.map_or(Vec::new(), |run| under_load::got("The load", run))
}

/// How many rows that took whole ticks are named.
const TICKS: usize = 4;

/// What happened to rows during their waits.
pub(super) fn view(rows: &[&Wait]) -> Vec<Block> {
    let mut blocks: Vec<Block> = throttled(rows).map(Block::paragraph).into_iter().collect();
    blocks.extend(whole_ticks(rows));
    // A line above the table reports that the load was incomplete.
    let run = rows.iter().find_map(|wait| wait.load_run.as_ref());
    let loss = run.and_then(LoadRun::loss);
    let mut said: BTreeSet<&String> = loss.iter().collect();
    for wait in rows {
        for gap in &wait.gaps {
            let missed = match gap.missed {
                0 => String::new(),
                n => format!(" and missed {}", plural(n, "deadline", "deadlines")),
            };
            blocks.push(Block::paragraph(format!(
                "Gap: the process was {} and could not wait. {:.1} s into the run it ran again, {} \
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
            method(wait),
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
    // A reason that many share is given once.
    let mut reasons: Vec<(&str, Load, Vec<&str>)> = Vec::new();
    let shown = match detail {
        Detail::Everything => [here, elsewhere.clone()].concat(),
        _ => here,
    };
    for wait in shown {
        let reason = wait.unavailable_reason.as_deref().unwrap_or("no reason is known");
        let mut known = reasons.iter_mut();
        match known.find(|known| known.0 == reason && known.1 == wait.load) {
            Some(known) => known.2.push(&wait.id),
            None => reasons.push((reason, wait.load, vec![&wait.id])),
        }
    }
    let mut blocks: Vec<Block> = reasons
        .into_iter()
        .map(|(reason, load, ids)| {
            let whole_load = load != Load::None && reason.starts_with("load ");
            let what = if whole_load { "Not measured".to_owned() } else { ids.join(", ") };
            Block::paragraph(format!("{what}: {reason}."))
        })
        .collect();
    // The method has a row for each load that was measured.
    let hidden: BTreeSet<&str> = elsewhere.iter().map(|wait| wait.id.as_str()).collect();
    let hidden = hidden.len() as u64;
    if hidden > 0 && detail != Detail::Everything {
        let methods = plural(hidden, "method exists", "methods exist");
        let text = Text::from(format!("{methods} only on other systems: see "))
            .and(Text::toned(Tone::Name, "chronoscope list waits"))
            .and(".");
        blocks.push(Block::Paragraph(text));
    }
    blocks
}
