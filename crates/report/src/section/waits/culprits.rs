//! Who ran instead of the threads that were late: for each of the latest wake-ups, and for the run.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use crate::block::{Block, Cell, Value};
use crate::number::{count, plural, short};
use chronoscope_model::waits::Wait;
use chronoscope_model::why::{Cause, Culprit, Known, Why, Worst};
use std::cmp::Reverse;

/// The most tasks that a cell names, and that the table of a run has unless everything is shown.
const NAMED: usize = 3;
const ROWS: usize = 10;
/// The most characters of a name: the kernel's own threads have up to 64 (Linux fs/proc/array.c,
/// `proc_task_name`).
const LONGEST: usize = 64;
/// From this share of the latest lateness on, the hypervisor's part is spoken of.
const SEEN: f64 = 0.05;

/// A task's name, as it is shown. Programs choose their names, so one with anything unusual in it
/// is quoted, with escapes.
fn name(culprit: &Culprit) -> String {
    match (&culprit.name, culprit.other_user, culprit.tid) {
        (Some(name), ..) => safe(name),
        (None, true, _) => format!("another user's {}", culprit.pid),
        (None, false, 0) => "not visible here".into(),
        (None, false, tid) => tid.to_string(),
    }
}

/// A name in a list of names, in quotes if it could be taken for something else.
fn safe(name: &str) -> String {
    let mut shown: String = name.chars().take(LONGEST).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    let plain = |c: char| c.is_alphanumeric() || " ./:_-+@#()[]…".contains(c);
    let ends = |c: char| c.is_alphanumeric() || c == '(' || c == '[';
    let usual = shown.starts_with(ends) && !shown.ends_with(' ') && shown.chars().all(plain);
    if usual { shown } else { format!("{shown:?}") }
}

/// The names of some of these tasks, the first ones, with their times if there are several.
fn names(culprits: &[Culprit], timed: bool) -> String {
    let each = culprits.iter().take(NAMED).map(|it| match timed {
        true => format!("{} {}", name(it), short(it.ns as f64)),
        false => name(it),
    });
    let mut words = each.collect::<Vec<_>>().join(", ");
    if culprits.len() > NAMED {
        words += &format!(", {} more", count((culprits.len() - NAMED) as u64));
    }
    let likely = culprits.iter().any(|it| it.known == Known::Likely);
    if likely { format!("likely {words}") } else { words }
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
            Some(ns) => format!("{} {}", safe(it.short_name()), short(ns as f64)),
            None => format!("{} {}", it.id, count(it.count)),
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
        "name" "ran instead" [full gives_way(12)] Cell::text(name(it));
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
        "known" "known" [full more] Cell::text(match it.known {
            Known::Seen => "seen",
            Known::Likely => "likely",
        });
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
    fn a_name_that_could_be_taken_for_something_else_is_quoted() {
        for usual in ["rustc", "kworker/1:2-events", "Web Content", "(sd-pam)", "größe", "a@b"] {
            assert_eq!(name(&named(usual)), usual);
        }
        for (odd, shown) in [
            ("a, b", "\"a, b\""),
            ("=cmd", "\"=cmd\""),
            ("", "\"\""),
            ("x\u{1b}[31m\n", "\"x\\u{1b}[31m\\n\""),
            ("a\u{202e}b", "\"a\\u{202e}b\""),
            ("<b>|`", "\"<b>|`\""),
            ("likely ", "\"likely \""),
        ] {
            assert_eq!(name(&named(odd)), shown);
        }
        let long = name(&named(&"ab".repeat(5_000)));
        assert_eq!(long.chars().count(), LONGEST + 1);
        let withheld = Culprit { name: None, other_user: true, ..named("") };
        assert_eq!(name(&withheld), "another user's 7");
        assert_eq!(name(&Culprit { other_user: false, ..withheld }), "7");
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
