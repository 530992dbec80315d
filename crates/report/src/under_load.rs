//! What sections show of figures under loads, next to the undisturbed ones.

use crate::block::{Block, Cell, Text, Tone};
use crate::number::{percent, plural, short};
use chronoscope_model::Report;
use chronoscope_model::waits::{Load, LoadRun};

pub(crate) fn name(load: Option<Load>) -> &'static str {
    load.unwrap_or_default().name()
}

/// A figure as a multiple of the undisturbed one.
pub(crate) fn times(figure: Option<f64>, undisturbed: Option<f64>) -> Cell {
    let times = figure.zip(undisturbed).map(|(figure, undisturbed)| figure / undisturbed);
    let times = times.filter(|times| times.is_finite());
    Cell::number(times).said(times.map(|times| format!("{times:.2}")))
}

/// What each load of the report was and got, and how the measuring thread ran; nothing if it was
/// neither disturbed nor given a priority.
pub(crate) fn conditions(report: &Report) -> Vec<Block> {
    let ruler = report.ruler.as_ref();
    let mut text = Vec::new();
    if !report.load_runs.is_empty() {
        let cpu = ruler.and_then(|ruler| ruler.cpu);
        let cpu = cpu.map_or(String::new(), |cpu| format!(", on CPU {cpu}"));
        text.push(format!(
            "Measured one after the other, without a load first{cpu}. × none: as a multiple of the \
             figure without a load."
        ));
    }
    text.extend(ruler.and_then(|ruler| ruler.fifo).map(|priority| {
        format!(
            "The measuring thread ran with SCHED_FIFO {priority}, and slept now and then, as such \
             a thread must."
        )
    }));
    if text.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::legend(text.join(" "))];
    for run in &report.load_runs {
        blocks.extend(got(&format!("Load {}", run.load.name()), run));
    }
    blocks
}

/// What the processes of a load did, and the time that they used.
pub(crate) fn got(what: &str, run: &LoadRun) -> Vec<Block> {
    let each: Vec<String> = run
        .processes
        .iter()
        .map(|p| format!("CPU {} {}", p.cpu, percent(p.cpu_s / run.seconds.max(1e-9))))
        .collect();
    let mut blocks = vec![Block::paragraph(format!(
        "{what}, {} ({}), used {:.2} CPUs for {}: {}.{}",
        plural(run.processes.len() as u64, "process", "processes"),
        run.scheduling,
        run.cpus(),
        short(run.seconds * 1e9),
        each.join(", "),
        match run.about.as_str() {
            "" => String::new(),
            about => format!(" Each process {about}."),
        }
    ))];
    let loss = run.loss().map(|loss| Text::toned(Tone::Bad, format!("{loss}.")));
    blocks.extend(loss.map(Block::Paragraph));
    let notes = run.notes.iter();
    blocks.extend(notes.map(|note| Block::paragraph(format!("{note}."))));
    blocks
}
