//! Which wait to use, from the waits that were measured.

mod choose;
mod code;
mod words;

use super::LANGUAGES;
use super::purpose::{How, Purpose};
use crate::reading::short;
use crate::system::System;
use choose::{Candidate, Choice, choose, least_waits};
use chronoscope_model::advice::{Goal, Spinning, WaitChoice};
use chronoscope_model::units::{count, percent};
use chronoscope_model::waits::{Load, Wait};
use chronoscope_model::{Advice, Page, Report};
use std::collections::{BTreeMap, BTreeSet};
use words::{cost_of_slice, label, labels, named, of_a_cpu, overshot, title, told_apart};

pub(super) const PURPOSE: Purpose = Purpose {
    page: Page {
        names: &["wait"],
        title: "Wait for a time: least overshoot, least CPU, least overshoot under load",
        about: "A method, and for many methods a timer slack, that wakes at the deadline and not \
                before, for as little CPU time as that takes. Each duration and each load may \
                need another.",
        how: "A method that ended even one wait early: a program that waits must be able to rely \
              on the deadline having passed.",
        act: "For each duration: the usual method, which is the wait that sleeps with the least \
              median overshoot (then CPU time); the one with the least overshoot (p90, then p50, then CPU time); the one that \
              sleeps with the least CPU time (then p90); and the one that sleeps with the least \
              overshoot under the load that suits it worst (p90, then CPU time). Two overshoots are told \
              apart only if their 95 % intervals do not overlap and one is more than twice the other, where less than \
              100 ns counts as 100 ns; two CPU times, if one is more than 1.2 times the other (1.5 \
              times if it only breaks a tie). If nothing tells methods apart, the simplest is \
              advised: no setting, a sleep rather than a spin, the order of `chronoscope list \
              waits`. A row of fewer than 30 waits (6 for the usual method) is not judged. Each \
              language has the best of the waits that were measured in it, with their code and \
              their figures. `chronoscope advise --for wait` measures what `chronoscope \
              waits` does; `--wait` names a duration, `--goal` one of accuracy, cpu and load; with \
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

/// The library's wait in other languages than Rust: the call, and how to get it.
const LIBRARY: [(&str, &str, &str); 3] = [
    ("C", "chronoscope_sleep_ns()", "cargo xtask install-capi --prefix /usr/local"),
    ("C++", "chronoscope::sleep_for()", "cargo xtask install-capi --prefix /usr/local"),
    ("Python", "chronoscope_clock.wait()", "pip install chronoscope-clock"),
];

/// The goals, in the order in which they are answered.
const GOALS: [Goal; 4] = [Goal::Usual, Goal::Accuracy, Goal::Cpu, Goal::Load];

/// Advice for each duration that was measured and each goal; the one under load if a load was
/// measured. A summary gets one: the usual wait for the middle of the durations that have enough
/// waits.
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
    let mut all = Vec::new();
    for &ns in &durations {
        let under = |loaded: bool| {
            let rows = fit.iter().copied();
            let rows = rows.filter(|(_, w)| w.requested_ns == Some(ns));
            rows.filter(|(_, w)| (w.load != Load::None) == loaded).collect::<Vec<_>>()
        };
        let (idle, loaded) = (under(false), under(true));
        for goal in GOALS {
            let rows = if goal == Goal::Load { &loaded } else { &idle };
            if !rows.is_empty() {
                all.extend(answers(report, ns, goal, rows));
            }
        }
    }
    let is_usual = |it: &&mut Advice| {
        let of = it.wait.as_ref();
        it.clock.is_some() && of.is_some_and(|of| of.goal == Goal::Usual && of.languages.is_empty())
    };
    let mut usual: Vec<&mut Advice> = all.iter_mut().filter(is_usual).collect();
    let middle = usual.len() / 2;
    if let Some(advice) = usual.get_mut(middle) {
        advice.summary = true;
    }
    all
}

/// The best of these rows, and the best row of each other language, each with its own code.
fn answers(report: &Report, ns: u64, goal: Goal, rows: &[(usize, &Wait)]) -> Vec<Advice> {
    let system = System::of(&report.environment);
    let mut candidates = candidates(rows, goal);
    candidates.retain(|row| code::lines(row.wait, system).is_some());
    let Some(best) = choose(goal, &candidates) else {
        return vec![none(ns, goal, rows, &candidates)];
    };
    let answer = |choice: &Choice, compared: usize| {
        let wait = choice.best.wait;
        let mut advice = advice(ns, goal, choice, compared);
        let code = code::lines(wait, system).map(|lines| (wait.language.name().into(), lines));
        advice.code = code.into_iter().collect();
        advice
    };
    let first = best.best.wait;
    let better = |language: &str, own: &[Candidate]| {
        let (label, of) = (label(first), first.language.name());
        let library = |row: &Candidate| row.wait.call.contains("chronoscope");
        let also = LIBRARY.iter().find(|(one, ..)| *one == language);
        match also.filter(|_| first.id == "chronoscope/wait" && !own.iter().any(library)) {
            Some((_, call, install)) => format!(
                " {label} is better, as measured in {of}: the library has it for {language} too, as \
                 {call}, which was not measured here ({install})."
            ),
            None => format!(" {label} is better, but for {of} only."),
        }
    };
    let mut all = vec![answer(&best, candidates.len())];
    for language in LANGUAGES.into_iter().filter(|one| *one != first.language.name()) {
        let is_own = |row: &Candidate| row.wait.language.name() == language;
        let own: Vec<Candidate> = candidates.iter().copied().filter(is_own).collect();
        let Some(choice) = choose(goal, &own) else {
            continue;
        };
        let mut advice = answer(&choice, own.len());
        advice.why += &better(language, &own);
        if let Some(wait) = &mut advice.wait {
            wait.languages = vec![language.into()];
        }
        all.push(advice);
    }
    all
}

/// One candidate for each method and setting: its row under the load, and on the CPU, where it was
/// latest. A method that lacks a row of enough waits under one of the loads is not compared.
fn candidates<'a>(rows: &[(usize, &'a Wait)], goal: Goal) -> Vec<Candidate<'a>> {
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
        let judged = rows.iter().map(|(_, wait)| Candidate::of(wait, place, goal));
        let judged: Vec<Candidate> = judged.collect::<Option<_>>()?;
        let latest = judged.into_iter().max_by_key(|row| row.p90.map(|p90| p90.value))?;
        (known == loads).then_some(latest)
    };
    let mut all: Vec<Candidate> = methods.into_values().filter_map(latest).collect();
    all.sort_by_key(Candidate::place);
    all
}

