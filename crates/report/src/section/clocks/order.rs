//! Whether reads stay in their place: how early each was taken after work that it could overtake,
//! and what two threads saw that handed their values to each other.

use super::super::Detail;
use super::super::columns::{Of, Rows, column};
use super::terms;
use crate::block::{Block, Cell, Text, Tone};
use chronoscope_model::ordering::{Handed, Ordering, Work};
use chronoscope_model::{Clock, Report};

/// A clock and its tests.
type Tested<'a> = (&'a Clock, &'a Ordering);

/// The tests of every clock; nothing if none was tested.
pub(super) fn view(report: &Report) -> Vec<Block> {
    let clocks = report.clocks.iter();
    let tested: Vec<Tested> =
        clocks.filter_map(|clock| Some((clock, clock.ordering.as_ref()?))).collect();
    let Some((_, first)) = tested.first() else {
        return Vec::new();
    };
    let remark = Text::toned(Tone::Dim, "how early a read was taken, in ns");
    let mut blocks = vec![Block::remarked("Order of reads", remark)];
    let rows = Rows::shown(columns(), Detail::Full, &[]);
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
    blocks.push(Block::Legend(legend.into()));
    blocks
}

fn columns<'a>() -> Vec<Of<Tested<'a>>> {
    let early = |cell| column("", &terms::EARLY, cell).full(0).right();
    vec![
        column("", &terms::CLOCK, |(clock, _): &Tested| Cell::code(&clock.id)).full(0).name(12),
        early(|(_, seen): &Tested| after(seen, Work::Load)).head("after\nload"),
        early(|(_, seen): &Tested| after(seen, Work::LoadAndBranch)).head("after\nbranch").close(),
        early(|(_, seen): &Tested| after(seen, Work::Chain)).head("after\nchain").close(),
        column("", &terms::HANDED, |(_, seen): &Tested| {
            Cell::count(seen.handed.as_ref().map(|handed| handed.turns))
        })
        .full(0)
        .narrow("hand\novers")
        .right()
        .close(),
        column("", &terms::ORDER, |(_, seen): &Tested| {
            let cell = Cell::text(&seen.text);
            match seen.early().is_some() || seen.backwards().is_some() {
                true => cell.toned(Tone::Warn),
                false => cell,
            }
        })
        .full(0)
        .gives_way(20),
    ]
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
