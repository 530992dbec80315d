//! Why waits ended late: the causes for each row, and the latest wake-ups of all.

use super::super::Detail;
use super::super::columns::{Of, Rows, column};
use super::table::{Labelled, method, name, setting, several_cpus};
use super::{durations, terms, waits_of};
use crate::block::{Block, Cell, Text, Tone, Value};
use crate::number::{count, percent, plural, short};
use crate::term::{Term, WAITS};
use chronoscope_model::Report;
use chronoscope_model::waits::{Load, Wait};
use chronoscope_model::why::{APART_NS, Cause, EXAMINED_NS, Later, Part, WORST, Why, Worst};

/// Up to this many rows, both the latest wake-ups and all of them are shown.
const FEW: usize = 6;
/// Wake-ups that are less late than this are on time.
const LEAST_NS: u64 = 1_000;
/// Smaller parts are not named, and not more than this many.
const LEAST_SHARE: f64 = 0.02;
const NAMED: usize = 4;

/// One line of the table: a wait, some of its wake-ups, and whether its CPU is part of its name.
type Line<'a> = (&'a Wait, &'a Later, bool);

/// What is known of the causes; nothing if the run did not ask for them.
pub(super) fn view(report: &Report, detail: Detail) -> Vec<Block> {
    let rows: Vec<(&Wait, &Why)> =
        waits_of(report).filter_map(|wait| Some((wait, wait.why.as_ref()?))).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let both = detail == Detail::Everything || rows.len() <= FEW;
    let mut blocks = vec![Block::remarked("Why waits ended late", explained(&rows))];
    let (lines, on_time) = table(&rows, both, detail);
    blocks.extend(lines);
    if on_time > 0 {
        let rows = plural(on_time, "more row was", "more rows were");
        let least = short(LEAST_NS as f64);
        blocks.push(Block::paragraph(format!("{rows} late by less than {least}.")));
    }
    blocks.extend(worst(&rows, detail));
    blocks
}

/// How far the parts explain the lateness.
fn explained(rows: &[(&Wait, &Why)]) -> Text {
    let examined: u64 = rows.iter().map(|(_, why)| why.examined).sum();
    let apart: u64 = rows.iter().map(|(_, why)| why.apart).sum();
    let lost: u64 = rows.iter().map(|(_, why)| why.lost).sum();
    if examined == 0 {
        let late = short(EXAMINED_NS as f64);
        return Text::toned(Tone::Dim, format!("no wait was late by {late} or more"));
    }
    let share = 1.0 - apart as f64 / examined as f64;
    let lost = match lost {
        0 => String::new(),
        n => format!("; {} lost", plural(n, "record was", "records were")),
    };
    Text::toned(
        Tone::Dim,
        format!(
            "{} {}: the parts add up within {} in {}{lost}; explain cause/NAME",
            plural(examined, "wake-up", "wake-ups"),
            format_args!("{} late or more", short(EXAMINED_NS as f64)),
            short(APART_NS as f64),
            percent(share),
        ),
    )
}

