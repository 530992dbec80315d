//! The comparison, as Markdown.

use super::chronoscope::{Cost, Ours};
use super::run::{IDS, Interval, Run};
use crate::results::{self, median};
use jiff::Timestamp;
use std::fmt::Write;

/// The part of docs/RESULTS.md.
pub fn part(ours: &[Ours], google: &[Run<f64>], criterion: Option<&Run<Interval>>) -> String {
    let mut text =
        String::from("## Cost of a read, compared with Google Benchmark and criterion\n\n");
    head(&mut text, &ours[0]);
    text += "\nNanoseconds per read. For Google Benchmark, this is the cheapest repetition of all \
             rounds, which ran at the highest frequency of the core and includes the loop. It is \
             compared with chronoscope's *raw* figure from its cheapest round, scaled to the \
             highest frequency that it saw. The last two columns are medians over the rounds, at \
             the usual frequency.\n\n\
             | clock | Google Benchmark | chronoscope, fastest | ratio | usual \
             | without the empty loop |\n\
             | --- | ---: | ---: | ---: | ---: | ---: |\n";
    let mut worst: f64 = 1.0;
    for id in IDS {
        let least = google.iter().filter_map(|run| run.of.get(id)).copied();
        let Some(least) = least.reduce(f64::min) else {
            continue;
        };
        let costs: Vec<_> = ours.iter().filter_map(|run| run.run.of.get(id).copied()).collect();
        let fastest = costs.iter().map(|cost| cost.fastest_ns).reduce(f64::min);
        let middle = |part: fn(&Cost) -> f64| median(costs.iter().map(part).collect());
        let (Some(fastest), Some(raw), Some(value)) =
            (fastest, middle(|c| c.raw_ns), middle(|c| c.value_ns))
        else {
            let _ = writeln!(text, "| `{id}` | {least:.2} | not measured | | | |");
            continue;
        };
        let ratio = fastest / least;
        worst = worst.max(ratio).max(1.0 / ratio);
        let _ = writeln!(
            text,
            "| `{id}` | {least:.2} | {fastest:.2} | {ratio:.3} | {raw:.2} | {value:.2} |"
        );
    }
    let worst = (worst - 1.0) * 100.0;
    let _ = writeln!(text, "\nAll figures are within {worst:.1} % of Google Benchmark's.");
    if let Some(criterion) = criterion {
        width(&mut text, ours, criterion);
    }
    text
}

/// The time that each tool took, and the half-widths of its intervals.
fn width(text: &mut String, ours: &[Ours], criterion: &Run<Interval>) {
    let time = median(ours.iter().map(|run| run.run.time.as_secs_f64()).collect()).unwrap_or(0.0);
    let theirs = criterion.time.as_secs_f64();
    let ratio = theirs / time;
    let _ = write!(
        text,
        "\nThe half-width of the 95 % interval. For the whole list, chronoscope took {time:.1} s; \
         criterion with its default settings took {theirs:.1} s, {ratio:.1} times as long.\n\n\
         | clock | chronoscope | criterion |\n| --- | ---: | ---: |\n",
    );
    for id in IDS {
        let costs = ours.iter().filter_map(|run| run.run.of.get(id));
        let ours = median(costs.map(|cost| cost.interval().percent()).collect());
        if let (Some(ours), Some(theirs)) = (ours, criterion.of.get(id)) {
            let theirs = theirs.percent();
            let _ = writeln!(text, "| `{id}` | ±{ours:.2} % | ±{theirs:.2} % |");
        }
    }
}

/// Machine, date and command.
fn head(text: &mut String, ours: &Ours) {
    let machine = results::machine(&ours.environment, &ours.ruler);
    let date = Timestamp::now().strftime("%F %H:%M UTC");
    let _ = writeln!(text, "`cargo experiments crosscheck`, {date}. {machine}.");
}
