//! Why waits ended late: the causes for each row, the latest wake-ups of all, and who ran instead.

use super::{Labelled, durations, method_cell, name_with, setting, several_cpus, waits_of};
use crate::block::chart::{Hue, Share};
use crate::block::{Block, Cell, Text, Tone, Value};
use crate::late::{self, LEAST_SHARE};
use crate::number::{count, percent, plural, short};
use crate::section::{Detail, Rows, Spec, capitalized, columns, shown};
use chronoscope_model::Report;
use chronoscope_model::waits::{Load, Wait};
use chronoscope_model::why::{
    APART_NS, Cause, Culprit, EXAMINED_NS, Later, Part, WORST, Why, Worst,
};
use std::cmp::Reverse;

/// If there are at most this many rows, both the latest and all wake-ups are shown.
const FEW: usize = 6;
/// Wake-ups that are less late than this are on time.
const LEAST_NS: u64 = 1_000;
/// No more parts than this many are named.
const NAMED_CAUSES: usize = 4;

/// One line of the table: a wait, some of its wake-ups, and whether its CPU is part of its name.
type Line<'a> = (&'a Wait, &'a Later, bool);

/// What is known about the causes; nothing if the run did not ask for them.
pub(super) fn why(report: &Report, detail: Detail) -> Vec<Block> {
    let rows = rows_with_why(report);
    let both = detail == Detail::Everything || rows.len() <= FEW;
    let any = rows.iter().any(|(_, why)| why.examined > 0);
    let pages = if any { "; explain cause/NAME" } else { "" };
    let remark = Text::toned(Tone::Dim, format!("{}{pages}", explained(&rows)));
    why_blocks(&rows, both, detail, remark, false)
}

/// The same with the causes as parts of a bar.
pub(super) fn why_drawn(report: &Report) -> Vec<Block> {
    let rows = rows_with_why(report);
    let largest = largest(&rows).map_or(String::new(), |(cause, share)| {
        let share = percent(share);
        format!("{share} of the overshoot of the latest wake-ups is {}. ", cause.words())
    });
    let remark = format!("{largest}{}.", capitalized(&explained(&rows)));
    why_blocks(&rows, true, Detail::Full, remark.into(), true)
}

/// The rows that were asked why.
fn rows_with_why(report: &Report) -> Vec<(&Wait, &Why)> {
    waits_of(report).filter_map(|wait| Some((wait, wait.why.as_ref()?))).collect()
}

fn why_blocks(
    rows: &[(&Wait, &Why)],
    both: bool,
    detail: Detail,
    remark: Text,
    drawn: bool,
) -> Vec<Block> {
    if rows.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::remarked("Why waits ended late", remark)];
    let (lines, on_time) = causes_table(rows, both, detail, drawn);
    blocks.extend(lines);
    if on_time > 0 {
        let rows = plural(on_time, "more row was", "more rows were");
        let least = short(LEAST_NS as f64);
        blocks.push(Block::paragraph(format!("{rows} late by less than {least}.")));
    }
    blocks.extend(latest_wake_ups(rows, detail, drawn));
    blocks
}

