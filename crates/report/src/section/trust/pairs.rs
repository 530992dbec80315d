//! The offsets of the CPUs' counters.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use super::clocks::many;
use crate::block::{Block, Cell, Tone};
use crate::number::{plural, three};
use chronoscope_model::trust::{Offset, Pair, Trust};

/// The pairs that a screen shows: usually, and if everything is asked for.
const SHOWN: [usize; 2] = [12, 200];

type Row<'a> = (&'a Pair, &'a Offset);

pub(super) fn blocks(trust: &Trust, detail: Detail) -> Vec<Block> {
    let all = trust.matrix.pairs.iter();
    let mut rows: Vec<Row> =
        all.flat_map(|pair| pair.offsets.iter().map(move |offset| (pair, offset))).collect();
    let mut blocks = Vec::new();
    let most = match detail {
        Detail::Everything => SHOWN[1],
        _ => SHOWN[0],
    };
    let left = rows.len().saturating_sub(most);
    if left > 0 {
        // The pairs that are furthest out of step come first, then those known least well.
        let beyond = |row: &Row| row.1.offset_ns.abs() - row.1.uncertainty_ns;
        rows.sort_by(|a, b| {
            let bad = b.0.handed.backwards.cmp(&a.0.handed.backwards);
            bad.then(beyond(b).total_cmp(&beyond(a)))
        });
        rows.truncate(most);
    }
    if !rows.is_empty() {
        let remark = format!("by {}", trust.matrix.id);
        blocks.push(Block::noted("Offsets between CPUs", remark));
        blocks.push(Block::Table(Rows::shown(columns(), detail).of_all(&rows)));
    }
    if left > 0 {
        let text = format!(
            "{} are in step at least as well as the last of these.",
            plural(left as u64, "other", "others")
        );
        blocks.push(Block::paragraph(text));
    }
    if let Some(why) = &trust.matrix.left_out
        && trust.matrix.in_step().is_some()
    {
        blocks.push(Block::toned(Tone::Dim, format!("{why}.")));
    }
    blocks
}

fn columns<'a>() -> Vec<Spec<Row<'a>>> {
    columns! { (pair, offset) in Row;
        "" "pair of CPUs" [full also_name] {
            let [a, b] = pair.handed.cpus;
            Cell::text(format!("{a} and {b}"))
        };
        "" "page on\nnode" [full right] Cell::count(offset.node.map(|node| node as u64));
        "" "offset" [full unit("ns") right]
            Cell::number(offset.offset_ns)
                .shown(sign(offset.offset_ns))
                .toned_if(offset.differs(), Tone::Bad);
        "" "±" [full unit("ns") right]
            Cell::number(offset.uncertainty_ns);
        "" "hand-overs\nper second" [full right] {
            let pace = pair.per_second().map(|pace| pace.round() as u64);
            Cell::count(pace).said(pace.map(many))
        };
        "" "backwards" [full right]
            Cell::count(pair.handed.backwards).toned_if(pair.handed.backwards > 0, Tone::Bad);
    }
}

/// An offset with its sign, in whole nanoseconds: no uncertainty is smaller.
fn sign(ns: f64) -> String {
    match ns.round() {
        0.0 => "0".into(),
        some if some < 0.0 => format!("-{}", three(-some)),
        some => format!("+{}", three(some)),
    }
}
