//! The waits in short, for the main screen: one row a method, one column a duration.

use super::number::{percent, short};
use super::screen::Screen;
use super::table::{Align, Cell, Column, Table};
use super::waits::method;
use chronoscope_model::Report;
use chronoscope_model::waits::{Load, Wait};

/// The waits that were measured without load. Nothing where there are none.
pub(super) fn show(screen: &mut Screen<'_>, report: &Report) {
    let rows: Vec<&Wait> = report
        .waits
        .iter()
        .filter(|wait| wait.samples > 0 && wait.load == Load::None)
        .collect();
    let mut durations: Vec<u64> = rows.iter().filter_map(|wait| wait.requested_ns).collect();
    durations.sort_unstable();
    durations.dedup();
    let Some(middle) = durations.get(durations.len() / 2).copied() else {
        return;
    };
    let mut methods: Vec<(String, Option<u64>)> = Vec::new();
    for wait in &rows {
        let method = (method(wait), wait.slack_ns);
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    screen.heading(
        "Waits",
        "how late the thread runs again: the median, and the worst of all",
    );
    screen.gap();
    let right = |head: &str| Column::new(head, Align::Right);
    let mut columns = vec![
        Column::new("wait", Align::Left).giving_way(26),
        right("slack"),
    ];
    columns.extend(durations.iter().map(|ns| right(&short(*ns as f64))));
    columns.extend([
        right("worst"),
        right(&format!("CPU at\n{}", short(middle as f64))),
    ]);
    let mut table = Table::new(columns);
    for (id, slack) in &methods {
        let of = |ns: u64| {
            rows.iter()
                .find(|w| method(w) == *id && w.slack_ns == *slack && w.requested_ns == Some(ns))
        };
        let mut cells: Vec<Cell> = vec![
            id.clone().into(),
            slack.map_or(String::new(), |ns| short(ns as f64)).into(),
        ];
        for ns in &durations {
            cells.push(
                of(*ns)
                    .map_or("-".into(), |wait| {
                        short(wait.percentile(wait.overshoot.p50_ns) as f64)
                    })
                    .into(),
            );
        }
        let worst = durations
            .iter()
            .filter_map(|ns| of(*ns))
            .map(|wait| wait.max_ns)
            .max();
        cells.push(worst.map_or("-".into(), |ns| short(ns as f64)).into());
        let share = of(middle).and_then(|wait| wait.cpu_share);
        cells.push(share.map_or("-".into(), percent).into());
        table.row(cells);
    }
    screen.table(&table);
}
