//! The waits in brief: one row per method, one column per duration.

use super::rows::{durations, method, setting};
use crate::block::{Block, Cell, Column, Table, Value};
use crate::number::short;
use chronoscope_model::Report;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::waits::{Load, Wait};

/// The waits that were measured without load, by the last `most` methods of the report; nothing if
/// there are none.
pub(super) fn view(report: &Report, most: usize) -> Vec<Block> {
    let idle = |wait: &&Wait| wait.samples > 0 && wait.load == Load::None;
    let rows: Vec<&Wait> = report.waits.iter().filter(idle).collect();
    let durations: Vec<u64> = durations(&rows).into_iter().collect();
    let Some(middle) = durations.get(durations.len() / 2).copied() else {
        return Vec::new();
    };
    let mut methods: Vec<(String, Option<u64>, Option<u64>)> = Vec::new();
    for wait in &rows {
        let method = (method(wait), wait.slack_ns, wait.slice_ns);
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    methods.drain(..methods.len().saturating_sub(most));
    let mut items = Vec::new();
    for (id, slack, slice) in methods {
        let of = |ns: u64| {
            let mut rows = rows.iter().copied();
            rows.find(|wait| {
                method(wait) == id
                    && (wait.slack_ns, wait.slice_ns) == (slack, slice)
                    && wait.requested_ns == Some(ns)
            })
        };
        let mut cells = vec![
            Cell::code(&id).shown(match slice {
                Some(ns) => format!("{id}, slice {}", short(ns as f64)),
                None => id.clone(),
            }),
            setting(slack),
        ];
        let median = |wait: &Wait| wait.percentile(Percentile::P50);
        cells.extend(durations.iter().map(|at| Cell::whole_ns(of(*at).and_then(median))));
        let worst = durations.iter().filter_map(|ns| of(*ns)).map(|wait| wait.max_ns).max();
        cells.push(Cell::ns(worst.map(|ns| ns as f64)));
        let (share, words) = of(middle).map(|it| (it.cpu_share, it.cpu_words())).unzip();
        cells.push(Cell::some(share.flatten(), Value::Share).said(words.flatten()));
        items.push(cells.into());
    }
    let remark = format!(
        "overshoot: median for each duration, worst of all; CPU: for {}",
        short(middle as f64)
    );
    vec![
        Block::noted("Waits", remark),
        Block::Table(Table { columns: columns(&durations), items, ..Table::default() }),
    ]
}

fn columns(durations: &[u64]) -> Vec<Column> {
    let mut columns =
        vec![Column::new("wait").whole_name(), Column::new("slack").also_name().right()];
    columns.extend(durations.iter().map(|ns| Column::new(short(*ns as f64)).right()));
    columns.push(Column::new("worst").right());
    columns.push(Column::new("CPU").right());
    columns
}
