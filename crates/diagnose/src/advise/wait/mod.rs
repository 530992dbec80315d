//! Which wait to use, from the waits that were measured.

mod choose;
mod code;

use super::LANGUAGES;
use super::purpose::{How, Purpose};
use crate::reading::short;
use crate::system::System;
use choose::{Candidate, Choice, LATER, LEAST_WAITS, NEAR_CPU, TIED_CPU, choose};
use chronoscope_model::advice::{Goal, WaitChoice};
use chronoscope_model::units::{count, human_ns, percent};
use chronoscope_model::waits::{Load, Wait};
use chronoscope_model::{Advice, Page, Report};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PURPOSE: Purpose = Purpose {
    page: Page {
        names: &["wait"],
        title: "Wait for a time: least overshoot, least CPU, least overshoot under load",
        about: "A method, and for many methods a timer slack, that wakes at the deadline and not \
                before, for as little CPU time as that takes. Each duration and each load may \
                need another.",
        how: "A method that ended even one wait early: a program that waits must be able to rely \
              on the deadline having passed.",
        act: "For each duration: the method with the least overshoot (p90, then p50, then CPU \
              time), the one with the least CPU time (then p90), and the one with the least \
              overshoot under the load that suits it worst (p90, then CPU time). Two overshoots \
              are told apart only if their 95 % intervals do not overlap and one is more than \
              twice the other, where less than 100 ns counts as 100 ns; two CPU times, if one is \
              more than 1.2 times the other (1.5 times if it only breaks a tie). If nothing tells \
              methods apart, the simplest is advised: no setting, a sleep rather than a spin, the \
              order of `chronoscope list waits`. A row of fewer than 30 waits is not judged. \
              `chronoscope advise --for wait` measures what `chronoscope waits` does; with \
              `--from` and a report of `chronoscope waits --all` it chooses among all methods.",
        references: &[
            "docs/waits.md",
            "nanosleep(2)",
            "prctl(2), PR_SET_TIMERSLACK",
            "sched_setattr(2); Linux commit 857b158dc5e8",
        ],
        ..Page::EMPTY
    },
    trap: "A sleep ends late by the timer slack, which is 50 us on Linux unless it is set, and by \
           the time a wake-up takes. A spin is exact until another thread wants its CPU: then it \
           is late by a time slice. A sleep is late by as much next to busy threads, unless the \
           thread asks for a short slice (Linux 6.12; chronoscope waits --slice default,100us \
           measures what that changes). Loops that sleep for a duration drift by the sum of all \
           overshoots: sleep until an absolute time.",
    short: "",
    how: How::Waits(advise),
};

/// The name of a goal, and the rule that decides it.
fn named(goal: Goal) -> (&'static str, String) {
    let (name, rule) = match goal {
        Goal::Accuracy => (
            "least overshoot",
            "the smallest p90 of overshoot, then the smallest p50, then the least CPU time",
        ),
        Goal::Cpu => {
            ("least CPU time", "the least CPU time per wait, then the smallest p90 of overshoot")
        }
        Goal::Load => (
            "least overshoot under load",
            "the smallest p90 of overshoot under the load in which the method was latest, then the \
             least CPU time",
        ),
    };
    let rule = format!(
        "{rule}, then simplicity. Overshoots are told apart only if their 95 % intervals do not \
         overlap and one is more than {LATER} times the other, and CPU times if one is more than \
         {NEAR_CPU} times the other ({TIED_CPU} times if CPU time only breaks a tie). Rows of \
         fewer than {LEAST_WAITS} waits are not judged."
    );
    (name, rule)
}

