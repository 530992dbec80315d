//! The mean of many calls, of a few, and one alone, in three passes.

use super::number::{count, plural, short, three};
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use super::table::{Align, Column, Table};
use chronoscope_model::Report;
use chronoscope_model::calls::Calls;

/// Every clock's passes.
pub fn render(report: &Report, style: &Style) -> String {
    let mut screen = Screen::new(style);
    if report.calls.is_empty() {
        screen.paragraph("No calls were measured.");
    }
    for calls in &report.calls {
        let clock = report.clocks.iter().find(|c| c.id == calls.id);
        let call = clock.map_or(String::new(), |c| clean(&c.call));
        screen.heading(&clean(&calls.id), &call);
        let nominal = match calls.nominal_ns {
            Some(ns) if ns.is_finite() => short(ns),
            _ => "unknown (the interface does not say)".into(),
        };
        let mut facts = vec![("nominal resolution".into(), nominal)];
        for (name, n) in ["delta1", "delta2", "delta3"].iter().zip(calls.counts) {
            if n > 0 {
                let of = match n {
                    1 => "one call alone".to_owned(),
                    n => format!("mean of {} calls", count(n)),
                };
                facts.push(((*name).to_owned(), of));
            }
        }
        screen.facts(&facts);
        screen.gap();
        let both = table(calls, &[By::Clock, By::Ruler]);
        if both.fits(style) {
            screen.table(&both);
        } else {
            screen.table(&table(calls, &[By::Clock]));
            screen.gap();
            screen.table(&table(calls, &[By::Ruler]));
        }
        if !report.run.complete {
            let passes = plural(calls.passes.len() as u64, "pass was", "passes were");
            let text = format!("{passes} finished before the run was interrupted.");
            screen.paragraph(&style.paint(Tone::Warn, &text));
        }
    }
    if !report.calls.is_empty() {
        screen.gap();
        let legend =
            "Nothing was printed between the calls, and the machine was left quiet before.";
        screen.paragraph(&style.paint(Tone::Dim, legend));
    }
    screen.finish()
}

/// Whose figures are shown.
#[derive(Clone, Copy)]
enum By {
    Clock,
    Ruler,
}

fn table(calls: &Calls, by: &[By]) -> Table {
    let mut columns = vec![Column::new("pass", Align::Right)];
    for by in by {
        let (head, gap) = match by {
            By::Clock => ("by clock\ndelta1 ns", 3),
            By::Ruler => ("by ruler\ndelta1 ns", 4),
        };
        columns.push(Column::new(head, Align::Decimal).gap(gap));
        columns.push(Column::new("\ndelta2 ns", Align::Decimal));
        columns.push(Column::new("\ndelta3 ns", Align::Decimal));
    }
    let mut table = Table::new(columns);
    for (i, pass) in calls.passes.iter().enumerate() {
        let mut row = vec![(i + 1).to_string().into()];
        for by in by {
            let figures = match by {
                By::Clock => [pass.delta1_ns, pass.delta2_ns, pass.delta3_ns],
                By::Ruler => pass.ruler_ns,
            };
            row.extend(figures.map(|ns| three(ns).into()));
        }
        table.row(row);
    }
    table
}
