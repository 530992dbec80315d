//! The mean of many calls, of a few, and one alone, in three passes.

use super::number::{count, plural, short, three};
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use super::table::{Align, Column, Table};
use chronoscope_model::Report;

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
        let mut table = Table::new(vec![
            Column::new("pass", Align::Right),
            Column::new("by clock\ndelta1 ns", Align::Decimal).gap(3),
            Column::new("\ndelta2 ns", Align::Decimal),
            Column::new("\ndelta3 ns", Align::Decimal),
            Column::new("by ruler\ndelta1 ns", Align::Decimal).gap(4),
            Column::new("\ndelta2 ns", Align::Decimal),
            Column::new("\ndelta3 ns", Align::Decimal),
        ]);
        for (i, pass) in calls.passes.iter().enumerate() {
            let own = [pass.delta1_ns, pass.delta2_ns, pass.delta3_ns];
            let mut row = vec![(i + 1).to_string().into()];
            row.extend(own.iter().chain(&pass.ruler_ns).map(|&ns| three(ns).into()));
            table.row(row);
        }
        screen.table(&table);
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
