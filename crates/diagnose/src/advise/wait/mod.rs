//! Which wait to use, from the waits that were measured.

mod code;

use super::{About, How, LANGUAGES, Purpose};
use crate::reading::short;
use crate::system::System;
use chronoscope_model::units::{count, human_ns, percent};
use chronoscope_model::waits::{Load, Wait};
use chronoscope_model::{Advice, Report};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PURPOSE: Purpose = Purpose {
    id: "wait",
    title: "Wait for a time: least CPU, least overshoot, best under load",
    page: About {
        needs: "A method, and for many methods a timer slack, that wakes at the deadline and not \
                before, for as little CPU time as that takes. Each duration and each load may need \
                another.",
        rules_out: "A method that ended even one wait early: a program that waits must be able to \
                    rely on the deadline having passed.",
        advised: "For each duration: the method with the least CPU time, and the one with the \
                  smallest 99th percentile of overshoot (below 100 waits: the smallest maximum). \
                  Under load: the one for which that figure is smallest under its worst load. \
                  Among those within 5 % of the smallest, the median decides. `chronoscope advise \
                  --for wait` measures four methods; with `--from` and a report of `chronoscope \
                  waits` it chooses among all of them.",
        trap: "A sleep ends late by the timer slack, which is 50 us on Linux unless it is set, and \
               by the time a wake-up takes. A spin is exact until another thread wants its CPU: \
               then it is late by a time slice. Loops that sleep for a duration drift by the sum \
               of all overshoots: sleep until an absolute time.",
        references: &[
            "docs/waits.md",
            "nanosleep(2)",
            "prctl(2), PR_SET_TIMERSLACK",
        ],
    },
    how: How::Waits(advise),
};

/// Tails within this factor of the smallest count as equal: the medians decide between them.
const NEAR: f64 = 1.05;

/// Fewer waits than this have no meaningful 99th percentile; their maximum is taken.
const ENOUGH: u64 = 100;

/// What a piece of advice is the best at.
#[derive(Clone, Copy)]
enum At {
    Cpu,
    Overshoot,
    Load,
}

impl At {
    fn name(self) -> &'static str {
        match self {
            Self::Cpu => "least CPU time",
            Self::Overshoot => "least overshoot",
            Self::Load => "best under load",
        }
    }
}

/// Advice for each duration that was measured: the least CPU time, the least overshoot, and the
/// best under load if a load was measured. None of it is in a summary, which shows the waits
/// themselves.
///
/// Overshoot is judged by its tail, because a program that must not be late is not helped by a good
/// median. Waits measured alongside a load that died say nothing about that load.
///
/// A method that was early is never recommended: a program that waits must be able to rely on the
/// deadline having passed.
fn advise(report: &Report) -> Vec<Advice> {
    let fit: Vec<&Wait> = report
        .waits
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
        let best = [
            (At::Cpu, least(&idle, |wait| wait.cpu_ns)),
            (At::Overshoot, least_late(&idle)),
            (At::Load, best_under_load(&loaded)),
        ];
        for (at, wait) in best {
            all.extend(wait.map(|wait| advice(report, wait, ns, at)));
        }
    }
    all
}

/// The overshoot that few waits exceed.
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

/// The row with the smallest median among those whose tail counts as the smallest.
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

/// The row of the method whose worst tail under any load is the smallest.
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

fn advice(report: &Report, wait: &Wait, ns: u64, at: At) -> Advice {
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
        format!(", using {} of a CPU", percent(share))
    });
    let (code, of_another_kind) = code::lines(wait, System::of(&report.environment));
    Advice {
        purpose: PURPOSE.id.into(),
        title: format!("Wait {}: {}", short(ns as f64), at.name()),
        clock: Some(wait.id.clone()),
        why: format!(
            "{}{slack}{load}: {}{cpu}. Only the {} code was measured; {}.",
            wait.id,
            overshot(wait),
            wait.language.name(),
            others(&of_another_kind)
        ),
        cost_ns: None,
        code,
        summary: false,
    }
}

