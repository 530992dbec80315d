//! Why waits ended late: the causes for each row, and the latest wake-ups of all.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use super::culprits;
use super::rows::{Labelled, durations, method, name, setting, several_cpus, waits_of};
use crate::block::chart::{Hue, Share};
use crate::block::{Block, Cell, Text, Tone, Value};
use crate::late::LEAST_SHARE;
use crate::number::{count, percent, plural, short};
use chronoscope_model::Report;
use chronoscope_model::waits::{Load, Wait};
use chronoscope_model::why::{APART_NS, Cause, EXAMINED_NS, Later, Part, WORST, Why, Worst};

/// If there are at most this many rows, both the latest and all wake-ups are shown.
const FEW: usize = 6;
/// Wake-ups that are less late than this are on time.
const LEAST_NS: u64 = 1_000;
/// No more parts than this many are named.
const NAMED: usize = 4;

/// One line of the table: a wait, some of its wake-ups, and whether its CPU is part of its name.
type Line<'a> = (&'a Wait, &'a Later, bool);

/// What is known about the causes; nothing if the run did not ask for them.
pub(super) fn view(report: &Report, detail: Detail) -> Vec<Block> {
    let rows = asked(report);
    let both = detail == Detail::Everything || rows.len() <= FEW;
    let any = rows.iter().any(|(_, why)| why.examined > 0);
    let pages = if any { "; explain cause/NAME" } else { "" };
    let remark = Text::toned(Tone::Dim, format!("{}{pages}", explained(&rows)));
    blocks(&rows, both, detail, remark, false)
}

/// The same with the causes as parts of a bar.
pub(super) fn drawn(report: &Report) -> Vec<Block> {
    let rows = asked(report);
    let largest = largest(&rows).map_or(String::new(), |(cause, share)| {
        let share = percent(share);
        format!("{share} of the lateness of the latest wake-ups is {}. ", cause.words())
    });
    let words = explained(&rows);
    let remark = format!("{largest}{}{}.", words[..1].to_uppercase(), &words[1..]);
    blocks(&rows, true, Detail::Full, remark.into(), true)
}

/// The rows that were asked why.
fn asked(report: &Report) -> Vec<(&Wait, &Why)> {
    waits_of(report).filter_map(|wait| Some((wait, wait.why.as_ref()?))).collect()
}

fn blocks(
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
    let (lines, on_time) = table(rows, both, detail, drawn);
    blocks.extend(lines);
    if on_time > 0 {
        let rows = plural(on_time, "more row was", "more rows were");
        let least = short(LEAST_NS as f64);
        blocks.push(Block::paragraph(format!("{rows} late by less than {least}.")));
    }
    blocks.extend(worst(rows, detail, drawn));
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
fn table(rows: &[(&Wait, &Why)], both: bool, detail: Detail, drawn: bool) -> (Option<Block>, u64) {
    let waits: Vec<&Wait> = rows.iter().map(|(wait, _)| *wait).collect();
    let several = several_cpus(&waits);
    let sliced = waits.iter().any(|wait| wait.slice_ns.is_some());
    let mut table = Rows::shown(lines(sliced, drawn), detail);
    let (mut any, mut on_time) = (false, 0);
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
                any = true;
            }
        }
    }
    (any.then(|| Block::Table(table.table())), on_time)
}

fn lines<'a>(sliced: bool, drawn: bool) -> Vec<Spec<Line<'a>>> {
    columns! { (wait, later, several) in Line;
        "id" "method" [full whole_name] name(&(wait, *several));
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
    let mut name = method(wait);
    if let Some(ns) = wait.slice_ns {
        name += &format!(", slice {}", short(ns as f64));
    }
    Cell::code(&wait.id).shown(name)
}

/// `61 % run queue, 20 % idle exit`.
fn causes(parts: &[Part], late_ns: u64) -> Cell {
    let share = |part: &Part| part.ns as f64 / late_ns.max(1) as f64;
    let large = parts.iter().filter(|part| share(part) >= LEAST_SHARE);
    let words = large.take(NAMED).map(|part| {
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

fn worst(rows: &[(&Wait, &Why)], detail: Detail, drawn: bool) -> Vec<Block> {
    let all = rows.iter().flat_map(|(wait, why)| why.worst.iter().map(|worst| (*wait, worst)));
    let mut all: Vec<Latest> = all.filter(|(_, worst)| worst.late_ns >= LEAST_NS).collect();
    all.sort_by_key(|(_, worst)| std::cmp::Reverse(worst.late_ns));
    all.truncate(WORST);
    if all.is_empty() {
        return Vec::new();
    }
    let mut columns = latest(drawn);
    if all.iter().all(|(_, worst)| worst.culprits.is_empty() && worst.interrupts.is_empty()) {
        columns.retain(|spec| spec.column.head != RAN);
    }
    let title = match all.len() {
        1 => "The latest wake-up:".to_owned(),
        n => format!("The {} latest wake-ups:", count(n as u64)),
    };
    let mut blocks = vec![Block::legend(title)];
    blocks.push(Block::Table(Rows::shown(columns, detail).of_all(&all)));
    blocks.extend(culprits::table(rows, detail));
    blocks
}

/// The column that is left out if it is empty.
const RAN: &str = "ran instead";

type Latest<'a> = (&'a Wait, &'a Worst);

fn latest<'a>(drawn: bool) -> Vec<Spec<Latest<'a>>> {
    columns! { (wait, it) in Latest;
        "late_ns" "late" [full right] Cell::whole_ns(it.late_ns);
        "causes" "causes" [full gives_way(20)] causes(&it.parts, it.late_ns);
        "" "causes" [full_if(drawn)] stack(&it.parts, it.late_ns);
        "ran_instead" "ran instead" [full gives_way(16)] culprits::of_wake_up(it).or("");
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
        "idle" "idle state" [full more] Cell::words(it.idle.clone()).or("");
    }
}

/// The latest wake-ups of a row, for programs that read tables.
pub(super) fn columns<'a>() -> Vec<Spec<Labelled<'a>>> {
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
        "why_off_cpu" "causes" [] share(wait, Cause::OffCpu);
        "why_on_cpu" "causes" [] share(wait, Cause::OnCpu);
        "why_unknown" "causes" [] share(wait, Cause::Unknown);
        "ran_instead" "ran instead" [] culprits::of_row(wait.why.as_ref());
    }
}
