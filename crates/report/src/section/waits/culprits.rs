//! Who ran instead of the threads that were late: for each of the latest wake-ups, and for the run.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use crate::block::{Block, Cell, Value};
use crate::late;
use crate::number::{count, plural, short};
use chronoscope_model::waits::Wait;
use chronoscope_model::why::{Cause, Culprit, Why, Worst};
use std::cmp::Reverse;

/// The most tasks that a cell names, and that the table of a run has unless everything is shown.
const NAMED: usize = 3;
const ROWS: usize = 10;
/// From this share of the latest lateness on, the hypervisor's part is spoken of.
const SEEN: f64 = 0.05;

/// The names of some of these tasks, the first ones, with their times if there are several.
fn names(culprits: &[Culprit], timed: bool) -> String {
    late::names(culprits, timed, |_, named| named <= NAMED)
}

/// `run queue 1.84 ms: rustc, sh`; without tasks, the interrupts of that time.
pub(super) fn of_wake_up(worst: &Worst) -> Cell {
    let part = |cause: Cause| {
        let of_it = worst.parts.iter().filter(|part| part.cause == cause);
        let ns = of_it.map(|part| part.ns).fold(0, u64::saturating_add);
        (ns > 0).then(|| format!("{} {}", cause.words(), short(ns as f64)))
    };
    if !worst.culprits.is_empty() {
        let parts = [Cause::RunQueue, Cause::Preempted].into_iter().filter_map(part);
        let parts: Vec<String> = parts.collect();
        return Cell::text(format!("{}: {}", parts.join(", "), names(&worst.culprits, false)));
    }
    let interrupts = worst.interrupts.iter().take(NAMED);
    let interrupts: Vec<String> = interrupts
        .map(|it| match it.ns {
            Some(ns) => format!("{} {}", late::interrupt(it), short(ns as f64)),
            None => format!("{} {}", late::safe(&it.id), count(it.count)),
        })
        .collect();
    if interrupts.is_empty() {
        return Cell::default();
    }
    Cell::text(format!("interrupts: {}", interrupts.join(", ")))
}

/// The tasks of a row, for programs that read tables.
pub(super) fn of_row(why: Option<&Why>) -> Cell {
    let some = why.map(|why| &*why.culprits).filter(|culprits| !culprits.is_empty());
    Cell::words(some.map(|culprits| names(culprits, true)))
}

/// Who ran instead, over the whole run, and what is not visible from here.
pub(super) fn table(rows: &[(&Wait, &Why)], detail: Detail) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut all = joined(rows);
    if !all.is_empty() {
        let most = if detail == Detail::Everything { all.len() } else { ROWS };
        let more = all.len().saturating_sub(most) as u64;
        all.truncate(most);
        blocks.push(Block::legend("Who ran instead:"));
        blocks.push(Block::Table(Rows::shown(columns(), detail).of_all(&all)));
        if more > 0 {
            let them = plural(more, "other task", "other tasks");
            blocks.push(Block::paragraph(format!("{them} ran for less time: -v.")));
        }
    }
    let outside = |(_, why): &(&Wait, &Why)| {
        let tail = why.tail();
        tail.is_some_and(|it| it.share(Cause::Steal) + it.share(Cause::BelowKernel) >= SEEN)
    };
    if rows.iter().any(outside) {
        blocks.push(Block::paragraph(
            "What ran instead on the host (steal, below the kernel) is not visible from here.",
        ));
    }
    blocks
}

/// The tasks of all rows, the one with the most time first. A wake-up belongs to one row.
fn joined(rows: &[(&Wait, &Why)]) -> Vec<Culprit> {
    let mut all: Vec<Culprit> = Vec::new();
    for next in rows.iter().flat_map(|(_, why)| &why.culprits) {
        let with = |ns, wake_ups| Culprit { ns, wake_ups, ..next.clone() };
        if let Some(one) = all.iter_mut().find(|it| with(it.ns, it.wake_ups) == **it) {
            one.ns = one.ns.saturating_add(next.ns);
            one.wake_ups = one.wake_ups.saturating_add(next.wake_ups);
        } else {
            all.push(next.clone());
        }
    }
    all.sort_by_key(|it| Reverse(it.ns));
    all
}

fn columns() -> Vec<Spec<Culprit>> {
    columns! { it in Culprit;
        "name" "ran instead" [full gives_way(12)] Cell::text(late::name(it));
        "pid" "pid" [full right close] match it.pid {
            0 => Cell::default(),
            pid if pid == it.tid => Cell::count(u64::from(pid)).shown(pid.to_string()),
            pid => Cell::count(u64::from(pid)).shown(format!("{pid}/{}", it.tid)),
        };
        "policy" "policy" [full more] {
            let policy = it.policy.clone();
            let priority = it.priority.map_or(String::new(), |priority| format!(" {priority}"));
            Cell::words(policy.map(|policy| policy + &priority))
        };
        "wake_ups" "wake-ups" [full right] Cell::count(it.wake_ups);
        "ns" "time" [full right] Cell::new(Value::Ns(it.ns as f64)).shown(short(it.ns as f64));
        "known" "known" [full more] Cell::text(late::known(it.known));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::why::Interrupts;

    fn named(name: &str) -> Culprit {
        Culprit { name: Some(name.into()), pid: 7, tid: 7, ns: 1_000, ..Culprit::default() }
    }

    #[test]
    fn interrupts_have_their_time_if_it_was_seen() {
        let of = |id: &str, name: &str, ns| Interrupts {
            id: id.into(),
            name: name.into(),
            count: 3,
            ns,
        };
        let seen = Some(12_000);
        let seen =
            [of("24", "eth0", seen), of("NET_RX", "soft interrupt", seen), of("25", "a,", seen)];
        let counted = [of("24", "PCI-MSI eth0", None), of("LOC", "Local timer interrupts", None)];
        for (interrupts, shown) in [
            (&seen[..], "interrupts: eth0 12 us, NET_RX 12 us, \"a,\" 12 us"),
            (&counted, "interrupts: 24 3, LOC 3"),
        ] {
            let worst = Worst { interrupts: interrupts.to_vec(), ..Worst::default() };
            assert_eq!(of_wake_up(&worst), Cell::text(shown.to_owned()));
        }
    }

    #[test]
    fn the_rows_of_a_run_are_added_up() {
        let of = |culprits: Vec<Culprit>| Why { culprits, ..Why::default() };
        let (sh, other) = (named("sh"), Culprit { ns: 500, ..named("rustc") });
        let (first, second) = (of(vec![sh.clone(), other.clone()]), of(vec![sh.clone()]));
        let wait = Wait::default();
        let all = joined(&[(&wait, &first), (&wait, &second)]);
        assert_eq!(all, [Culprit { ns: 2_000, ..sh }, other]);
    }
}
