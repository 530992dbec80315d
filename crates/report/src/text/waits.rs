//! How exactly one can wait: one table for each load.

use super::number::{count, percent, plural, short};
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use super::table::{Align, Cell, Column, Table};
use chronoscope_model::waits::{Load, Moment, StoppedBy, Wait};
use chronoscope_model::{Report, Ruler};

/// Columns from which on every statistic has room.
const WIDE: usize = 118;
/// Interrupts and samples that are shown of a moment.
const SHOWN: usize = 6;
const SAMPLES: usize = 12;

/// Every wait that was measured.
pub fn render(report: &Report, style: &Style) -> String {
    let mut screen = Screen::new(style);
    if !report.waits.iter().any(|w| w.samples > 0) {
        screen.paragraph("No wait was measured.");
    }
    for load in Load::ALL {
        let rows: Vec<&Wait> = report.waits.iter().filter(|w| w.load == load).collect();
        let measured: Vec<&Wait> = rows.iter().copied().filter(|w| w.samples > 0).collect();
        if measured.is_empty() {
            continue;
        }
        heading(&mut screen, load, &measured);
        screen.gap();
        screen.table(&table(&measured, style));
        if measured.iter().any(|w| w.grid.is_some()) {
            screen.gap();
            screen
                .paragraph("With the deadlines that were missed (coordinated omission corrected):");
            screen.table(&corrected(&measured));
        }
        remarks(&mut screen, &measured);
        for wait in &measured {
            if let Some(found) = &wait.moment {
                moment(&mut screen, wait, found);
            }
        }
    }
    unavailable(&mut screen, &report.waits, style);
    legend(&mut screen, report.ruler.as_ref(), &report.waits);
    screen.finish()
}

fn heading(screen: &mut Screen, load: Load, rows: &[&Wait]) {
    let about = match load {
        Load::None => "nothing of the tool's making runs beside",
        Load::Low => "computation at a lower priority on every CPU",
        Load::Normal => "computation at the same priority on every CPU",
        Load::High => "computation at a higher priority",
        Load::Io => "writes that are waited for, on every CPU",
        Load::Memory => "memory traffic on every CPU",
        Load::Timers => "a storm of timer interrupts on every CPU",
    };
    screen.heading(&format!("Waits, load {}", load.name()), about);
    if let Some(run) = rows.iter().find_map(|w| w.load_run.as_ref()) {
        let each: Vec<String> = run
            .processes
            .iter()
            .map(|p| format!("CPU {} {}", p.cpu, percent(p.cpu_s / run.seconds.max(1e-9))))
            .collect();
        screen.paragraph(&format!(
            "The load, {} ({}), got {:.2} CPUs for {:.1} s: {}.",
            plural(run.processes.len() as u64, "process", "processes"),
            clean(&run.scheduling),
            run.cpus(),
            run.seconds,
            each.join(", ")
        ));
        for note in &run.notes {
            screen.paragraph(&clean(note));
        }
    }
    let Some(first) = rows.first() else { return };
    let mut facts = Vec::new();
    if first.scheduling != "other" && !first.scheduling.is_empty() {
        facts.push(format!("scheduled {}", clean(&first.scheduling)));
    }
    if first.kept_awake {
        facts.push("CPUs kept from deep idle states (/dev/cpu_dma_latency)".to_owned());
    }
    let cpus: std::collections::BTreeSet<usize> = rows.iter().filter_map(|w| w.cpu).collect();
    if !cpus.is_empty() {
        let names: Vec<String> = cpus.iter().map(ToString::to_string).collect();
        facts.push(format!("pinned to CPU {}", names.join(", ")));
    }
    if !facts.is_empty() {
        screen.paragraph(&format!("{}.", facts.join("; ")));
    }
}

fn time(ns: f64) -> String {
    short(ns)
}

/// Whether rows differ in the processor that they were measured on.
fn several_cpus(rows: &[&Wait]) -> bool {
    rows.windows(2).any(|pair| pair[0].cpu != pair[1].cpu)
}

fn name(wait: &Wait, several: bool) -> String {
    match (several, wait.cpu) {
        (true, Some(cpu)) => format!("{} CPU {cpu}", method(wait)),
        _ => method(wait),
    }
}

/// The method's name, with what was asked of Windows' timer for it.
pub(super) fn method(wait: &Wait) -> String {
    match wait.timer_period_ms {
        Some(ms) => format!("{}+period({ms})", clean(&wait.id)),
        None => clean(&wait.id),
    }
}

fn slack(wait: &Wait) -> String {
    wait.slack_ns.map_or(String::new(), |ns| short(ns as f64))
}

