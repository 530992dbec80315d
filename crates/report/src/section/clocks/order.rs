//! Whether reads stay in their place: how early each was taken after work that it could overtake,
//! and what two threads saw when they handed their values to each other.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use crate::block::{Block, Cell, Tone};
use chronoscope_model::ordering::{Handed, Ordering, Work};
use chronoscope_model::{Clock, Report};

type Tested<'a> = (&'a Clock, &'a Ordering);

/// The tests of every clock; nothing if none was tested.
pub(super) fn view(report: &Report) -> Vec<Block> {
    let clocks = report.clocks.iter();
    let tested: Vec<Tested> =
        clocks.filter_map(|clock| Some((clock, clock.ordering.as_ref()?))).collect();
    let Some((_, first)) = tested.first() else {
        return Vec::new();
    };
    let remark = "how early a read was taken, in ns";
    let mut blocks = vec![Block::noted("Order of reads", remark)];
    let rows = Rows::shown(columns(), Detail::Full);
    blocks.push(Block::Table(rows.of_all(&tested)));
    let hand_overs = match (&first.handed, &first.not_handed) {
        (Some(Handed { cpus: [a, b], .. }), _) => format!(" hand-overs: between CPUs {a} and {b}."),
        (None, Some(why)) => format!(" No hand-overs: {why}."),
        (None, None) => String::new(),
    };
    let lfence = match report.environment.cpu.lfence_serialises {
        Some(true) => " LFENCE always serialises here (CPUID 0x80000021 EAX[2] is 1).",
        Some(false) => {
            " CPUID 0x80000021 EAX[2] is 0: LFENCE serialises only if the kernel says so."
        }
        None => "",
    };
    let legend = format!(
        "after load: after a load that misses the cache, compared with a fenced read. after \
         branch: with a branch on that load. after chain: after a short arithmetic chain.\
         {hand_overs}{lfence}"
    );
    blocks.push(Block::legend(legend));
    blocks
}

fn columns<'a>() -> Vec<Spec<Tested<'a>>> {
    columns! { (clock, seen) in Tested;
        "" "clock" [full name(12)] Cell::code(&clock.id);
        "" "after\nload" [full right] after(seen, Work::Load);
        "" "after\nbranch" [full right close] after(seen, Work::LoadAndBranch);
        "" "after\nchain" [full right close] after(seen, Work::Chain);
        "" "hand-overs" [full narrow("hand\novers") right close]
            Cell::count(seen.handed.as_ref().map(|handed| handed.turns));
        "" "order" [full gives_way(20)] {
            let disorder = seen.early().is_some() || seen.backwards().is_some();
            Cell::text(&seen.text).toned_if(disorder, Tone::Warn)
        };
    }
}

/// How early the read was after this work: 0 if no more than fences and scatter explain.
fn after(seen: &Ordering, work: Work) -> Cell {
    let mut after = seen.after.iter();
    match after.find(|after| after.work == work) {
        Some(after) if after.tests() => {
            let early = after.early();
            let cell = Cell::number(Some(early.unwrap_or(0.0)));
            cell.shown(early.map_or("0".into(), |ns| format!("{ns:.0}")))
        }
        _ => Cell::default(),
    }
}
