//! Which wait to use, from the waits that were measured.

mod choose;

use super::{How, LANGUAGES, Purpose, sheets};
use crate::reading::{System, short};
use choose::{Candidate, Choice, LATER, NEAR_CPU, choose, least_waits};
use chronoscope_model::advice::{Goal, Paced, Spinning, WaitChoice};
use chronoscope_model::units::{count, human_ns, percent, plural};
use chronoscope_model::waits::{Kind, Load, Policy, Wait};
use chronoscope_model::{Advice, Report, snippet};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const WAIT: Purpose = Purpose { id: "wait", short: "", how: How::Waits(advise) };

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
    let asked: BTreeSet<Asked> = fit.iter().filter_map(|(_, wait)| Asked::of(wait)).collect();
    let mut all = Vec::new();
    for &asked in &asked {
        let under = |loaded: bool| {
            let rows = fit.iter().copied();
            let rows = rows.filter(|(_, w)| Asked::of(w) == Some(asked));
            rows.filter(|(_, w)| (w.load != Load::None) == loaded).collect::<Vec<_>>()
        };
        let (idle, loaded) = (under(false), under(true));
        for goal in GOALS {
            let rows = if goal == Goal::Load { &loaded } else { &idle };
            if !rows.is_empty() {
                all.extend(answers(report, asked, goal, rows));
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

/// What waits are for: a duration, or each period of a loop that works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Asked {
    ns: u64,
    paced: bool,
    work_ns: Option<u64>,
}

impl Asked {
    fn of(wait: &Wait) -> Option<Self> {
        let (paced, work_ns) = (wait.period_ns.is_some(), wait.work_ns);
        Some(Self { ns: wait.requested_ns?, paced, work_ns })
    }

    fn title(self, goal: Goal) -> String {
        let Self { ns, paced, work_ns } = self;
        let time = short(ns as f64);
        let what = match (paced, work_ns) {
            (false, _) => format!("Wait {time}"),
            (true, None) => format!("Loop every {time}"),
            (true, Some(work)) => format!("Loop every {time} with {} of work", short(work as f64)),
        };
        format!("{what}: {}", named(goal).0)
    }

    /// What a loop did with a wait.
    fn paced(self, wait: Option<&Wait>) -> Option<Paced> {
        let grid = wait.and_then(|wait| wait.grid.as_ref());
        self.paced.then(|| Paced {
            work_ns: self.work_ns,
            frames_per_s: grid.and_then(|grid| grid.frames_per_s),
            missed: grid.map_or(0, |grid| grid.missed),
            waits: wait.map_or(0, |wait| wait.samples),
            std_dev_ns: wait.and_then(|wait| wait.std_dev_ns),
        })
    }
}

/// The best of these rows, and the best row of each other language, each with its own code.
fn answers(report: &Report, asked: Asked, goal: Goal, rows: &[(usize, &Wait)]) -> Vec<Advice> {
    let system = System::of(&report.environment);
    let mut candidates = candidates(rows, goal);
    candidates.retain(|row| code_of(row.wait, system).is_some());
    let Some(best) = choose(goal, &candidates) else {
        return vec![none(asked, goal, rows, &candidates)];
    };
    let answer = |choice: &Choice, compared: usize| {
        let wait = choice.best.wait;
        let mut advice = advice(asked, goal, choice, compared);
        let code = code_of(wait, system).map(|lines| (wait.language.name().into(), lines));
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
                " {label} is better, as measured in {of}: the library has it for {language} too, \
                 as {call}, which was not measured here ({install})."
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
    // NtSetTimerResolution is not documented, so nothing is advised that calls it.
    for &(place, wait) in rows.iter().filter(|(_, wait)| wait.timer_resolution_ns.is_none()) {
        let slack = (wait.slack_ns, wait.default_slack, wait.timer_period_ms);
        let key = (&wait.id, slack, wait.slice_ns, wait.policy);
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

fn advice(asked: Asked, goal: Goal, choice: &Choice, compared: usize) -> Advice {
    let row = &choice.best;
    let wait = row.wait;
    let load = match wait.load {
        Load::None => String::new(),
        load if goal == Goal::Load => format!(" under its worst load, {}", load.name()),
        load => format!(" under load {}", load.name()),
    };
    let spin = choice.spin.as_ref();
    Advice {
        purpose: WAIT.id().into(),
        title: asked.title(goal),
        short: format!("{} {}", if asked.paced { "Every" } else { "Wait" }, short(asked.ns as f64)),
        figure: format!(
            "{}{} late{}{}",
            frames(wait).map_or(String::new(), |it| format!("{it}, ")),
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
            "{}{load}: {}{}{}. Measured in {}. {}{}",
            label(wait),
            kept(wait),
            overshot(row),
            of_a_cpu(row),
            wait.language.name(),
            told_apart(goal, choice, compared),
            cost_of_slice(wait)
        ),
        criterion: named(goal).1,
        wait: Some(WaitChoice {
            goal,
            requested_ns: asked.ns,
            paced: asked.paced(Some(wait)),
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
fn none(asked: Asked, goal: Goal, rows: &[(usize, &Wait)], judged: &[Candidate]) -> Advice {
    let most = rows.iter().map(|(_, wait)| wait.samples).max().unwrap_or(0);
    let why = if judged.is_empty() && most >= least_waits(goal) {
        "Of the methods that were measured, no loop is known: chronoscope advise --every measures \
         others."
            .into()
    } else if judged.is_empty() {
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
        purpose: WAIT.id().into(),
        title: asked.title(goal),
        why,
        criterion: named(goal).1,
        wait: Some(WaitChoice {
            goal,
            requested_ns: asked.ns,
            paced: asked.paced(None),
            compared: judged.len() as u64,
            ..WaitChoice::default()
        }),
        ..Advice::default()
    }
}

/// The name of a goal, and the rule that decides it.
fn named(goal: Goal) -> (&'static str, String) {
    let (name, rule) = match goal {
        Goal::Usual => (
            "for most uses",
            "the smallest p50 of overshoot of the waits that sleep, then the least CPU time",
        ),
        Goal::Accuracy => (
            "least overshoot",
            "the smallest p90 of overshoot, then the smallest p50, then the least CPU time",
        ),
        Goal::Cpu => (
            "least CPU time",
            "the least CPU time of the waits that sleep, then the smallest p90 of overshoot",
        ),
        Goal::Load => (
            "least overshoot under load",
            "the smallest p90 of overshoot of the waits that sleep, under the load in which the \
             method was latest, then the least CPU time",
        ),
    };
    let rule = format!(
        "{rule}, then simplicity; each step removes only what is clearly worse (more than \
         {LATER} times as late, or {NEAR_CPU} times the CPU time): explain wait."
    );
    (name, rule)
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

/// The pace of a loop.
fn frames(wait: &Wait) -> Option<String> {
    let rate = wait.grid.as_ref()?.frames_per_s.filter(|rate| (0.0..=1e9).contains(rate))?;
    Some(format!("{rate:.1} frames/s"))
}

/// The pace that a loop kept, and its jitter, before how late its waits were.
fn kept(wait: &Wait) -> String {
    let (Some(frames), Some(ns)) = (frames(wait), wait.requested_ns) else {
        return String::new();
    };
    let missed = wait.grid.as_ref().map_or(0, |grid| grid.missed);
    let missed = match missed {
        0 => "no deadline missed".into(),
        missed => plural(missed, "deadline missed", "deadlines missed"),
    };
    let jitter = wait.std_dev_ns.filter(|ns| ns.is_finite());
    let jitter = jitter.map_or(String::new(), |ns| format!(", jitter {}", human_ns(ns)));
    format!("{frames} of {:.1}, {missed}{jitter}; ", 1e9 / ns.max(1) as f64)
}

/// What is known about the overshoots of a row, in words.
fn overshot(row: &Candidate) -> String {
    let human = |ns: u64| human_ns(ns as f64);
    let p90 = row.p90.map_or(String::new(), |p90| {
        let [value, low, high] = [p90.value, p90.low, p90.high].map(human);
        format!(", 90 % at most {value} (95 % interval {low} to {high})")
    });
    let waits = count(row.wait.samples);
    format!("of {waits} waits, half were at most {} late{p90}", human(row.p50.value))
}

fn of_a_cpu(row: &Candidate) -> String {
    let Some(words) = row.wait.cpu_words() else { return String::new() };
    let (share, rest) = words.split_once(',').unwrap_or((&words, ""));
    let rest = if rest.is_empty() { String::new() } else { format!(",{rest}") };
    format!(", {share} of a CPU{rest}")
}

fn labels(choice: &Choice) -> Vec<String> {
    choice.equal.iter().map(|row| label(row.wait)).collect()
}

/// What could not be told apart from the choice, or how the others differ from it.
fn told_apart(goal: Goal, choice: &Choice, compared: usize) -> String {
    let (same, worse) = match goal {
        Goal::Cpu => ("As cheap", "takes more"),
        Goal::Usual | Goal::Accuracy | Goal::Load => ("As punctual", "is later"),
    };
    match (labels(choice).as_slice(), &choice.spin, compared) {
        ([], _, 0 | 1) => "There was nothing to compare it with.".to_owned(),
        ([], Some(_), _) => "Each other wait that sleeps is later.".to_owned(),
        ([], None, 2) => format!("The other method {worse}."),
        ([], None, all) => format!("Each of the {} others {worse}.", all - 1),
        (equal, ..) => format!("{same}, within the uncertainty: {}.", equal.join(", ")),
    }
}

/// The lines that make this wait in its language, as a whole: none if its language cannot set what
/// was set for it. A row without lines of its own, of a report of an earlier version, has its call.
fn code_of(wait: &Wait, system: System) -> Option<String> {
    let language = wait.language.name();
    // What gives a thread another policy is for the administrator, as its priority is.
    wait.policy.is_none_or(|policy| policy == Policy::Other).then_some(())?;
    let mut all = match wait.code.as_str() {
        lines if wait.period_ns.is_some() => {
            Some(lines.to_owned()).filter(|lines| snippet::is_paced(lines))?
        }
        "" => snippet::statement("", &wait.call),
        lines => lines.to_owned(),
    };
    let known = sheets(language, "setting", system);
    for (name, value) in settings(wait).into_iter().flatten() {
        let sheet = known.iter().find(|sheet| sheet.ids.contains(&name))?;
        all = format!("{}\n{all}", sheet.code.replace("{value}", &value.to_string()));
    }
    Some(snippet::complete(language, &all))
}

/// What was set for this wait, each with its value; the last is set first.
fn settings(wait: &Wait) -> [Option<(&'static str, u64)>; 2] {
    let timer = match (wait.timer_period_ms, wait.slack_ns, wait.default_slack) {
        (Some(ms), ..) => Some(("timer-period", ms.into())),
        // Slack has no effect on a spin.
        (None, Some(ns), false) if wait.kind != Kind::Busy => Some(("slack", ns)),
        _ => None,
    };
    [timer, wait.slice_ns.map(|ns| ("slice", ns))]
}

#[cfg(test)]
mod tests;