fn advice(ns: u64, goal: Goal, choice: &Choice, compared: usize) -> Advice {
    let row = &choice.best;
    let wait = row.wait;
    let load = match wait.load {
        Load::None => String::new(),
        load if goal == Goal::Load => format!(" under its worst load, {}", load.name()),
        load => format!(" under load {}", load.name()),
    };
    let spin = choice.spin.as_ref();
    Advice {
        purpose: PURPOSE.id().into(),
        title: title(ns, goal),
        short: format!("Wait {}", short(ns as f64)),
        figure: format!(
            "{} late{}{}",
            short(row.p50.value as f64),
            of_a_cpu(row),
            spin.map_or(String::new(), |spin| {
                let share = spin.wait.cpu_share;
                let share = share.map_or(String::new(), |share| format!(", {}", percent(share)));
                format!(" (spinning: {}{share})", short(spin.p50.value as f64))
            })
        ),
        clock: Some(wait.id.clone()),
        why: format!(
            "{}{load}: {}{}. Measured in {}. {}{}",
            label(wait),
            overshot(row),
            of_a_cpu(row),
            wait.language.name(),
            told_apart(goal, choice, compared),
            cost_of_slice(wait)
        ),
        criterion: named(goal).1,
        wait: Some(WaitChoice {
            goal,
            requested_ns: ns,
            load: wait.load,
            slack_ns: wait.slack_ns.filter(|_| !wait.default_slack),
            timer_period_ms: wait.timer_period_ms,
            slice_ns: wait.slice_ns,
            equal: labels(choice),
            compared: compared as u64,
            p50_ns: Some(row.p50.value),
            cpu_share: wait.cpu_share,
            spinning: spin.map(|spin| Spinning {
                wait: spin.wait.id.clone(),
                p50_ns: spin.p50.value,
                cpu_share: spin.wait.cpu_share,
            }),
            ..WaitChoice::default()
        }),
        ..Advice::default()
    }
}

/// The advice if no row can be chosen.
fn none(ns: u64, goal: Goal, rows: &[(usize, &Wait)], judged: &[Candidate]) -> Advice {
    let most = rows.iter().map(|(_, wait)| wait.samples).max().unwrap_or(0);
    let why = if judged.is_empty() {
        format!(
            "No method has the {} waits that a judgement needs (the most is {}): raise --budget, \
             --duration or --count.",
            least_waits(goal),
            count(most)
        )
    } else {
        "Each method that was measured spins: chronoscope waits measures others.".into()
    };
    Advice {
        purpose: PURPOSE.id().into(),
        title: title(ns, goal),
        why,
        criterion: named(goal).1,
        wait: Some(WaitChoice {
            goal,
            requested_ns: ns,
            compared: judged.len() as u64,
            ..WaitChoice::default()
        }),
        ..Advice::default()
    }
}

#[cfg(test)]
mod tests;
