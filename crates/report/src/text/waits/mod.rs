//! How exactly one can wait: one table for each load.

mod notes;
mod table;

pub(super) use table::method;

use super::number::{percent, plural, short};
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use chronoscope_model::waits::{Load, StoppedBy, Wait};
use chronoscope_model::{Report, Ruler};

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
        heading(&mut screen, load, &measured, style);
        screen.gap();
        for (nth, table) in table::overshoots(&measured, style).iter().enumerate() {
            if nth > 0 {
                screen.gap();
            }
            screen.table(table);
        }
        if measured.iter().any(|w| w.grid.is_some()) {
            screen.gap();
            screen
                .paragraph("With the deadlines that were missed (coordinated omission corrected):");
            for table in table::corrected(&measured, style) {
                screen.table(&table);
            }
        }
        notes::remarks(&mut screen, &measured);
        for wait in &measured {
            if let Some(found) = &wait.moment {
                notes::moment(&mut screen, wait, found);
            }
        }
    }
    notes::unavailable(&mut screen, &report.waits, style);
    legend(&mut screen, report.ruler.as_ref(), &report.waits);
    screen.finish()
}

fn heading(screen: &mut Screen, load: Load, rows: &[&Wait], style: &Style) {
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
            "The load, {} ({}), got {:.2} CPUs for {}: {}.",
            plural(run.processes.len() as u64, "process", "processes"),
            clean(&run.scheduling),
            run.cpus(),
            short(run.seconds * 1e9),
            each.join(", ")
        ));
        if let Some(loss) = run.loss() {
            screen.paragraph(&style.paint(Tone::Bad, &format!("{loss}.")));
        }
        for note in &run.notes {
            screen.paragraph(&format!("{}.", clean(note)));
        }
    }
    let Some(first) = rows.first() else { return };
    let mut facts = Vec::new();
    if first.scheduling != "other" && !first.scheduling.is_empty() {
        facts.push(format!("Scheduled {}", clean(&first.scheduling)));
    }
    if first.kept_awake {
        facts.push("CPUs kept from deep idle states (/dev/cpu_dma_latency)".to_owned());
    }
    let cpus: std::collections::BTreeSet<usize> = rows.iter().filter_map(|w| w.cpu).collect();
    if !cpus.is_empty() {
        let names: Vec<String> = cpus.iter().map(ToString::to_string).collect();
        facts.push(format!("Pinned to CPU {}", names.join(", ")));
    }
    if !facts.is_empty() {
        screen.paragraph(&format!("{}.", facts.join(". ")));
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
pub(super) mod tests;