/// Advice for each duration that was measured: the least overshoot, the least CPU time, and the
/// least overshoot under load if a load was measured. A summary gets one: the least overshoot for
/// the middle duration.
///
/// Waits measured alongside a load that died say nothing about that load. A method that was early
/// is never recommended: a program that waits must be able to rely on the deadline having passed.
fn advise(report: &Report) -> Vec<Advice> {
    let rows = report.waits.iter().enumerate();
    let fit: Vec<(usize, &Wait)> = rows
        .filter(|(_, w)| w.available && w.samples > 0 && w.early == 0)
        .filter(|(_, w)| w.load_run.as_ref().is_none_or(|run| run.lost() == 0))
        .collect();
    let durations: BTreeSet<u64> = fit.iter().filter_map(|(_, w)| w.requested_ns).collect();
    let middle = durations.iter().nth(durations.len() / 2);
    let mut all = Vec::new();
    for &ns in &durations {
        let under = |loaded: bool| {
            let rows = fit.iter().copied();
            let rows = rows.filter(|(_, w)| w.requested_ns == Some(ns));
            rows.filter(|(_, w)| (w.load != Load::None) == loaded).collect::<Vec<_>>()
        };
        let (idle, loaded) = (under(false), under(true));
        for (goal, rows) in [(Goal::Accuracy, &idle), (Goal::Cpu, &idle), (Goal::Load, &loaded)] {
            if rows.is_empty() {
                continue;
            }
            let candidates = candidates(rows);
            all.push(match choose(goal, &candidates) {
                Some(choice) => advice(report, ns, goal, &choice, candidates.len()),
                None => none(ns, goal, rows),
            });
        }
    }
    let is_summary = |it: &&mut Advice| {
        it.clock.is_some()
            && it.wait.as_ref().is_some_and(|wait| {
                wait.goal == Goal::Accuracy && Some(&wait.requested_ns) == middle
            })
    };
    if let Some(advice) = all.iter_mut().find(is_summary) {
        advice.summary = true;
    }
    all
}

/// One candidate for each method and setting: its row under the load, and on the CPU, where it was
/// latest. A method that lacks a row of enough waits under one of the loads is not compared.
fn candidates<'a>(rows: &[(usize, &'a Wait)]) -> Vec<Candidate<'a>> {
    let loads: BTreeSet<Load> = rows.iter().map(|(_, wait)| wait.load).collect();
    let mut methods: BTreeMap<_, Vec<(usize, &'a Wait)>> = BTreeMap::new();
    for &(place, wait) in rows {
        let slack = (wait.slack_ns, wait.default_slack, wait.timer_period_ms);
        let key = (&wait.id, slack, wait.slice_ns);
        methods.entry(key).or_default().push((place, wait));
    }
    let latest = |rows: Vec<(usize, &'a Wait)>| {
        let known: BTreeSet<Load> = rows.iter().map(|(_, wait)| wait.load).collect();
        let place = rows.iter().map(|(place, _)| *place).min()?;
        let judged = rows.iter().map(|(_, wait)| Candidate::of(wait, place));
        let judged: Vec<Candidate> = judged.collect::<Option<_>>()?;
        let latest = judged.into_iter().max_by_key(|row| row.p90.value)?;
        (known == loads).then_some(latest)
    };
    let mut all: Vec<Candidate> = methods.into_values().filter_map(latest).collect();
    all.sort_by_key(Candidate::place);
    all
}

/// The method's name, with what was set for it.
fn label(wait: &Wait) -> String {
    let timer = match (wait.timer_period_ms, wait.slack_ns, wait.default_slack) {
        (Some(ms), ..) => Some(format!("timeBeginPeriod({ms})")),
        (None, Some(slack), false) => Some(format!("timer slack {}", short(slack as f64))),
        _ => None,
    };
    let slice = wait.slice_ns.map(|ns| format!("a slice of {}", short(ns as f64)));
    let set: Vec<String> = timer.into_iter().chain(slice).collect();
    let with = if set.is_empty() { "" } else { " with " };
    format!("{}{with}{}", wait.id, set.join(" and "))
}

/// What a short slice costs others, if one was set.
fn cost_of_slice(wait: &Wait) -> &'static str {
    match wait.slice_ns {
        Some(_) => {
            " The short slice changes no shares of the CPU; others are interrupted more often, and \
             so is the thread itself while it computes."
        }
        None => "",
    }
}

