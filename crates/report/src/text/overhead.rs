//! What timing adds to a real loop.

use super::number::{count, estimate, plural, three};
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use super::table::{Align, Cell, Column, Table};
use chronoscope_model::{Estimate, Report};

/// The defaults of `SAMPLES N M`.
const DEFAULTS: [u64; 3] = [9999, 999, 999];

/// Of fewer samples not even the smallest and the largest hold the median with 95 %: both are on
/// one side of it in 2 of 2^n cases.
const FEWEST: u64 = 6;

/// What is shown of a turn: without timing, with it, and the difference.
pub(super) const ROWS: [&str; 3] = ["baseline", "timed", "overhead"];

/// Every clock's overhead.
pub fn render(report: &Report, style: &Style) -> String {
    let mut screen = Screen::new(style);
    if report.overhead.is_empty() {
        screen.paragraph("No overhead was measured.");
    }
    for overhead in &report.overhead {
        let clock = report.clocks.iter().find(|c| c.id == overhead.id);
        let call = clock.map_or(String::new(), |c| clean(&c.call));
        screen.heading(&clean(&overhead.id), &call);
        let asked = [overhead.samples, overhead.n, overhead.m];
        let defaults = if asked == DEFAULTS {
            " (the defaults)".to_owned()
        } else {
            let d = DEFAULTS.map(count);
            format!(" (the defaults are {} {} {})", d[0], d[1], d[2])
        };
        let until = if report.run.complete {
            "before the time was spent"
        } else {
            "before the run was interrupted"
        };
        let taken = match overhead.cut_short {
            Some(turns) => format!(
                "; not one was finished {until}, and the figures are of {} of it",
                plural(turns, "turn", "turns")
            ),
            None if overhead.taken < overhead.samples => {
                format!("; {} taken {until}", count(overhead.taken))
            }
            None => String::new(),
        };
        screen.paragraph(&format!(
            "{} of {}, each of which sums {}{defaults}{taken}.",
            plural(overhead.samples, "sample", "samples"),
            plural(overhead.n, "turn", "turns"),
            plural(overhead.m, "integer", "integers")
        ));
        screen.gap();
        let mut table = Table::new(vec![
            Column::new("a turn", Align::Left),
            Column::new("average\nns", Align::Decimal).gap(3),
            Column::new("median\nns", Align::Decimal).gap(3),
            Column::new(style.plus_minus(), Align::Left).gap(1),
        ]);
        let centres = [&overhead.baseline, &overhead.timed, &overhead.overhead];
        for (name, centre) in ROWS.into_iter().zip(centres) {
            let tone = |text: String| match name {
                "overhead" => Cell::toned(Tone::Strong, text),
                _ => text.into(),
            };
            let median = estimate(
                &Estimate {
                    value_ns: centre.median_ns,
                    low_ns: centre.low_ns,
                    high_ns: centre.high_ns,
                    ..Estimate::default()
                },
                style,
            );
            table.row(vec![
                tone(name.into()),
                tone(three(centre.average_ns)),
                tone(median.value),
                match overhead.taken {
                    0..FEWEST => Cell::from(""),
                    _ => Cell::toned(Tone::Dim, median.spread.replace(style.plus_minus(), "")),
                },
            ]);
        }
        screen.table(&table);
    }
    if !report.overhead.is_empty() {
        screen.gap();
        let interval = match report.overhead.iter().any(|o| o.taken >= FEWEST) {
            true => "half the 95 % interval of the median",
            false => "not told of so few samples",
        };
        let legend = format!(
            "timed: the same turn with two reads and a subtraction around it. overhead: timed less \
             baseline, sample by sample. {}: {interval}.",
            style.plus_minus()
        );
        screen.paragraph(&style.paint(Tone::Dim, &legend));
    }
    screen.finish()
}
