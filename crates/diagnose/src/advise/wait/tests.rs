//! Which wait is advised.

use super::*;
use chronoscope_model::Environment;
use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::waits::{Kind, LoadProcess, LoadRun};

/// A row of 1000 waits of 1 ms, of which 880 overshot by `p50` and the rest by `p90`.
fn wait(id: &str, load: Load, p50: u64, p90: u64, cpu: f64) -> Wait {
    of_many(id, load, &[(p50, 880), (p90, 120)], cpu)
}

fn of_many(id: &str, load: Load, overshoots: &[(u64, u64)], cpu: f64) -> Wait {
    let mut hdr = histogram::empty();
    for &(ns, n) in overshoots {
        hdr.record_n(ns, n).expect("in range");
    }
    Wait {
        id: id.into(),
        call: format!("{id}()"),
        available: true,
        requested_ns: Some(1_000_000),
        load,
        samples: hdr.len(),
        max_ns: overshoots.iter().map(|(ns, _)| *ns as i64).max().unwrap_or(0),
        cpu_ns: Some(cpu),
        cpu_share: Some(cpu / 1e6),
        overshoot: Histogram::of(&hdr),
        ..Wait::default()
    }
}

fn advised(waits: impl Into<Vec<Wait>>) -> Vec<Advice> {
    advise(&Report {
        waits: waits.into(),
        environment: Environment { os: "Linux".into(), ..Environment::default() },
        ..Report::default()
    })
}

fn of_goal(advice: &[Advice], goal: Goal) -> &Advice {
    let of_it = |a: &&Advice| a.wait.as_ref().is_some_and(|choice| choice.goal == goal);
    advice.iter().find(of_it).expect("it was measured")
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
        wait("slack", Load::Normal, 50_000, 9_000_000, 9_000.0),
        wait("spin", Load::None, 70, 900, 1e6),
        wait("spin", Load::Low, 70, 900, 1e6),
        wait("spin", Load::Normal, 70, 9_000_000, 1e6),
        wait("sleep", Load::None, 99_000, 99_000, 20_000.0),
        wait("sleep", Load::Low, 50_000, 70_000, 20_000.0),
        wait("sleep", Load::Normal, 50_000, 4_000_000, 20_000.0),
    ]);
    let methods: Vec<&str> = advice.iter().filter_map(|a| a.clock.as_deref()).collect();
    assert_eq!(methods, ["spin", "slack", "sleep"]);
    assert!(advice[1].code["C"].starts_with("prctl(PR_SET_TIMERSLACK, 1);\n"));
    assert!(
        advice[2].why.contains("4.00 ms") && advice[2].why.contains("normal"),
        "{}",
        advice[2].why
    );
    // A method that lacks one of the loads is not compared.
    assert_eq!(advice[2].wait.as_ref().expect("a wait").compared, 2);
    let about = |a: &Advice| a.purpose == PURPOSE.id() && a.title.contains("1 ms");
    assert!(advice.iter().all(about) && advice.iter().all(|a| !a.criterion.is_empty()));
}

#[test]
fn a_short_slice_is_advised_next_to_load_where_it_was_measured_to_help() {
    let with = |slice, wait: Wait| Wait { slice_ns: slice, slack_ns: Some(1), ..wait };
    let short = Some(100_000);
    let advice = advised([
        with(None, wait("sleep", Load::None, 28_000, 44_000, 20e3)),
        with(short, wait("sleep", Load::None, 28_000, 44_000, 20e3)),
        with(None, wait("sleep", Load::Normal, 31_000, 3_992_000, 20e3)),
        with(short, wait("sleep", Load::Normal, 28_000, 56_000, 20e3)),
        wait("spin", Load::None, 70, 900, 1e6),
        wait("spin", Load::Normal, 70, 9_000_000, 1e6),
    ]);
    let loaded = of_goal(&advice, Goal::Load);
    let choice = loaded.wait.as_ref().expect("a wait");
    assert_eq!((choice.slice_ns, choice.compared), (short, 3));
    let expected = "sleep with timer slack 1 ns and a slice of 100 us";
    assert!(loaded.why.starts_with(expected), "{}", loaded.why);
    assert!(loaded.why.contains("interrupted more often"), "{}", loaded.why);
    assert!(loaded.code["C"].contains("attributes.runtime = 100000;"), "{}", loaded.code["C"]);
    assert!(loaded.code["Rust"].contains("Waiter::shorten_slice"), "{}", loaded.code["Rust"]);
    // Idle, it makes no difference, and what needs no slice is simpler.
    let cheap = of_goal(&advice, Goal::Cpu).wait.as_ref().expect("a wait");
    assert_eq!(cheap.slice_ns, None);
    assert!(!advice.iter().any(|a| {
        a.code.values().any(|code| code.lines().any(|line| line.chars().count() > 66))
    }));
}