/// The table, and the number of rows that were on time.
fn table(rows: &[(&Wait, &Why)], both: bool, detail: Detail) -> (Option<Block>, u64) {
    let waits: Vec<&Wait> = rows.iter().map(|(wait, _)| *wait).collect();
    let several = several_cpus(&waits);
    let sliced = waits.iter().any(|wait| wait.slice_ns.is_some());
    let mut table = Rows::shown(lines(sliced), detail, &[]);
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

fn lines<'a>(sliced: bool) -> Vec<Of<Line<'a>>> {
    let mut all = vec![
        column("id", &terms::METHOD, |(wait, _, several): &Line| name(&(wait, *several)))
            .full(0)
            .whole_name(),
        column("slack_ns", &terms::SLACK, |(wait, _, _): &Line| setting(wait.slack_ns))
            .full(0)
            .also_name()
            .right()
            .close(),
    ];
    if sliced {
        all.push(
            column("slice_ns", &terms::SLICE, |(wait, _, _): &Line| setting(wait.slice_ns))
                .full(0)
                .also_name()
                .right()
                .close(),
        );
    }
    all.extend([
        column("later_than_ns", &LATER, |(_, later, _): &Line| match later.than_ns {
            0 => Cell::ns(Some(0.0)).shown("all"),
            ns => Cell::ns(Some(ns as f64)),
        })
        .full(0)
        .narrow("later\nthan")
        .right(),
        column("wake_ups", &WAKE_UPS, |(_, later, _): &Line| Cell::count(Some(later.waits)))
            .full(0)
            .right(),
        column("late_ns", &LATE, |(_, later, _): &Line| Cell::ns(Some(later.mean_ns())))
            .full(0)
            .right(),
        column("causes", &CAUSES, |(_, later, _): &Line| causes(&later.parts, later.late_ns))
            .full(0)
            .gives_way(20),
    ]);
    all
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

/// The latest wake-ups of all rows.
fn worst(rows: &[(&Wait, &Why)], detail: Detail) -> Vec<Block> {
    let all = rows.iter().flat_map(|(wait, why)| why.worst.iter().map(|worst| (*wait, worst)));
    let mut all: Vec<Latest> = all.filter(|(_, worst)| worst.late_ns >= LEAST_NS).collect();
    all.sort_by_key(|(_, worst)| std::cmp::Reverse(worst.late_ns));
    all.truncate(WORST);
    if all.is_empty() {
        return Vec::new();
    }
    let title = match all.len() {
        1 => "The latest wake-up:".to_owned(),
        n => format!("The {} latest wake-ups:", count(n as u64)),
    };
    let table = Rows::shown(latest(), detail, &[]).of_all(&all);
    vec![Block::Legend(title.into()), Block::Table(table)]
}

/// A wait and one of its wake-ups.
type Latest<'a> = (&'a Wait, &'a Worst);

fn latest<'a>() -> Vec<Of<Latest<'a>>> {
    vec![
        column("late_ns", &LATE, |(_, it): &Latest| Cell::ns(Some(it.late_ns as f64)))
            .full(0)
            .right(),
        column("causes", &CAUSES, |(_, it): &Latest| causes(&it.parts, it.late_ns))
            .full(0)
            .gives_way(20),
        column("at_s", &AT, |(_, it): &Latest| {
            Cell::new(Value::Number(it.at_s)).shown(format!("{:.3} s", it.at_s))
        })
        .full(0)
        .right(),
        column("id", &terms::METHOD, |(wait, _): &Latest| sliced_name(wait)).full(0).gives_way(12),
        column("requested_ns", &terms::REQUESTED, |(wait, _): &Latest| {
            Cell::ns(wait.requested_ns.map(|ns| ns as f64))
        })
        .full(0)
        .right()
        .close(),
        column("load", &terms::LOAD, |(wait, _): &Latest| Cell::text(wait.load.name()))
            .full(0)
            .more(),
        column("cpu", &ON_CPU, |(_, it): &Latest| {
            let cpu = Cell::count(it.cpu.map(|cpu| cpu as u64));
            match (it.cpu, it.moved) {
                (Some(n), true) => cpu.shown(format!("{n}, moved")),
                _ => cpu,
            }
        })
        .full(0)
        .more(),
        column("idle", &IDLE, |(_, it): &Latest| match &it.idle {
            Some(state) => Cell::text(state.clone()),
            None => Cell::default().shown(""),
        })
        .full(0)
        .more(),
    ]
}

/// The latest wake-ups of a row, for programs that read tables.
pub(super) fn columns<'a>() -> Vec<Of<Labelled<'a>>> {
    fn tail(wait: &Wait) -> Option<&Later> {
        wait.why.as_ref()?.tail()
    }
    macro_rules! shares {
        ($($key:literal $cause:ident)*) => {
            vec![$(column($key, &CAUSES, |(wait, _): &Labelled| {
                let share = tail(wait).map(|tail| tail.share(Cause::$cause));
                Cell::some(share, Value::Share)
            }),)*]
        };
    }
    let mut all = vec![
        column("why_later_than_ns", &LATER, |(wait, _): &Labelled| {
            Cell::count(tail(wait).map(|tail| tail.than_ns))
        }),
        column("why_wake_ups", &WAKE_UPS, |(wait, _): &Labelled| {
            Cell::count(tail(wait).map(|tail| tail.waits))
        }),
        column("why_late_ns", &LATE, |(wait, _): &Labelled| {
            Cell::ns(tail(wait).map(Later::mean_ns))
        }),
    ];
    all.extend(shares! {
        "why_timer_slack" TimerSlack
        "why_idle_exit" IdleExit
        "why_interrupt" Interrupt
        "why_run_queue" RunQueue
        "why_preempted" Preempted
        "why_throttled" Throttled
        "why_steal" Steal
        "why_below_kernel" BelowKernel
        "why_return" Return
        "why_off_cpu" OffCpu
        "why_on_cpu" OnCpu
        "why_unknown" Unknown
    });
    all
}

pub(super) static LATER: Term = Term {
    names: &["later than", "later\nthan"],
    place: "column of waits --why",
    unit: "a duration",
    about: "The line is about wake-ups that were later than this: one in a hundred of the row, but \
            not fewer than five. 'all' is about every wake-up of the row.",
    how: "Lateness is the overshoot by the ruler. The limits are 1, 2 and 5 times a power of ten.",
    act: "The JSON has the same for every limit.",
    references: &[WAITS],
};

pub(super) static WAKE_UPS: Term = Term {
    names: &["wake-ups"],
    place: "column of waits --why",
    unit: "wake-ups",
    about: "How many wake-ups the line is about.",
    how: "",
    act: "",
    references: &[WAITS],
};

pub(super) static LATE: Term = Term {
    names: &["late"],
    place: "column of waits --why",
    unit: "a duration",
    about: "How late these wake-ups were on average, or how late this one was.",
    how: "",
    act: "",
    references: &[WAITS],
};

pub(super) static CAUSES: Term = Term {
    names: &["causes"],
    place: "column of waits --why",
    unit: "shares of the lateness",
    about: "What the time after the deadline was spent on, the largest part first; parts below 2 % \
            are left out. Each cause has a page, such as chronoscope explain cause/run-queue.",
    how: "After each wait, from the kernel's records of this thread's context switches, its time \
          in the run queue and its CPU time; for late ones also from the quota of its control \
          group and the idle states of its CPU. A null selector in ES shows whether an interrupt \
          came in a spin. A part that cannot be separated from another on this machine has the \
          name of both, and a note says what is missing.",
    act: "Look at the page of the largest part: it says what makes it smaller.",
    references: &[WAITS],
};

pub(super) static AT: Term = Term {
    names: &["at"],
    place: "column of the latest wake-ups",
    unit: "seconds from the start of the load",
    about: "When the wait ended.",
    how: "",
    act: "Compare it with what else happened at that time, such as the entries of a log.",
    references: &[WAITS],
};

pub(super) static ON_CPU: Term = Term {
    names: &["CPU", "on CPU"],
    place: "column of the latest wake-ups",
    unit: "",
    about: "The CPU on which the wait ended, and whether the thread had moved to it \
            during the wait.",
    how: "From the last context switch.",
    act: "",
    references: &[WAITS],
};

pub(super) static IDLE: Term = Term {
    names: &["idle state"],
    place: "column of the latest wake-ups",
    unit: "",
    about: "The deepest idle state that the CPU entered, as the kernel names it. Empty: none, or \
            not known.",
    how: "The state with the longest way back whose count grew \
          (/sys/devices/system/cpu/cpu*/cpuidle/state*/usage).",
    act: "If most late wake-ups have a deep one, see chronoscope explain deep-idle.",
    references: &["Linux Documentation/admin-guide/pm/cpuidle.rst"],
};