/// What is known of its overshoots, in words.
fn overshot(wait: &Wait) -> String {
    let half = human_ns(median(wait));
    let most = human_ns(tail(wait));
    let largest = human_ns(wait.max_ns as f64);
    match wait.samples {
        1 => format!("the only wait overshot by {most}"),
        n => format!(
            "half of {} waits overshot by at most {half}, {}",
            count(n),
            match n {
                ENOUGH.. => format!("99 % by at most {most}, the worst by {largest}"),
                _ => format!("all by at most {most}"),
            },
        ),
    }
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
mod tests {
    use super::*;
    use chronoscope_model::Environment;
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

    fn advised(waits: impl Into<Vec<Wait>>) -> Vec<Advice> {
        advise(&Report {
            waits: waits.into(),
            environment: Environment {
                os: "Linux".into(),
                ..Environment::default()
            },
            ..Report::default()
        })
    }

    #[test]
    fn each_question_is_answered_with_the_best_of_what_was_measured() {
        let mut early = wait("early", Load::None, 0, 0, 0.0);
        early.early = 1;
        let mut slack = wait("slack", Load::None, 50_000, 90_000, 9_000.0);
        (slack.slack_ns, slack.default_slack) = (Some(1), false);
        let advice = advised([
            early,
            slack,
            wait("spin", Load::None, 70, 900, 1e6),
            wait("spin", Load::Normal, 70, 9_000_000, 1e6),
            wait("sleep", Load::None, 99_000, 99_000, 20_000.0),
            wait("sleep", Load::Low, 50_000, 70_000, 20_000.0),
            wait("sleep", Load::Normal, 50_000, 4_000_000, 20_000.0),
        ]);
        let methods: Vec<&str> = advice.iter().filter_map(|a| a.clock.as_deref()).collect();
        assert_eq!(methods, ["slack", "spin", "sleep"]);
        assert!(advice[0].code["C"].starts_with("prctl(PR_SET_TIMERSLACK, 1);\n"));
        assert!(
            advice[2].why.contains("4.00 ms") && advice[2].why.contains("normal"),
            "{}",
            advice[2].why
        );
        let about = |a: &Advice| a.purpose == PURPOSE.id && a.title.contains("1 ms");
        assert!(advice.iter().all(about));
    }

    #[test]
    fn the_least_overshoot_is_that_of_the_tail() {
        let late = |id, p50, p99| wait(id, Load::None, p50, p99, 1e6);
        let advice = advised([
            late("spin", 70, 4_020_000),
            late("nearly", 30_000, 60_000),
            late("as good", 9_000, 61_000),
            late("sleep", 8_000, 90_000),
        ]);
        let least = advice.iter().find(|a| a.title.contains("least overshoot"));
        let least = least.expect("it was measured");
        assert_eq!(least.clock.as_deref(), Some("as good"));
        for figure in [
            "9.00 us",
            "99 % by at most 61.0 us",
            "the worst by 61.0 us",
        ] {
            assert!(least.why.contains(figure), "{}", least.why);
        }
    }

    #[test]
    fn waits_next_to_a_load_that_died_are_not_recommended() {
        let mut spared = wait("spared", Load::High, 70, 900, 1e6);
        let mut run = LoadRun::default();
        run.processes.push(LoadProcess {
            ended_s: Some(1.0),
            ..LoadProcess::default()
        });
        spared.load_run = Some(run);
        let advice = advised([spared, wait("loaded", Load::High, 70, 9_000, 1e6)]);
        let methods: Vec<&str> = advice.iter().filter_map(|a| a.clock.as_deref()).collect();
        assert_eq!(methods, ["loaded"]);
    }

    #[test]
    fn code_of_another_kind_is_named() {
        let mut short = wait("sleep", Load::None, 50_000, 60_000, 1e3);
        short.requested_ns = Some(100_000);
        let why = |wait: &Wait| advised([wait.clone()])[0].why.clone();
        let but = "the other languages, except C# and Go, use the same kind of wait.";
        assert!(why(&short).ends_with(but), "{}", why(&short));
        let code = &advised([short.clone()])[0].code;
        assert!(code["C#"].contains("cannot sleep for less than 1 ms"));
        short.requested_ns = Some(1_000_000);
        let all = "the other languages use the same kind of wait.";
        assert!(why(&short).ends_with(all), "{}", why(&short));
        (short.requested_ns, short.kind) = (Some(100_000), Kind::Hybrid);
        let none = "the other languages do not sleep before they spin.";
        assert!(why(&short).ends_with(none), "{}", why(&short));
    }

    #[test]
    fn without_waits_there_is_no_advice() {
        assert!(advised([]).is_empty());
        assert!(advised([Wait::default()]).is_empty());
    }
}
