//! What each clock did.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use crate::block::{Block, Cell, Part, Tone};
use crate::number::{count, three};
use chronoscope_model::clock::Grade;
use chronoscope_model::trust::{Contention, Trust, Watch};

/// A clock with what its reads cost by threads.
pub(super) type Row<'a> = (&'a Watch, Option<&'a Contention>);

pub(super) fn rows(trust: &Trust) -> impl Iterator<Item = Row<'_>> {
    trust.clocks.iter().map(|watch| {
        let mut all = trust.contention.iter();
        (watch, all.find(|one| one.id == watch.id))
    })
}

pub(super) fn blocks(trust: &Trust, detail: Detail) -> Vec<Block> {
    let rows: Vec<Row> =
        rows(trust).filter(|(watch, _)| watch.unavailable_reason.is_none()).collect();
    let mut blocks = Vec::new();
    if !rows.is_empty() {
        let table = Rows::shown(columns(), detail).parts(PARTS).of_all(&rows);
        blocks.push(Block::Table(table));
    }
    for watch in &trust.clocks {
        if let Some(why) = &watch.unavailable_reason {
            blocks.push(Block::paragraph(format!("{} is not available: {why}", watch.id)));
        }
    }
    blocks
}

const PARTS: &[Part] = &[
    Part { title: "Steps back", remark: "" },
    Part { title: "Cost of a read by threads", remark: "" },
];

pub(super) fn columns<'a>() -> Vec<Spec<Row<'a>>> {
    columns! { (watch, costs) in Row;
        "id" "watched clock" [full name(12)] Cell::code(&watch.id);
        "available" "watched clock" []
            Cell::flag(watch.unavailable_reason.is_none());
        "one_thread_tries" "one thread" []
            Cell::count(watch.one_thread.as_ref().map(|one| one.tries));
        "one_thread_backwards" "one thread" [full right]
            of(watch.one_thread.as_ref().map(|one| (one.violations, one.tries)));
        "moves" "moved" [] Cell::count(watch.migrating.as_ref().map(|moved| moved.moves));
        "moved_backwards" "moved" [full right]
            of(watch.migrating.as_ref().map(|moved| (moved.backwards, moved.moves)));
        "hand_overs" "handed over" [] Cell::count(watch.handed.as_ref().map(|handed| handed.turns));
        "handed_backwards" "handed over" [full narrow("handed\nover") right]
            {
            let handed = watch.handed.as_ref();
            let cell = of(handed.map(|handed| (handed.backwards, handed.turns)));
            // An unordered read may be early.
            let early = watch.unordered().is_some_and(|handed| handed.backwards > 0);
            if early { cell.toned(Tone::Warn) } else { cell }
        };
        "worst_ns" "worst" [full unit("ns") right]
            Cell::number((watch.backwards() > 0).then(|| watch.worst_ns()));
        "verdict" "trust" [full gives_way(14)] {
            let Some(verdict) = &watch.verdict else {
                return Cell::default();
            };
            let tone = match verdict.grade {
                Grade::Good => Tone::Good,
                Grade::Limited | Grade::Unknown => Tone::Warn,
                Grade::Avoid => Tone::Bad,
            };
            Cell::text(&verdict.text).toned(tone)
        };
        "one_thread_ns" "1 thread" [full part(1) unit("ns") decimal more] {
            let one = costs.and_then(|costs| costs.points.first());
            Cell::number(one.filter(|one| one.threads == 1).map(|one| one.ns))
        };
        "threads" "threads" [full part(1) right more]
            Cell::count(costs.and_then(|costs| Some(costs.points.last()?.threads as u64)));
        "all_threads_ns" "all threads" [full part(1) unit("ns") decimal more] {
            let most = costs.and_then(|costs| costs.points.last());
            Cell::number(most.filter(|most| most.threads > 1).map(|most| most.ns))
        };
        "contention_factor" "factor" [full part(1) right more]
            Cell::number(costs.and_then(Contention::factor));
    }
}

/// How many tries ran backwards, of how many: programs get the count, people both.
fn of(found: Option<(u64, u64)>) -> Cell {
    let Some((bad, tries)) = found else {
        return Cell::default();
    };
    let words = format!("{} of {}", count(bad), many(tries));
    Cell::count(bad).shown(words).toned_if(bad > 0, Tone::Bad)
}

/// A number of tries in few characters: `12.3M`.
pub(super) fn many(tries: u64) -> String {
    let scaled = tries as f64;
    match tries {
        0..10_000 => count(tries),
        10_000..1_000_000 => format!("{:.0}k", (scaled / 1e3).floor()),
        1_000_000..1_000_000_000 => format!("{}M", three((scaled / 1e4).floor() / 100.0)),
        _ => format!("{}G", three((scaled / 1e7).floor() / 100.0)),
    }
}
