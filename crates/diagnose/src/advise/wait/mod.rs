//! Which wait to use, from the waits that were measured.
//!
//! Which of several rows is the best for a goal, and which cannot be told apart from it.
//!
//! A choice must be the same in the next run on the same machine. So nothing is decided by the
//! order of two noisy figures: rows that cannot be told apart stay together until a later criterion
//! separates them, and the last criterion has no noise.

use super::{How, LANGUAGES, Purpose, sheets};
use crate::reading::{System, short};
use chronoscope_model::advice::{Goal, Paced, Spinning, WaitChoice};
use chronoscope_model::quantile::{Percentile, Quantile};
use chronoscope_model::units::{count, plural};
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
            std_dev_ns: wait.and_then(Wait::std_dev_ns),
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
    let is_own = |row: &Candidate| row.wait.call.contains("chronoscope");
    let better = |language: &str, own: &[Candidate]| {
        let (label, of) = (label(first), first.language.name());
        match LIBRARY.iter().find(|(one, ..)| *one == language) {
            Some(_) if first.id == "chronoscope/wait" && own.iter().any(is_own) => String::new(),
            Some((_, call, install)) if first.id == "chronoscope/wait" => format!(
                " {label} is better, as measured in {of}: the library has it for {language} too, \
                 as {call}, which was not measured here ({install})."
            ),
            _ => format!(" {label} is better, but for {of} only."),
        }
    };
    let mut usual = answer(&best, candidates.len());
    let language = first.language.name();
    if goal == Goal::Usual
        && !candidates.iter().any(is_own)
        && let Some((_, call, install)) = LIBRARY.iter().find(|(one, ..)| *one == language)
    {
        usual.why += &format!(
            " The library of this project has {call}, which was not measured here ({install})."
        );
    }
    let mut all = vec![usual];
    for language in LANGUAGES.into_iter().filter(|one| *one != first.language.name()) {
        let is_own = |row: &Candidate| row.wait.language.name() == language;
        let own: Vec<Candidate> = candidates.iter().copied().filter(is_own).collect();
        let Some(choice) = choose(goal, &own) else {
            continue;
        };
        let mut advice = answer(&choice, own.len());
        // What could not be told apart from the best is no worse.
        if best.equal.iter().all(|row| row.place != choice.best.place) {
            advice.why += &better(language, &own);
        }
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
    all.sort_by_key(|row| row.place);
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
        purpose: WAIT.id.into(),
        title: asked.title(goal),
        short: format!("{} {}", if asked.paced { "Every" } else { "Wait" }, short(asked.ns as f64)),
        figure: format!(
            "{}{} late{}{}",
            frames(wait).map_or(String::new(), |it| format!("{it}, ")),
            short(row.p50.value as f64),
            of_a_cpu(row),
            spin.map_or(String::new(), |spin| {
                let share = spin.wait.cpu_words();
                let share = share.map_or(String::new(), |share| format!(", {share}"));
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
            wait.slice_ns.map_or("", |_| COST_OF_SLICE)
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
        purpose: WAIT.id.into(),
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
             method was latest, then the smallest p50 if they differ by 10 us, then the least CPU \
             time",
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

/// What a short slice costs others.
const COST_OF_SLICE: &str = " The short slice changes no shares of the CPU; others are interrupted \
                             more often, and so is the thread itself while it computes.";

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
    let missed = match wait.grid.as_ref().map_or(0, |grid| grid.missed) {
        0 => "no deadline missed".into(),
        missed => plural(missed, "deadline missed", "deadlines missed"),
    };
    let jitter = wait.std_dev_ns().filter(|ns| ns.is_finite());
    let jitter = jitter.map_or(String::new(), |ns| format!(", jitter {}", short(ns)));
    format!("{frames} of {:.1}, {missed}{jitter}; ", 1e9 / ns.max(1) as f64)
}

/// What is known about the overshoots of a row, in words.
fn overshot(row: &Candidate) -> String {
    let human = |ns: u64| short(ns as f64);
    let p90 = row.p90.map_or(String::new(), |p90| {
        let [value, low, high] = [p90.value, p90.low, p90.high].map(human);
        format!(", 90 % at most {value} (95 % interval {low} to {high})")
    });
    let waits = count(row.wait.samples);
    format!("of {waits} waits, half were at most {} late{p90}", human(row.p50.value))
}

fn of_a_cpu(row: &Candidate) -> String {
    let Some(words) = row.wait.cpu_words() else { return String::new() };
    let (share, rest) = words.split_at(words.find(',').unwrap_or(words.len()));
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

/// Rows with fewer waits are not judged: 29 is the least that supports a 90th percentile.
const LEAST_WAITS: u64 = 30;

/// The least number of waits of a row that is judged for a goal. The usual choice needs a median
/// alone, so that a short run on a busy machine has one.
const fn least_waits(goal: Goal) -> u64 {
    match goal {
        Goal::Usual => Percentile::P50.least(),
        Goal::Accuracy | Goal::Cpu | Goal::Load => LEAST_WAITS,
    }
}

/// One overshoot is later than another only if it is so by this factor, whatever the intervals say:
/// they describe one run, and the state of a machine differs more between runs.
const LATER: f64 = 2.0;

/// A wait that sleeps is not the usual choice if the 95 % interval of its median is above the least
/// median by more than this, in nanoseconds, and that of another is not. Nor is it the choice under
/// load if it is later than another by more than this.
const WORTH_NS: u64 = 10_000;

/// A sleep followed by a spin counts as a wait that sleeps if it uses less than this part of the
/// CPU time of a spin. If the time is too short to sleep first, it uses as much.
const SLEEPING: f64 = 0.5;

/// A wait that should sleep counts as a spin from this part on: some timers of runtimes poll.
const POLLING: f64 = 0.8;

/// Shorter overshoots count as this, in nanoseconds: reading the clock and returning from the wait
/// take about as long.
const FLOOR_NS: u64 = 100;

/// CPU times within this factor of the least count as equal if the least is asked for.
const NEAR_CPU: f64 = 1.2;
/// The factor if CPU time only breaks a tie: a simpler method is worth a little CPU time.
const TIED_CPU: f64 = 1.5;

#[derive(Clone, Copy)]
struct Candidate<'a> {
    wait: &'a Wait,
    p50: Quantile,
    /// Absent if there are too few waits.
    p90: Option<Quantile>,
    /// The row's place in the report, which follows the catalogue: the most common methods first.
    place: usize,
}

impl<'a> Candidate<'a> {
    /// The row, if it has enough waits for this goal and its histogram can be read.
    fn of(wait: &'a Wait, place: usize, goal: Goal) -> Option<Self> {
        if wait.samples < least_waits(goal) {
            return None;
        }
        let hdr = wait.overshoot.decode().ok()?;
        let of = |percentile| {
            let found = Quantile::of(&hdr, percentile)?;
            // The top of a bucket may lie above the largest wait.
            let largest = u64::try_from(wait.max_ns).unwrap_or(0);
            Some(Quantile {
                value: found.value.min(largest),
                low: found.low.min(largest),
                high: found.high.min(largest),
            })
        };
        Some(Self { wait, p50: of(Percentile::P50)?, p90: of(Percentile::P90), place })
    }

    /// The order of preference if nothing else decides, smallest first: what needs no event loop,
    /// what needs no setting, then a sleep before a sleep with a spin before a spin, then the order
    /// of the catalogue.
    fn simplicity(&self) -> (bool, bool, u8, usize) {
        let wait = self.wait;
        let in_loop = wait.code.contains("await ");
        let set = wait.timer_period_ms.is_some()
            || wait.slice_ns.is_some()
            || wait.slack_ns.is_some() && !wait.default_slack;
        let kind = match wait.kind {
            Kind::Sleep => 0,
            Kind::Hybrid => 1,
            Kind::Busy => 2,
        };
        (in_loop, set, kind, self.place)
    }
}

/// The chosen row, and those that the goal itself could not tell apart from it.
struct Choice<'a> {
    best: Candidate<'a>,
    equal: Vec<Candidate<'a>>,
    /// The best spin, if a wait that sleeps is the usual choice.
    spin: Option<Candidate<'a>>,
}

/// Chooses for a goal; none if there is no candidate, or if none of them sleeps and the goal is not
/// accuracy: only that is worth a CPU.
///
/// The usual choice follows the median alone: on a busy machine all methods share the tail of the
/// machine, and a sleep and a spin would win in turn.
///
/// The tail comes before the median, because a program that must not be late is not helped by a
/// good median. The median then tells methods apart whose tails are those of the machine, or not
/// known from few waits; under load only if it is worth CPU time, because little evidence should
/// lead to what is cheap and simple, and not to what happened to be better.
fn choose<'a>(goal: Goal, all: &[Candidate<'a>]) -> Option<Choice<'a>> {
    let least_late = |all: &[Candidate<'a>]| not_later(all, 0, |row| row.p90);
    let (sleeping, spinning) = apart(all);
    let spin = spinning.into_iter().filter(|_| goal == Goal::Usual);
    let spin = spin.min_by_key(|row| row.p50.value);
    let equal = match goal {
        Goal::Usual => {
            let least = all.iter().map(|row| row.p50.value).min().unwrap_or(0);
            let mut near = sleeping.clone();
            near.retain(|row| row.p50.low <= least.saturating_add(WORTH_NS));
            let near = if near.is_empty() { sleeping } else { near };
            not_later(&near, 0, |row| Some(row.p50))
        }
        Goal::Accuracy => not_later(&least_late(all), 0, |row| Some(row.p50)),
        Goal::Load => not_later(&least_late(&sleeping), WORTH_NS, |row| Some(row.p50)),
        Goal::Cpu => least_cpu(&sleeping, NEAR_CPU),
    };
    let last = match goal {
        Goal::Cpu => least_late(&equal),
        Goal::Usual | Goal::Accuracy | Goal::Load => least_cpu(&equal, TIED_CPU),
    };
    let best = last.into_iter().min_by_key(Candidate::simplicity)?;
    let is_other = |other: &Candidate| other.simplicity() != best.simplicity();
    Some(Choice { best, equal: equal.into_iter().filter(is_other).collect(), spin })
}

