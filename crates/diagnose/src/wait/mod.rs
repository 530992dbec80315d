//! Which wait to use for what, from the waits that were measured.

mod code;
mod own;

use crate::advise::{About, LANGUAGES};
use crate::reading::short;
use crate::system::System;
use chronoscope_model::units::{count, human_ns, percent};
use chronoscope_model::waits::{Load, Wait};
use chronoscope_model::{Advice, Environment};
use std::collections::{BTreeMap, BTreeSet};

/// The id that `--for` takes.
pub const PURPOSE: &str = "wait";
/// What it is about, in words.
pub const TITLE: &str =
    "Wait for a time: the least CPU, the least overshoot, and the best under load";
/// What speaks for and against a method.
pub const PAGE: About = About {
    needs: "A method, and for many of them a timer slack, that wakes at the deadline and not before, \
         for as little processor time as that needs; each duration and each load may have \
         another.",
    rules_out: "A method that ended even one wait early: who waits must be able to rely on it that the \
         deadline has passed.",
    advised: "For each duration the method of least CPU time, that whose 99th percentile of overshoot \
         (below 100 waits: the largest) is the least, and under load that of which the same is the \
         least under its worst load; among those within 5 % of it the median decides. chronoscope advise --for wait measures four methods; with --from a \
         report of chronoscope waits it advises on all of them.",
    trap: "A sleep ends late by the timer slack, 50 us on Linux unless set, and by the wake-up. A \
         spin is exact until another thread wants its processor: then it is late by a time slice. \
         Loops that sleep for a time drift by each lateness; sleep until a moment.",
    references: &[
        "docs/waits.md",
        "nanosleep(2)",
        "prctl(2), PR_SET_TIMERSLACK",
    ],
};

/// Tails within this of the least are as good as that: the medians decide between them.
const NEAR: f64 = 1.05;

/// Waits fewer than this have no 99th percentile to speak of; their largest overshoot is taken.
const ENOUGH: u64 = 100;

/// Advice for each duration that was measured: the least CPU time, the least overshoot, and the
/// best while the machine is loaded, where a load was measured.
///
/// Overshoot is judged by its tail: who must not be late is not helped by a median. Waits beside a
/// load that died tell nothing of it.
///
/// A method that was early is never recommended: who waits must be able to rely on the deadline
/// having passed.
pub fn advise(waits: &[Wait], environment: &Environment) -> Vec<Advice> {
    let target = (System::of(environment), counter_hz(environment));
    let fit: Vec<&Wait> = waits
        .iter()
        .filter(|w| w.available && w.samples > 0 && w.early == 0)
        .filter(|w| w.load_run.as_ref().is_none_or(|run| run.lost() == 0))
        .collect();
    let durations: BTreeSet<u64> = fit.iter().filter_map(|w| w.requested_ns).collect();
    let mut all = Vec::new();
    for ns in durations {
        let idle = |w: &&&Wait| w.requested_ns == Some(ns) && w.load == Load::None;
        let loaded = |w: &&&Wait| w.requested_ns == Some(ns) && w.load != Load::None;
        let idle: Vec<&Wait> = fit.iter().filter(idle).copied().collect();
        let loaded: Vec<&Wait> = fit.iter().filter(loaded).copied().collect();
        all.extend(least(&idle, cpu).map(|w| advice(w, ns, "least CPU time", target)));
        all.extend(least_late(&idle).map(|w| advice(w, ns, "least overshoot", target)));
        all.extend(best_under_load(&loaded).map(|w| advice(w, ns, "best under load", target)));
    }
    all
}

/// The rate of the processor's counter as it was measured.
fn counter_hz(environment: &Environment) -> Option<f64> {
    let rates = match (&environment.tsc, &environment.counter) {
        (Some(tsc), _) => &tsc.rates,
        (None, counter) => &counter.as_ref()?.rates,
    };
    let measured = rates.iter().find(|rate| rate.source.contains("measured"))?;
    measured.hz.filter(|hz| hz.is_finite() && *hz > 0.0)
}

/// Processor time of a wait.
fn cpu(wait: &Wait) -> Option<f64> {
    wait.cpu_ns
}