fn table(rows: &[&Wait], style: &Style) -> Table {
    let wide = style.width >= WIDE || style.verbose;
    let missed = rows.iter().any(|w| w.grid.is_some());
    let right = |head: &str| Column::new(head, Align::Right);
    let mut columns = vec![
        Column::new("method", Align::Left).giving_way(18),
        right("slack").gap(1),
    ];
    if wide {
        columns.extend([right("waits"), right("min"), right("mean")]);
    }
    columns.push(right("p50").gap(1));
    if wide {
        columns.push(right("p90"));
    }
    columns.push(right("p99"));
    if wide {
        columns.push(right("p99.9"));
    }
    columns.extend([right("max"), right("early").gap(1), right("CPU").gap(1)]);
    if wide {
        columns.push(right("switches\nown/forced").gap(1));
    }
    if missed {
        columns.push(right("missed").gap(1));
    }
    let mut table = Table::new(columns);
    let several = several_cpus(rows);
    for ns in durations(rows) {
        let of_it = rows.iter().filter(|w| w.requested_ns == Some(ns));
        let samples: Vec<u64> = of_it.clone().map(|w| w.samples).collect();
        let what = if of_it.clone().any(|w| w.period_ns.is_some()) {
            "period"
        } else {
            "wait"
        };
        let (least, most) = (samples.iter().min(), samples.iter().max());
        let waits = match (least, most) {
            (Some(a), Some(b)) if a == b => format!("{} each", plural(*a, "wait", "waits")),
            (Some(a), Some(b)) => format!("{} to {} waits each", count(*a), count(*b)),
            _ => String::new(),
        };
        table.group(&format!("{what} {}", short(ns as f64)), &waits);
        for wait in of_it {
            table.row(cells(wait, wide, missed, several));
        }
    }
    table
}