/// The waits that sleep, and those that only spin.
fn apart<'a>(all: &[Candidate<'a>]) -> (Vec<Candidate<'a>>, Vec<Candidate<'a>>) {
    let share = |row: &Candidate| row.wait.cpu_share.filter(|share| share.is_finite());
    let spins = all.iter().filter(|row| row.wait.kind == Kind::Busy);
    let spin = spins.filter_map(share).reduce(f64::max).unwrap_or(1.0);
    let below = |row: &Candidate, part: f64| share(row).is_none_or(|share| share < part * spin);
    all.iter().copied().partition(|row| match row.wait.kind {
        Kind::Sleep => below(row, POLLING),
        Kind::Hybrid => below(row, SLEEPING),
        Kind::Busy => false,
    })
}

/// Whether one quantile is later than another: their intervals do not overlap, and the difference
/// matters.
fn is_later(this: Quantile, than: Quantile) -> bool {
    let at_least = |ns: u64| ns.max(FLOOR_NS);
    at_least(this.low) > at_least(than.high)
        && at_least(this.value) as f64 > LATER * at_least(than.value) as f64
}

/// The candidates whose quantile is not later than that of another candidate, `by` so many
/// nanoseconds or more.
fn not_later<'a>(
    all: &[Candidate<'a>],
    by: u64,
    of: fn(&Candidate) -> Option<Quantile>,
) -> Vec<Candidate<'a>> {
    let later = |this: &Candidate| {
        let mut pairs = all.iter().filter_map(|other| of(this).zip(of(other)));
        pairs.any(|(this, than)| is_later(this, than) && this.low > than.value.saturating_add(by))
    };
    all.iter().copied().filter(|this| !later(this)).collect()
}

/// The candidates within a factor of the least CPU time; all of them if none was measured.
fn least_cpu<'a>(all: &[Candidate<'a>], within: f64) -> Vec<Candidate<'a>> {
    let of = |row: &Candidate| row.wait.cpu_ns.filter(|ns| ns.is_finite());
    let Some(least) = all.iter().filter_map(of).min_by(f64::total_cmp) else {
        return all.to_vec();
    };
    let near = |row: &Candidate| of(row).is_some_and(|ns| ns <= within * least);
    all.iter().copied().filter(near).collect()
}

#[cfg(test)]
mod tests;