#[test]
fn a_spin_is_later_than_no_sleep_because_of_a_few_waits_that_were_interrupted() {
    // At 100 us the machine took the CPU for 4 ms in one of a hundred waits of the spin.
    let advice = advised([
        of_many("sleep", Load::None, &[(24_000, 900), (30_000, 100)], 16e3),
        of_many("spin", Load::None, &[(90, 900), (250, 85), (4_000_000, 15)], 1e5),
    ]);
    assert_eq!(of_goal(&advice, Goal::Accuracy).clock.as_deref(), Some("spin"));
    assert_eq!(of_goal(&advice, Goal::Cpu).clock.as_deref(), Some("sleep"));
}

#[test]
fn the_tail_counts_before_the_median() {
    let late = |id, p50, p90| wait(id, Load::None, p50, p90, 1e6);
    let advice = advised([
        late("spin", 70, 4_020_000),
        late("nearly", 30_000, 60_000),
        late("as good", 9_000, 61_000),
        late("sleep", 90_000, 900_000),
    ]);
    let least = of_goal(&advice, Goal::Accuracy);
    assert_eq!(least.clock.as_deref(), Some("as good"));
    for figure in ["9.01 us", "90 % by at most 61.0 us", "the worst by 61.0 us"] {
        assert!(least.why.contains(figure), "{}", least.why);
    }
    assert!(least.why.contains("Each of the 3 others is later"), "{}", least.why);
}

#[test]
fn of_methods_that_cannot_be_told_apart_the_cheapest_and_then_the_simplest_is_advised() {
    let kind = |kind, wait| Wait { kind, ..wait };
    let spin = kind(Kind::Busy, wait("spin", Load::None, 200, 400, 1e6));
    let both = kind(Kind::Hybrid, wait("both", Load::None, 240, 500, 50e3));
    let other = kind(Kind::Hybrid, wait("other", Load::None, 150, 300, 55e3));
    let mut set = wait("sleep", Load::None, 40_000, 50_000, 20e3);
    (set.slack_ns, set.default_slack) = (Some(1), false);
    let plain = wait("sleep", Load::None, 45_000, 60_000, 21e3);
    let all = [set, plain, spin, both, other];
    let advice = advised(all.clone());
    let accurate = of_goal(&advice, Goal::Accuracy);
    assert_eq!(accurate.clock.as_deref(), Some("both"));
    let choice = accurate.wait.as_ref().expect("a wait");
    assert_eq!((choice.equal.join(", ").as_str(), choice.compared), ("spin, other", 5));
    // Neither method needs a setting.
    let cheap = of_goal(&advice, Goal::Cpu).wait.as_ref().expect("a wait");
    assert_eq!(cheap.slack_ns, None);
    assert_eq!(cheap.equal, ["sleep with timer slack 1 ns"]);
    assert!(cheap.is(&all[1]) && !cheap.is(&all[0]));
}

#[test]
fn a_few_waits_are_not_judged() {
    let few = of_many("spin", Load::None, &[(70, 29)], 1e6);
    let advice = advised([few.clone(), wait("sleep", Load::None, 50_000, 60_000, 1e3)]);
    let accurate = of_goal(&advice, Goal::Accuracy);
    assert_eq!(accurate.clock.as_deref(), Some("sleep"));
    let advice = advised([few]);
    assert!(advice.iter().all(|a| a.clock.is_none() && a.code.is_empty()));
    let why = &advice[0].why;
    assert!(why.contains("30 waits") && why.contains("29"), "{why}");
}

#[test]
fn waits_next_to_a_load_that_died_are_not_recommended() {
    let mut spared = wait("spared", Load::High, 70, 900, 1e6);
    let mut run = LoadRun::default();
    run.processes.push(LoadProcess { ended_s: Some(1.0), ..LoadProcess::default() });
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