fn durations(rows: &[&Wait]) -> Vec<u64> {
    let mut all: Vec<u64> = rows.iter().filter_map(|w| w.requested_ns).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn cells(wait: &Wait, wide: bool, missed: bool, several: bool) -> Vec<Cell> {
    let h = &wait.overshoot;
    // A percentile is the top of its bucket, which may lie above the largest value itself.
    let most = u64::try_from(wait.max_ns).unwrap_or(0);
    let ns = |n: u64| Cell::from(time(n.min(most) as f64));
    let mut cells: Vec<Cell> = vec![name(wait, several).into(), slack(wait).into()];
    if wide {
        cells.extend([
            count(wait.samples).into(),
            time(wait.min_ns as f64).into(),
            time(wait.mean_ns).into(),
        ]);
    }
    cells.push(ns(h.p50_ns));
    if wide {
        cells.push(ns(h.p90_ns));
    }
    cells.push(ns(h.p99_ns));
    if wide {
        cells.push(ns(h.p999_ns));
    }
    cells.push(time(wait.max_ns as f64).into());
    cells.push(match wait.early {
        0 => Cell::toned(Tone::Dim, "0"),
        n => Cell::toned(Tone::Bad, count(n)),
    });
    cells.push(wait.cpu_share.map_or(String::new(), percent).into());
    if wide {
        let of = |n: Option<u64>| n.map_or("-".into(), count);
        let both = format!(
            "{}/{}",
            of(wait.voluntary_switches),
            of(wait.involuntary_switches)
        );
        cells.push(both.into());
    }
    if missed {
        cells.push(
            wait.grid
                .as_ref()
                .map_or(String::new(), |g| count(g.missed))
                .into(),
        );
    }
    cells
}

fn corrected(rows: &[&Wait]) -> Table {
    let mut table = Table::new(vec![
        Column::new("method", Align::Left).giving_way(18),
        Column::new("slack", Align::Right).gap(1),
        Column::new("deadlines", Align::Right),
        Column::new("p50", Align::Right),
        Column::new("p90", Align::Right),
        Column::new("p99", Align::Right),
        Column::new("p99.9", Align::Right),
    ]);
    let several = several_cpus(rows);
    for wait in rows {
        let Some(grid) = &wait.grid else { continue };
        let h = &grid.corrected;
        let ns = |n: u64| Cell::from(time(n as f64));
        table.row(vec![
            name(wait, several).into(),
            slack(wait).into(),
            count(h.count).into(),
            ns(h.p50_ns),
            ns(h.p90_ns),
            ns(h.p99_ns),
            ns(h.p999_ns),
        ]);
    }
    table
}

fn remarks(screen: &mut Screen, rows: &[&Wait]) {
    let mut said = std::collections::BTreeSet::new();
    for wait in rows {
        for gap in &wait.gaps {
            let missed = match gap.missed {
                0 => String::new(),
                n => format!(", {}", plural(n, "deadline", "deadlines")),
            };
            screen.paragraph(&format!(
                "Gap: the process was {} and could not wait; it was back {:.1} s into the run, {} late{missed}. No sample \
                 of {}.",
                clean(&gap.cause),
                gap.at_s,
                short(gap.late_ns as f64),
                clean(&wait.id)
            ));
        }
        if wait.gaps_left_out > 0 {
            screen.paragraph(&format!(
                "{} more.",
                plural(wait.gaps_left_out, "gap", "gaps")
            ));
        }
        if let Some(why) = &wait.unavailable_reason {
            screen.paragraph(&format!("{} ended early: {}.", clean(&wait.id), clean(why)));
        }
        for note in &wait.notes {
            if said.insert(note) {
                screen.paragraph(&format!("{}.", clean(note)));
            }
        }
    }
}

fn moment(screen: &mut Screen, wait: &Wait, moment: &Moment) {
    screen.gap();
    screen.paragraph(&format!(
        "Stopped: {} overshot by {}, above the limit of {}, {:.3} s into the run.",
        clean(&wait.id),
        short(moment.overshoot_ns as f64),
        short(moment.limit_ns as f64),
        moment.at_s
    ));
    let unknown = || "not told by this system".to_owned();
    let interrupts: Vec<String> = moment
        .interrupts
        .iter()
        .take(SHOWN)
        .map(|i| format!("{} x {} ({})", count(i.count), clean(&i.id), clean(&i.name)))
        .collect();
    let last: Vec<String> = moment
        .last_ns
        .iter()
        .rev()
        .take(SAMPLES)
        .rev()
        .map(|ns| short(*ns as f64))
        .collect();
    let switches = moment.voluntary_switches.zip(moment.involuntary_switches);
    screen.facts(&[
        (
            "in the last".into(),
            format!("{:.2} s before it was noticed:", moment.span_s),
        ),
        (
            "CPU".into(),
            moment.cpu.map_or_else(unknown, |cpu| cpu.to_string()),
        ),
        (
            "frequency".into(),
            moment
                .khz
                .map_or_else(unknown, |khz| format!("{:.3} GHz", khz as f64 / 1e6)),
        ),
        (
            "steal".into(),
            moment
                .steal_ms
                .map_or_else(unknown, |ms| format!("{ms} ms of all CPUs")),
        ),
        (
            "switches".into(),
            switches.map_or_else(unknown, |(own, forced)| {
                format!("{own} own, {forced} forced")
            }),
        ),
        (
            "interrupts".into(),
            if interrupts.is_empty() {
                unknown()
            } else {
                interrupts.join("; ")
            },
        ),
        (
            "last waits".into(),
            format!(
                "{} (the last {} are in the JSON)",
                last.join(", "),
                moment.last_ns.len()
            ),
        ),
    ]);
}

fn unavailable(screen: &mut Screen, waits: &[Wait], style: &Style) {
    let absent: Vec<&Wait> = waits
        .iter()
        .filter(|w| w.samples == 0 && !w.available)
        .collect();
    if absent.is_empty() {
        return;
    }
    // One reason that holds for many is said once.
    let mut reasons: Vec<(&str, Load, Vec<&str>)> = Vec::new();
    for wait in &absent {
        let reason = wait
            .unavailable_reason
            .as_deref()
            .unwrap_or("no reason is told");
        match reasons
            .iter_mut()
            .find(|r| r.0 == reason && r.1 == wait.load)
        {
            Some(known) => known.2.push(&wait.id),
            None => reasons.push((reason, wait.load, vec![&wait.id])),
        }
    }
    let elsewhere = |reason: &str| reason.starts_with("exists on ");
    let hidden = reasons.iter().filter(|r| elsewhere(r.0) && !style.verbose);
    let hidden: usize = hidden.map(|r| r.2.len()).sum();
    screen.gap();
    for (reason, load, ids) in reasons.iter().filter(|r| style.verbose || !elsewhere(r.0)) {
        let whole_load = *load != Load::None && reason.starts_with("load ");
        let who = if whole_load {
            "Not measured".to_owned()
        } else {
            ids.iter()
                .map(|id| clean(id))
                .collect::<Vec<_>>()
                .join(", ")
        };
        screen.paragraph(&format!("{who}: {}.", clean(reason)));
    }
    if hidden > 0 {
        screen.paragraph(&format!(
            "{} of other systems; -v names them.",
            plural(hidden as u64, "method", "methods")
        ));
    }
}

fn legend(screen: &mut Screen, ruler: Option<&Ruler>, waits: &[Wait]) {
    let Some(first) = waits.iter().find(|w| w.samples > 0) else {
        return;
    };
    screen.gap();
    let ruler = ruler.map_or(String::new(), |r| {
        format!(
            " by {} at {} (error at most {:.2} ppm)",
            clean(&r.id),
            chronoscope_model::units::human_hz(r.hz),
            r.hz_error_ppm
        )
    });
    let clock = first.by_clock.as_ref().map_or(String::new(), |c| {
        format!(" The JSON has the same waits by {} too.", clean(&c.clock))
    });
    let single = if waits.iter().any(|w| w.period_ns.is_some()) {
        "Deadlines are those of a fixed grid."
    } else {
        "Single waits: each begins when the one before has ended."
    };
    screen.paragraph(&format!(
        "Overshoot: running again less the deadline{ruler}. early: waits that ended before it. CPU: of the waiting thread. \
         {single}{clock}"
    ));
    if waits.iter().any(|w| w.timer_period_ms.is_some()) {
        screen.paragraph(
            "+period(1): after timeBeginPeriod(1). slack: the period of the clock interrupt then, which other programs have \
             a say in.",
        );
    }
    if waits.iter().any(|w| w.stopped_by == StoppedBy::Interrupt) {
        screen.paragraph("The run was interrupted; this is what was measured until then.");
    }
}

#[cfg(test)]
#[path = "waits_tests.rs"]
mod tests;
