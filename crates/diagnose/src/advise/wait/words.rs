//! What is said of a choice.

use super::choose::{Candidate, Choice, LATER, NEAR_CPU};
use crate::reading::short;
use chronoscope_model::advice::Goal;
use chronoscope_model::units::{count, human_ns};
use chronoscope_model::waits::Wait;

/// The name of a goal, and the rule that decides it.
pub(super) fn named(goal: Goal) -> (&'static str, String) {
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
pub(super) fn label(wait: &Wait) -> String {
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
pub(super) fn cost_of_slice(wait: &Wait) -> &'static str {
    match wait.slice_ns {
        Some(_) => {
            " The short slice changes no shares of the CPU; others are interrupted more often, and \
             so is the thread itself while it computes."
        }
        None => "",
    }
}

pub(super) fn title(ns: u64, goal: Goal) -> String {
    format!("Wait {}: {}", short(ns as f64), named(goal).0)
}

/// What is known about the overshoots of a row, in words.
pub(super) fn overshot(row: &Candidate) -> String {
    let human = |ns: u64| human_ns(ns as f64);
    let p90 = row.p90.map_or(String::new(), |p90| {
        let [value, low, high] = [p90.value, p90.low, p90.high].map(human);
        format!(", 90 % at most {value} (95 % interval {low} to {high})")
    });
    let waits = count(row.wait.samples);
    format!("of {waits} waits, half were at most {} late{p90}", human(row.p50.value))
}

pub(super) fn of_a_cpu(row: &Candidate) -> String {
    let Some(words) = row.wait.cpu_words() else { return String::new() };
    let (share, rest) = words.split_once(',').unwrap_or((&words, ""));
    let rest = if rest.is_empty() { String::new() } else { format!(",{rest}") };
    format!(", {share} of a CPU{rest}")
}

pub(super) fn labels(choice: &Choice) -> Vec<String> {
    choice.equal.iter().map(|row| label(row.wait)).collect()
}

/// What could not be told apart from the choice, or how the others differ from it.
pub(super) fn told_apart(goal: Goal, choice: &Choice, compared: usize) -> String {
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