fn title(ns: u64, goal: Goal) -> String {
    format!("Wait {}: {}", short(ns as f64), named(goal).0)
}

fn advice(report: &Report, ns: u64, goal: Goal, choice: &Choice, compared: usize) -> Advice {
    let wait = choice.best.wait;
    let load = match wait.load {
        Load::None => String::new(),
        load if goal == Goal::Load => format!(" under its worst load, {}", load.name()),
        load => format!(" under load {}", load.name()),
    };
    let cpu = wait
        .cpu_share
        .map_or(String::new(), |share| format!(", using {} of a CPU", percent(share)));
    let equal: Vec<String> = choice.equal.iter().map(|row| label(row.wait)).collect();
    let (same, worse) = match goal {
        Goal::Cpu => ("As cheap", "takes more"),
        Goal::Accuracy | Goal::Load => ("As punctual", "is later"),
    };
    let told_apart = match (equal.as_slice(), compared) {
        ([], 0 | 1) => "There was nothing to compare it with.".to_owned(),
        ([], 2) => format!("The other method {worse}."),
        ([], all) => format!("Each of the {} others {worse}.", all - 1),
        (equal, _) => format!("{same}, as far as can be told: {}.", equal.join(", ")),
    };
    let (code, of_another_kind) = code::lines(wait, System::of(&report.environment));
    Advice {
        purpose: PURPOSE.id().into(),
        title: title(ns, goal),
        short: format!("Wait {}", short(ns as f64)),
        figure: format!("{} late", short(choice.best.p50.value as f64)),
        clock: Some(wait.id.clone()),
        why: format!(
            "{}{load}: {}{cpu}. {told_apart}{} Only the {} code was measured; {}.",
            label(wait),
            overshot(&choice.best),
            cost_of_slice(wait),
            wait.language.name(),
            others(&of_another_kind)
        ),
        criterion: named(goal).1,
        wait: Some(WaitChoice {
            goal,
            requested_ns: ns,
            load: wait.load,
            slack_ns: wait.slack_ns.filter(|_| !wait.default_slack),
            timer_period_ms: wait.timer_period_ms,
            slice_ns: wait.slice_ns,
            equal,
            compared: compared as u64,
        }),
        code,
        ..Advice::default()
    }
}

/// The advice if no row has enough waits.
fn none(ns: u64, goal: Goal, rows: &[(usize, &Wait)]) -> Advice {
    let most = rows.iter().map(|(_, wait)| wait.samples).max().unwrap_or(0);
    Advice {
        purpose: PURPOSE.id().into(),
        title: title(ns, goal),
        why: format!(
            "No method has the {LEAST_WAITS} waits that a judgement needs (the most is {}): raise \
             --budget, --duration or --count.",
            count(most)
        ),
        criterion: named(goal).1,
        wait: Some(WaitChoice { goal, requested_ns: ns, ..WaitChoice::default() }),
        ..Advice::default()
    }
}

/// What is known about the overshoots of a row, in words.
fn overshot(row: &Candidate) -> String {
    let human = |ns: u64| human_ns(ns as f64);
    format!(
        "of {} waits, half overshot by at most {}, 90 % by at most {} (95 % interval {} to {}), \
         the worst by {}",
        count(row.wait.samples),
        human(row.p50.value),
        human(row.p90.value),
        human(row.p90.low),
        human(row.p90.high),
        human_ns(row.wait.max_ns as f64)
    )
}

/// How the code of the other languages relates to the measured one.
fn others(of_another_kind: &[&str]) -> String {
    match of_another_kind {
        [] => "the other languages use the same kind of wait".to_owned(),
        // The measured language is not among them.
        all if all.len() + 1 == LANGUAGES.len() => {
            "the other languages do not sleep before they spin".into()
        }
        [one] => format!("the other languages, except {one}, use the same kind of wait"),
        [most @ .., last] => format!(
            "the other languages, except {} and {last}, use the same kind of wait",
            most.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests;