/// How late the worst waits are that are not the very worst.
fn tail(wait: &Wait) -> f64 {
    if wait.samples >= ENOUGH {
        wait.percentile(wait.overshoot.p99_ns) as f64
    } else {
        wait.max_ns as f64
    }
}

fn median(wait: &Wait) -> f64 {
    wait.percentile(wait.overshoot.p50_ns) as f64
}

/// The row whose tail is the least, or whose median is among those with one as good.
fn least_late<'a>(rows: &[&'a Wait]) -> Option<&'a Wait> {
    let best = tail(least(rows, |row| Some(tail(row)))?);
    let near = rows.iter().filter(|row| tail(row) <= best * NEAR);
    let near: Vec<&Wait> = near.copied().collect();
    least(&near, |row| Some(median(row)))
}

fn least<'a>(rows: &[&'a Wait], by: impl Fn(&Wait) -> Option<f64>) -> Option<&'a Wait> {
    rows.iter()
        .filter_map(|&row| Some((row, by(row).filter(|x| x.is_finite())?)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(row, _)| row)
}

/// The row of the method whose worst tail under any load is the least.
fn best_under_load<'a>(rows: &[&'a Wait]) -> Option<&'a Wait> {
    let mut worst: BTreeMap<_, &'a Wait> = BTreeMap::new();
    for &row in rows {
        let kept = worst
            .entry((&row.id, row.slack_ns, row.timer_period_ms))
            .or_insert(row);
        if tail(row) > tail(kept) {
            *kept = row;
        }
    }
    let rows: Vec<&Wait> = worst.into_values().collect();
    least_late(&rows)
}