/// The largest cause of the latest wake-ups of all rows together, and its share in their lateness.
fn largest(rows: &[(&Wait, &Why)]) -> Option<(Cause, f64)> {
    let tails: Vec<&Later> = rows.iter().filter_map(|(_, why)| why.tail()).collect();
    let late = tails.iter().map(|tail| tail.late_ns as f64).sum::<f64>();
    let of = |cause: Cause| {
        let ns = tails.iter().map(|tail| tail.share(cause) * tail.late_ns as f64).sum::<f64>();
        (cause, ns / late)
    };
    let all = Cause::ALL.iter().map(|cause| of(*cause));
    all.filter(|(_, share)| *share > 0.0).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// How far the parts explain the lateness.
fn explained(rows: &[(&Wait, &Why)]) -> String {
    let sum = |of: fn(&Why) -> u64| rows.iter().fold(0u64, |n, it| n.saturating_add(of(it.1)));
    let (examined, apart) = (sum(|why| why.examined), sum(|why| why.apart));
    if examined == 0 {
        return format!("no wait was late by {} or more", short(EXAMINED_NS as f64));
    }
    let share = (1.0 - apart as f64 / examined as f64).max(0.0);
    let lost = match sum(|why| why.lost) {
        0 => String::new(),
        n => format!("; {} lost", plural(n, "record was", "records were")),
    };
    format!(
        "{} {} late or more: the parts add up within {} in {}{lost}",
        plural(examined, "wake-up", "wake-ups"),
        short(EXAMINED_NS as f64),
        short(APART_NS as f64),
        percent(share),
    )
}

/// The table, and the number of rows that were on time.
fn causes_table(
    rows: &[(&Wait, &Why)],
    both: bool,
    detail: Detail,
    drawn: bool,
) -> (Option<Block>, u64) {
    let waits: Vec<&Wait> = rows.iter().map(|(wait, _)| *wait).collect();
    let several = several_cpus(&waits);
    let sliced = waits.iter().any(|wait| wait.slice_ns.is_some());
    let mut table = Rows::shown(causes_columns(sliced, drawn), detail);
    let mut on_time = 0;
    for load in Load::ALL {
        let of_it: Vec<&Wait> = waits.iter().copied().filter(|it| it.load == load).collect();
        for ns in durations(&of_it) {
            let mut group = match load {
                Load::None => Some(format!("wait {}", short(ns as f64))),
                load => Some(format!("wait {}, load {}", short(ns as f64), load.name())),
            };
            for (wait, why) in rows {
                if wait.load != load || wait.requested_ns != Some(ns) {
                    continue;
                }
                let (all, tail) = (why.all(), why.tail());
                let Some(tail) = tail.filter(|tail| tail.than_ns >= LEAST_NS) else {
                    on_time += 1;
                    continue;
                };
                if let Some(group) = group.take() {
                    table.group(group, "");
                }
                if let Some(all) = all.filter(|all| both && all.waits > tail.waits) {
                    table.row(&(*wait, all, several));
                }
                table.row(&(*wait, tail, several));
            }
        }
    }
    let table = table.table();
    ((!table.is_empty()).then_some(Block::Table(table)), on_time)
}

fn causes_columns<'a>(sliced: bool, drawn: bool) -> Vec<Spec<Line<'a>>> {
    columns! { (wait, later, several) in Line;
        "id" "method" [full whole_name] method_cell(&(wait, *several));
        "slack_ns" "slack" [full also_name right close] setting(wait.slack_ns);
        "slice_ns" "slice" [full_if(sliced) also_name right close] setting(wait.slice_ns);
        "later_than_ns" "later than" [full narrow("later\nthan") right] match later.than_ns {
            0 => Cell::ns(0.0).shown("all"),
            ns => Cell::whole_ns(ns),
        };
        "wake_ups" "wake-ups" [full right] Cell::count(later.waits);
        "late_ns" "late" [full right] Cell::ns(later.mean_ns());
        "causes" "causes" [full_if(!drawn) gives_way(20)] causes(&later.parts, later.late_ns);
        "" "causes" [full_if(drawn)] stack(&later.parts, later.late_ns);
    }
}

/// The method, with the slice of its thread if one was set.
fn sliced_name(wait: &Wait) -> Cell {
    Cell::code(&wait.id).shown(name_with(wait, None, false, ", "))
}

/// `61 % run queue, 20 % idle exit`.
fn causes(parts: &[Part], late_ns: u64) -> Cell {
    let share = |part: &Part| part.ns as f64 / late_ns.max(1) as f64;
    let large = parts.iter().filter(|part| share(part) >= LEAST_SHARE);
    let words = large.take(NAMED_CAUSES).map(|part| {
        let share = (share(part) * 100.0).round().min(100.0);
        format!("{share:.0} % {}", part.cause.words())
    });
    let words: Vec<String> = words.collect();
    Cell::text(words.join(", "))
}

/// The causes as parts of a bar, in the order in which they come after a deadline; a cause has the
/// same colour in every bar. Parts that exceed the lateness together are drawn smaller; their words
/// keep the figures.
fn stack(parts: &[Part], late_ns: u64) -> Cell {
    let all = parts.iter().fold(0f64, |sum, part| sum + part.ns as f64).max(late_ns as f64);
    let of = |cause: &Cause| {
        let of_it = parts.iter().filter(|part| part.cause == *cause);
        let ns = of_it.fold(0f64, |sum, part| sum + part.ns as f64);
        (ns > 0.0).then(|| Share {
            name: cause.words().into(),
            share: ns / all,
            hue: Hue::Part(*cause as usize),
            words: format!(
                "{} · {} · {}",
                cause.words(),
                short(ns),
                percent(ns / late_ns.max(1) as f64)
            ),
        })
    };
    let shares: Vec<Share> = Cause::ALL.iter().filter_map(of).collect();
    if shares.is_empty() { Cell::default() } else { Cell::new(Value::Stack(shares)) }
}

fn latest_wake_ups(rows: &[(&Wait, &Why)], detail: Detail, drawn: bool) -> Vec<Block> {
    let all = rows.iter().flat_map(|(wait, why)| why.worst.iter().map(|worst| (*wait, worst)));
    let mut all: Vec<Latest> = all.filter(|(_, worst)| worst.late_ns >= LEAST_NS).collect();
    all.sort_by_key(|(_, worst)| Reverse(worst.late_ns));
    all.truncate(WORST);
    if all.is_empty() {
        return Vec::new();
    }
    let mut columns = latest_columns(drawn);
    if all.iter().all(|(_, worst)| worst.culprits.is_empty() && worst.interrupts.is_empty()) {
        columns.retain(|spec| spec.column.head != RAN);
    }
    let title = match all.len() {
        1 => "The latest wake-up:".to_owned(),
        n => format!("The {} latest wake-ups:", count(n as u64)),
    };
    let mut blocks = vec![Block::legend(title)];
    blocks.push(shown(columns, detail, all));
    blocks.extend(ran_instead(rows, detail));
    blocks
}

/// The column that is left out if it is empty.
const RAN: &str = "ran instead";

type Latest<'a> = (&'a Wait, &'a Worst);

fn latest_columns<'a>(drawn: bool) -> Vec<Spec<Latest<'a>>> {
    columns! { (wait, it) in Latest;
        "late_ns" "late" [full right] Cell::whole_ns(it.late_ns);
        "causes" "causes" [full gives_way(20)] causes(&it.parts, it.late_ns);
        "" "causes" [full_if(drawn)] stack(&it.parts, it.late_ns);
        "ran_instead" "ran instead" [full gives_way(16)] ran_in_wake_up(it).or("");
        "at_s" "at" [full right] Cell::number(it.at_s).shown(format!("{:.3} s", it.at_s));
        "id" "method" [full gives_way(12)] sliced_name(wait);
        "requested_ns" "wait" [full right close] Cell::whole_ns(wait.requested_ns);
        "load" "load" [full more] Cell::text(wait.load.name());
        "cpu" "CPU" [full more] {
            let cpu = Cell::count(it.cpu.map(|cpu| cpu as u64));
            match (it.cpu, it.moved) {
                (Some(n), true) => cpu.shown(format!("{n}, moved")),
                _ => cpu,
            }
        };
        "idle" "idle state" [full more] Cell::words(it.idle.as_deref().map(late::safe)).or("");
    }
}

/// The latest wake-ups of a row, for programs that read tables.
pub(super) fn why_data<'a>() -> Vec<Spec<Labelled<'a>>> {
    fn tail(wait: &Wait) -> Option<&Later> {
        wait.why.as_ref()?.tail()
    }
    fn share(wait: &Wait, cause: Cause) -> Cell {
        Cell::some(tail(wait).map(|tail| tail.share(cause)), Value::Share)
    }
    columns! { (wait, _) in Labelled;
        "why_later_than_ns" "later than" [] Cell::count(tail(wait).map(|tail| tail.than_ns));
        "why_wake_ups" "wake-ups" [] Cell::count(tail(wait).map(|tail| tail.waits));
        "why_late_ns" "late" [] Cell::ns(tail(wait).map(Later::mean_ns));
        "why_timer_slack" "causes" [] share(wait, Cause::TimerSlack);
        "why_idle_exit" "causes" [] share(wait, Cause::IdleExit);
        "why_interrupt" "causes" [] share(wait, Cause::Interrupt);
        "why_run_queue" "causes" [] share(wait, Cause::RunQueue);
        "why_preempted" "causes" [] share(wait, Cause::Preempted);
        "why_throttled" "causes" [] share(wait, Cause::Throttled);
        "why_steal" "causes" [] share(wait, Cause::Steal);
        "why_below_kernel" "causes" [] share(wait, Cause::BelowKernel);
        "why_return" "causes" [] share(wait, Cause::Return);
        "why_runtime" "causes" [] share(wait, Cause::Runtime);
        "why_off_cpu" "causes" [] share(wait, Cause::OffCpu);
        "why_on_cpu" "causes" [] share(wait, Cause::OnCpu);
        "why_unknown" "causes" [] share(wait, Cause::Unknown);
        "ran_instead" "ran instead" [] ran_in_row(wait.why.as_ref());
    }
}

// Who ran instead of the threads that were late: for each of the latest wake-ups, and for the run.

/// The most tasks that a cell names, and that the table of a run has unless everything is shown.
const NAMED_TASKS: usize = 3;
const ROWS: usize = 10;
/// From this share of the latest lateness on, the hypervisor's part is spoken of.
const SEEN: f64 = 0.05;

/// The names of some of these tasks, the first ones, with their times if there are several.
fn culprit_names(culprits: &[Culprit], timed: bool) -> String {
    late::names(culprits, timed, |_, named| named <= NAMED_TASKS)
}

/// `run queue 1.84 ms: rustc, sh`; without tasks, the interrupts of that time.
fn ran_in_wake_up(worst: &Worst) -> Cell {
    let part = |cause: Cause| {
        let of_it = worst.parts.iter().filter(|part| part.cause == cause);
        let ns = of_it.map(|part| part.ns).fold(0, u64::saturating_add);
        (ns > 0).then(|| format!("{} {}", cause.words(), short(ns as f64)))
    };
    if !worst.culprits.is_empty() {
        let parts = [Cause::RunQueue, Cause::Preempted].into_iter().filter_map(part);
        let parts: Vec<String> = parts.collect();
        let names = culprit_names(&worst.culprits, false);
        return Cell::text(format!("{}: {names}", parts.join(", ")));
    }
    let interrupts = worst.interrupts.iter().take(NAMED_TASKS).map(|it| match it.ns {
        Some(ns) => format!("{} {}", late::interrupt(it), short(ns as f64)),
        None => format!("{} {}", late::safe(&it.id), count(it.count)),
    });
    let interrupts: Vec<String> = interrupts.collect();
    let some = (!interrupts.is_empty()).then(|| format!("interrupts: {}", interrupts.join(", ")));
    Cell::words(some)
}

/// The tasks of a row, for programs that read tables.
fn ran_in_row(why: Option<&Why>) -> Cell {
    let some = why.map(|why| &*why.culprits).filter(|culprits| !culprits.is_empty());
    Cell::words(some.map(|culprits| culprit_names(culprits, true)))
}

/// Who ran instead, over the whole run, and what is not visible from here.
fn ran_instead(rows: &[(&Wait, &Why)], detail: Detail) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut all = joined_culprits(rows);
    if !all.is_empty() {
        let most = if detail == Detail::Everything { all.len() } else { ROWS };
        let more = all.len().saturating_sub(most) as u64;
        all.truncate(most);
        blocks.push(Block::legend("Who ran instead:"));
        blocks.push(shown(culprit_columns(), detail, all));
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
fn joined_culprits(rows: &[(&Wait, &Why)]) -> Vec<Culprit> {
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

fn culprit_columns() -> Vec<Spec<Culprit>> {
    columns! { it in Culprit;
        "name" "ran instead" [full gives_way(12)] Cell::text(late::name(it));
        "pid" "pid" [full right close] match it.pid {
            0 => Cell::default(),
            pid if pid == it.tid => Cell::count(u64::from(pid)).shown(pid.to_string()),
            pid => Cell::count(u64::from(pid)).shown(format!("{pid}/{}", it.tid)),
        };
        "policy" "policy" [full more] {
            let priority = it.priority.map_or(String::new(), |priority| format!(" {priority}"));
            Cell::words(it.policy.as_deref().map(|policy| late::safe(policy) + &priority))
        };
        "wake_ups" "wake-ups" [full right] Cell::count(it.wake_ups);
        "ns" "time" [full right] Cell::new(Value::Ns(it.ns as f64)).shown(short(it.ns as f64));
        "known" "known" [full more] Cell::text(it.known.name());
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
            assert_eq!(ran_in_wake_up(&worst), Cell::text(shown.to_owned()));
        }
    }

    #[test]
    fn a_policy_is_quoted_and_cut_as_a_name_is() {
        let long = format!("SCHED_\u{202e},{}", "x".repeat(1_000));
        let table = |policy: &str| {
            let it = Culprit { policy: Some(policy.into()), priority: Some(40), ..named("sh") };
            let Block::Table(table) = shown(culprit_columns(), Detail::Everything, vec![&it])
            else {
                panic!("no table");
            };
            format!("{table:?}")
        };
        assert!(table("SCHED_FIFO").contains("\"SCHED_FIFO 40\""));
        let hostile = table(&long);
        assert!(!hostile.contains('\u{202e}') && !hostile.contains(&"x".repeat(65)));
    }

    #[test]
    fn the_rows_of_a_run_are_added_up() {
        let of = |culprits: Vec<Culprit>| Why { culprits, ..Why::default() };
        let (sh, other) = (named("sh"), Culprit { ns: 500, ..named("rustc") });
        let (first, second) = (of(vec![sh.clone(), other.clone()]), of(vec![sh.clone()]));
        let wait = Wait::default();
        let all = joined_culprits(&[(&wait, &first), (&wait, &second)]);
        assert_eq!(all, [Culprit { ns: 2_000, ..sh }, other]);
    }
}
