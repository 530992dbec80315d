//! The waits in brief: one row per method, one column per duration.

use super::durations;
use super::table::{method, ns};
use super::terms;
use crate::block::{Align, Block, Cell, Column, Item, Rank, Row, Table, Text, Tone, Value};
use crate::number::short;
use chronoscope_model::Report;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::waits::{Load, Wait};

/// The waits that were measured without load; nothing if there are none.
pub(super) fn view(report: &Report) -> Vec<Block> {
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
            slack.map_or(Cell::default().shown(""), |ns| Cell::ns(Some(ns as f64))),
        ];
        let median = |wait: &Wait| wait.percentile(Percentile::P50);
        cells.extend(durations.iter().map(|at| ns(of(*at).and_then(median))));
        let worst = durations.iter().filter_map(|ns| of(*ns));
        let worst = worst.map(|wait| wait.max_ns).max();
        cells.push(Cell::ns(worst.map(|ns| ns as f64)));
        let share = of(middle).and_then(|wait| wait.cpu_share);
        cells.push(Cell::some(share, Value::Share));
        items.push(Item::Row(Row { marked: false, cells }));
    }
    let remark = "overshoot: the median for each duration, and the worst of all";
    vec![
        Block::remarked("Waits", Text::toned(Tone::Dim, remark)),
        Block::Table(Table { columns: columns(&durations, middle), items, ..Table::default() }),
    ]
}

fn columns(durations: &[u64], middle: u64) -> Vec<Column> {
    let right = |column: Column| Column { align: Align::Right, ..column };
    let mut columns = vec![
        Column {
            head: "wait".into(),
            rank: Rank::Name,
            stacks: true,
            ..Column::new(&terms::METHOD)
        },
        Column { rank: Rank::Name, ..right(Column::new(&terms::SLACK)) },
    ];
    columns.extend(
        durations.iter().map(|ns| {
            right(Column { head: short(*ns as f64).into(), ..Column::new(&terms::MEDIAN) })
        }),
    );
    columns.extend([
        right(Column::new(&terms::WORST)),
        right(Column {
            head: format!("CPU at\n{}", short(middle as f64)).into(),
            ..Column::new(&terms::CPU)
        }),
    ]);
    columns
}