fn advice(wait: &Wait, ns: u64, what: &str, (system, hz): (System, Option<f64>)) -> Advice {
    let slack = match (wait.timer_period_ms, wait.slack_ns, wait.default_slack) {
        (Some(ms), ..) => format!(" with timeBeginPeriod({ms})"),
        (None, Some(slack), false) => format!(" with timer slack {}", short(slack as f64)),
        _ => String::new(),
    };
    let load = match wait.load {
        Load::None => String::new(),
        load => format!(" under its worst load, {}", load.name()),
    };
    let cpu = wait.cpu_share.map_or(String::new(), |share| {
        format!(", at {} of a CPU", percent(share))
    });
    let half = human_ns(median(wait));
    let most = human_ns(tail(wait));
    let largest = human_ns(wait.max_ns as f64);
    let overshot = match wait.samples {
        1 => format!("the only wait overshot by {most}"),
        n => format!(
            "half of {} waits overshot by no more than {half}, {}",
            count(n),
            match n {
                ENOUGH.. => format!("99 % by no more than {most}, the worst by {largest}"),
                _ => format!("all by no more than {most}"),
            },
        ),
    };
    let (code, of_another_kind) = code::lines(wait, system, hz);
    let others = match of_another_kind.as_slice() {
        [] => "the others are of the same kind".to_owned(),
        [one] => format!("the others are of the same kind, but for that of {one}"),
        // The measured one is not among them.
        all if all.len() + 1 == LANGUAGES.len() => {
            "the others do not sleep before they spin".into()
        }
        [most @ .., last] => format!(
            "the others are of the same kind, but for those of {} and {last}",
            most.join(", ")
        ),
    };
    Advice {
        purpose: PURPOSE.into(),
        title: format!("Wait {}: {what}", short(ns as f64)),
        clock: Some(wait.id.clone()),
        why: format!(
            "{}{slack}{load}: {overshot}{cpu}. Only the line of {} was measured; {others}.",
            wait.id,
            wait.language.name()
        ),
        cost_ns: None,
        code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::histogram::Histogram;
    use chronoscope_model::waits::{Kind, LoadProcess, LoadRun};

    fn wait(id: &str, load: Load, p50: u64, p99: u64, cpu: f64) -> Wait {
        Wait {
            id: id.into(),
            call: format!("{id}()"),
            available: true,
            requested_ns: Some(1_000_000),
            load,
            samples: 1000,
            max_ns: p99 as i64,
            cpu_ns: Some(cpu),
            cpu_share: Some(cpu / 1e6),
            overshoot: Histogram {
                p50_ns: p50,
                p99_ns: p99,
                ..Histogram::default()
            },
            ..Wait::default()
        }
    }

    #[test]
    fn each_purpose_gets_the_best_of_what_was_measured() {
        let mut early = wait("early", Load::None, 0, 0, 0.0);
        early.early = 1;
        let mut slack = wait("slack", Load::None, 50_000, 90_000, 9_000.0);
        (slack.slack_ns, slack.default_slack) = (Some(1), false);
        let waits = [
            early,
            slack,
            wait("spin", Load::None, 70, 900, 1e6),
            wait("spin", Load::Normal, 70, 9_000_000, 1e6),
            wait("sleep", Load::None, 99_000, 99_000, 20_000.0),
            wait("sleep", Load::Low, 50_000, 70_000, 20_000.0),
            wait("sleep", Load::Normal, 50_000, 4_000_000, 20_000.0),
        ];
        let advice = advise(&waits, &Environment::default());
        let clocks: Vec<&str> = advice.iter().filter_map(|a| a.clock.as_deref()).collect();
        assert_eq!(clocks, ["slack", "spin", "sleep"]);
        assert!(advice[0].code["C"].starts_with("prctl(PR_SET_TIMERSLACK, 1);\n"));
        assert!(
            advice[2].why.contains("4.00 ms") && advice[2].why.contains("normal"),
            "{}",
            advice[2].why
        );
        assert!(
            advice
                .iter()
                .all(|a| a.purpose == PURPOSE && a.title.contains("1 ms"))
        );
    }

    #[test]
    fn the_least_overshoot_is_that_of_the_tail() {
        let late = |id, p50, p99| wait(id, Load::None, p50, p99, 1e6);
        let waits = [
            late("spin", 70, 4_020_000),
            late("nearly", 30_000, 60_000),
            late("as good", 9_000, 61_000),
            late("sleep", 8_000, 90_000),
        ];
        let advice = advise(&waits, &Environment::default());
        let least = advice.iter().find(|a| a.title.contains("least overshoot"));
        let least = least.expect("it was measured");
        assert_eq!(least.clock.as_deref(), Some("as good"));
        for figure in [
            "9.00 us",
            "99 % by no more than 61.0 us",
            "the worst by 61.0 us",
        ] {
            assert!(least.why.contains(figure), "{}", least.why);
        }
    }

    #[test]
    fn a_load_that_died_recommends_nothing() {
        let mut spared = wait("spared", Load::High, 70, 900, 1e6);
        let mut run = LoadRun::default();
        run.processes.push(LoadProcess {
            ended_s: Some(1.0),
            ..LoadProcess::default()
        });
        spared.load_run = Some(run);
        let waits = [spared, wait("loaded", Load::High, 70, 9_000, 1e6)];
        let advice = advise(&waits, &Environment::default());
        let clocks: Vec<&str> = advice.iter().filter_map(|a| a.clock.as_deref()).collect();
        assert_eq!(clocks, ["loaded"]);
    }

    #[test]
    fn lines_of_another_kind_are_named() {
        let mut short = wait("sleep", Load::None, 50_000, 60_000, 1e3);
        short.requested_ns = Some(100_000);
        let env = Environment {
            os: "Linux".into(),
            ..Environment::default()
        };
        let advice = advise(&[short.clone()], &env);
        let but = "of the same kind, but for those of C# and Go.";
        assert!(advice[0].why.ends_with(but), "{}", advice[0].why);
        assert!(advice[0].code["C#"].contains("cannot sleep below 1 ms"));
        short.requested_ns = Some(1_000_000);
        let advice = advise(&[short.clone()], &env);
        let all = "the others are of the same kind.";
        assert!(advice[0].why.ends_with(all), "{}", advice[0].why);
        (short.requested_ns, short.kind) = (Some(100_000), Kind::Hybrid);
        let advice = advise(&[short], &env);
        let none = "the others do not sleep before they spin.";
        assert!(advice[0].why.ends_with(none), "{}", advice[0].why);
    }

    #[test]
    fn without_waits_there_is_no_advice() {
        assert!(advise(&[], &Environment::default()).is_empty());
        assert!(advise(&[Wait::default()], &Environment::default()).is_empty());
    }
}
