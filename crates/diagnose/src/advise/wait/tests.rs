//! Which wait is advised.

use super::*;
use chronoscope_model::Environment;
use chronoscope_model::clock::Language;
use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::waits::{Grid, Kind, LoadProcess, LoadRun};

/// A row of 1000 waits of 1 ms, of which 880 overshot by `p50` and the rest by `p90`.
fn wait(id: &str, load: Load, p50: u64, p90: u64, cpu: f64) -> Wait {
    of_many(id, load, &[(p50, 880), (p90, 120)], cpu)
}

/// The same of a spin.
fn spin(id: &str, load: Load, p50: u64, p90: u64, cpu: f64) -> Wait {
    Wait { kind: Kind::Busy, ..wait(id, load, p50, p90, cpu) }
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
        spin("spin", Load::None, 70, 900, 1e6),
        spin("spin", Load::Low, 70, 900, 1e6),
        spin("spin", Load::Normal, 70, 9_000_000, 1e6),
        wait("sleep", Load::None, 99_000, 99_000, 20_000.0),
        wait("sleep", Load::Low, 50_000, 70_000, 20_000.0),
        wait("sleep", Load::Normal, 50_000, 4_000_000, 20_000.0),
    ]);
    let methods =
        GOALS.map(|goal| of_goal(&advice, goal).clock.clone().expect("enough was measured"));
    assert_eq!(methods, ["slack", "spin", "slack", "sleep"]);
    let code = &of_goal(&advice, Goal::Cpu).code["C"];
    assert!(code.contains("\nprctl(PR_SET_TIMERSLACK, 1);\n"), "{code}");
    let loaded = of_goal(&advice, Goal::Load);
    assert!(loaded.why.contains("4 ms") && loaded.why.contains("normal"), "{}", loaded.why);
    // A method that lacks one of the loads is not compared.
    assert_eq!(loaded.wait.as_ref().expect("a wait").compared, 2);
    let about = |a: &Advice| a.purpose == WAIT.id && a.title.contains("1 ms");
    assert!(advice.iter().all(about) && advice.iter().all(|a| !a.criterion.is_empty()));
}

#[test]
fn a_median_decides_under_load_if_there_are_too_few_waits_for_a_tail() {
    let tail = |p50: u64, p90: u64| [(p50, 38), (p90, 4), (4_800_000, 3)];
    let chosen = |p50: u64| {
        let library = of_many("library", Load::Normal, &tail(170, 18_000), 40e3);
        let advice = advised([
            of_many("sleep", Load::Normal, &tail(p50, p50 + 6_000), 20e3),
            Wait { kind: Kind::Hybrid, language: Language::Rust, ..library },
            spin("spin", Load::Normal, 70, 9_000_000, 1e6),
        ]);
        // The best, and that of the other language.
        (advice[0].clock.clone().expect("one"), advice[1].why.contains("is better"))
    };
    assert_eq!(chosen(68_000), ("library".into(), true));
    // What is not worth the CPU time is a tie, and the loser of a tie is not worse.
    assert_eq!(chosen(8_000), ("sleep".into(), false));
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
        spin("spin", Load::None, 70, 900, 1e6),
        spin("spin", Load::Normal, 70, 9_000_000, 1e6),
    ]);
    let loaded = of_goal(&advice, Goal::Load);
    let choice = loaded.wait.as_ref().expect("a wait");
    assert_eq!((choice.slice_ns, choice.compared), (short, 3));
    let expected = "sleep with timer slack 1 ns and a slice of 100 us";
    assert!(loaded.why.starts_with(expected), "{}", loaded.why);
    assert!(loaded.why.contains("interrupted more often"), "{}", loaded.why);
    assert!(loaded.code["C"].contains("attributes.runtime = 100000;"), "{}", loaded.code["C"]);
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
        Wait {
            kind: Kind::Busy,
            ..of_many("spin", Load::None, &[(90, 900), (250, 85), (4_000_000, 15)], 1e5)
        },
    ]);
    assert_eq!(of_goal(&advice, Goal::Accuracy).clock.as_deref(), Some("spin"));
    assert_eq!(of_goal(&advice, Goal::Cpu).clock.as_deref(), Some("sleep"));
}

#[test]
fn the_tail_counts_before_the_median() {
    let late = |id, p50, p90| wait(id, Load::None, p50, p90, 100e3);
    let advice = advised([
        late("spin", 70, 4_020_000),
        late("nearly", 30_000, 60_000),
        late("as good", 9_000, 61_000),
        late("sleep", 90_000, 900_000),
    ]);
    let least = of_goal(&advice, Goal::Accuracy);
    assert_eq!(least.clock.as_deref(), Some("as good"));
    for figure in ["9.01 us", "90 % at most 61 us (95 % interval 61 us to 61 us)"] {
        assert!(least.why.contains(figure), "{}", least.why);
    }
    assert!(least.why.contains("Each of the 3 others is later"), "{}", least.why);
}

#[test]
fn of_methods_that_cannot_be_told_apart_the_cheapest_and_then_the_simplest_is_advised() {
    let kind = |kind, wait| Wait { kind, ..wait };
    let spin = spin("spin", Load::None, 200, 400, 1e6);
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
    let few = of_many("few", Load::None, &[(70, 28)], 100e3);
    let advice = advised([few.clone(), wait("sleep", Load::None, 50_000, 60_000, 1e3)]);
    let accurate = of_goal(&advice, Goal::Accuracy);
    assert_eq!(accurate.clock.as_deref(), Some("sleep"));
    let advice = advised([few]);
    // The usual choice needs a median alone.
    let (usual, others): (Vec<Advice>, Vec<Advice>) =
        advice.into_iter().partition(|a| a.wait.as_ref().is_some_and(|w| w.goal == Goal::Usual));
    assert!(usual[0].clock.is_some() && !usual[0].why.contains("90 %"), "{}", usual[0].why);
    assert!(others.iter().all(|a| a.clock.is_none() && a.code.is_empty()));
    let why = &others[0].why;
    assert!(why.contains("30 waits") && why.contains("28"), "{why}");
}

#[test]
fn waits_next_to_a_load_that_died_are_not_recommended() {
    let mut spared = wait("spared", Load::High, 70, 900, 100e3);
    let mut run = LoadRun::default();
    run.processes.push(LoadProcess { ended_s: Some(1.0), ..LoadProcess::default() });
    spared.load_run = Some(run);
    let advice = advised([spared, wait("loaded", Load::High, 70, 9_000, 100e3)]);
    let methods: Vec<&str> = advice.iter().filter_map(|a| a.clock.as_deref()).collect();
    assert_eq!(methods, ["loaded"]);
}

#[test]
fn the_usual_wait_sleeps_and_is_compared_with_a_spin() {
    let hybrid = |ns, share| {
        let row = wait("both", Load::None, ns, 2 * ns, share * 1e6);
        Wait { kind: Kind::Hybrid, cpu_share: Some(share), ..row }
    };
    let busy = || spin("spin", Load::None, 219, 4_000_000, 990e3);
    let sleep = || wait("sleep", Load::None, 57_000, 60_000, 20e3);
    let usual = |waits: Vec<Wait>| of_goal(&advised(waits), Goal::Usual).clone();
    let both = usual(vec![sleep(), busy(), hybrid(459, 0.042)]);
    assert_eq!((both.clock.as_deref(), both.summary), (Some("both"), true));
    assert_eq!(both.figure, "459 ns late, 4.2 % of a CPU (spinning: 219 ns, 99.0 %)");
    let choice = both.wait.expect("a wait");
    assert_eq!((choice.p50_ns, choice.cpu_share), (Some(459), Some(0.042)));
    let spinning = choice.spinning.expect("the spin");
    assert_eq!((spinning.wait.as_str(), spinning.p50_ns), ("spin", 219));
    // No code spins unless accuracy is asked for: also not where the time is too short to sleep
    // first.
    // A timer that polls spins as well, whatever it is called.
    let polls = Wait { cpu_share: Some(0.97), ..wait("polls", Load::None, 9_000, 20_000, 970e3) };
    for waits in [vec![sleep(), busy()], vec![sleep(), busy(), hybrid(219, 0.97), polls]] {
        for goal in [Goal::Usual, Goal::Cpu] {
            let advice = advised(waits.clone());
            assert_eq!(of_goal(&advice, goal).clock.as_deref(), Some("sleep"));
        }
    }
    let none = usual(vec![busy()]);
    assert!(none.clock.is_none() && none.code.is_empty() && none.why.contains("spins"));
    // Of a few waits it is not known.
    let few = of_many("both", Load::None, &[(400, 3), (30_000, 5)], 40e3);
    let few = usual(vec![sleep(), busy(), Wait { kind: Kind::Hybrid, ..few }]);
    assert!(few.clock.is_some());
}

#[test]
fn a_summary_shows_the_usual_wait_of_a_duration_with_enough_waits() {
    let of = |ns, n| Wait {
        requested_ns: Some(ns),
        ..of_many("sleep", Load::None, &[(50_000, n)], 20e3)
    };
    let shown = |waits: [Wait; 3]| {
        let advice = advised(waits);
        let shown = advice.into_iter().find(|advice| advice.summary).expect("one");
        shown.wait.expect("a wait").requested_ns
    };
    assert_eq!(shown([of(100_000, 500), of(1_000_000, 70), of(10_000_000, 40)]), 1_000_000);
    assert_eq!(shown([of(100_000, 500), of(1_000_000, 70), of(10_000_000, 8)]), 1_000_000);
    assert_eq!(shown([of(100_000, 500), of(1_000_000, 5), of(10_000_000, 5)]), 100_000);
}

#[test]
fn each_language_has_its_own_rows_and_no_code_is_under_the_figures_of_another() {
    let mut economy = wait("economy", Load::None, 3_000, 9_000, 5e3);
    (economy.kind, economy.language) = (Kind::Hybrid, Language::Rust);
    let sleep = wait("sleep", Load::None, 50_000, 60_000, 9e3);
    let advice = advised([economy, sleep.clone()]);
    let cheap: Vec<&Advice> = advice
        .iter()
        .filter(|a| a.wait.as_ref().is_some_and(|choice| choice.goal == Goal::Cpu))
        .collect();
    let [best, other] = cheap[..] else {
        panic!("{cheap:?}");
    };
    assert_eq!((best.clock.as_deref(), other.clock.as_deref()), (Some("economy"), Some("sleep")));
    assert_eq!(best.code.keys().collect::<Vec<_>>(), ["Rust"]);
    assert_eq!(other.code.keys().collect::<Vec<_>>(), ["C"]);
    let choice = other.wait.as_ref().expect("a wait");
    assert!(choice.is(&sleep) && choice.languages == ["C"]);
    assert!(other.why.ends_with("economy is better, but for Rust only."), "{}", other.why);
    assert!(other.why.contains("Measured in C."), "{}", other.why);
}

#[test]
fn the_library_is_offered_in_its_languages_unless_it_was_measured_there() {
    let sleep = wait("sleep", Load::None, 50_000, 60_000, 9e3);
    let own = Wait { call: "chronoscope_sleep_ns(ns, NULL)".into(), ..sleep.clone() };
    let own = Wait { id: "own".into(), ..own };
    let whys = |waits: Vec<Wait>| {
        let all = advised(waits).into_iter().map(|advice| advice.why).collect::<Vec<_>>();
        all.iter().filter(|why| why.contains("install-capi")).count()
    };
    assert_eq!((whys(vec![sleep.clone()]), whys(vec![sleep, own])), (1, 0));
}

#[test]
fn a_loop_is_advised_with_the_code_of_its_row_and_its_pace() {
    let paced = |id, p50, missed, code: &str| Wait {
        period_ns: Some(1_000_000),
        work_ns: Some(200_000),
        code: code.into(),
        std_dev_ns: Some(1_500.0),
        grid: Some(Grid { missed, frames_per_s: Some(999.0), ..Grid::default() }),
        ..wait(id, Load::None, p50, 2 * p50, 20e3)
    };
    // Lines of an earlier version make one wait, and a wait of 1 ms is another question.
    let advice = advised([
        paced("best", 30_000, 0, "once();"),
        paced("loop", 50_000, 1, "for (;;) {\n    // work\n    wait();\n}"),
        wait("single", Load::None, 20_000, 30_000, 9e3),
    ]);
    let usual = |paced: bool| {
        let mut all = advice.iter().filter_map(|it| Some((it, it.wait.as_ref()?)));
        let found = all.find(|(_, of)| of.goal == Goal::Usual && of.paced.is_some() == paced);
        found.expect("both were measured")
    };
    assert_eq!(usual(false).0.clock.as_deref(), Some("single"));
    let (looped, choice) = usual(true);
    assert_eq!(looped.clock.as_deref(), Some("loop"));
    assert!(looped.code["C"].contains("// work"), "{:?}", looped.code);
    assert!(looped.figure.starts_with("999.0 frames/s, 50 us late"), "{}", looped.figure);
    assert_eq!(looped.title, "Loop every 1 ms with 200 us of work: for most uses");
    let kept = "loop: 999.0 frames/s of 1000.0, 1 deadline missed, jitter 1.5 us; of 1,000 waits";
    assert!(looped.why.starts_with(kept), "{}", looped.why);
    assert_eq!((choice.compared, choice.paced.as_ref().map(|it| it.missed)), (1, Some(1)));
    // If no loop is known, there is no choice, and the reason is not the number of waits.
    let none = advised([paced("best", 30_000, 0, "")]);
    assert!(none[0].clock.is_none() && none[0].why.contains("no loop is known"), "{none:?}");
}

#[test]
fn what_only_spins_is_never_the_least_cpu_time() {
    let advice = advised([spin("spin", Load::None, 70, 900, 1e6)]);
    let cheap = of_goal(&advice, Goal::Cpu);
    assert!(cheap.clock.is_none() && cheap.code.is_empty());
    assert!(cheap.why.contains("spins"), "{}", cheap.why);
}

#[test]
fn without_waits_there_is_no_advice() {
    assert!(advised([]).is_empty());
    assert!(advised([Wait::default()]).is_empty());
}

fn measured(language: Language) -> Wait {
    Wait { language, code: "measured();".into(), ..Wait::default() }
}

#[test]
fn what_was_set_is_set_first_and_the_default_is_not() {
    let set = Wait { slack_ns: Some(1), slice_ns: Some(100_000), ..measured(Language::C) };
    let code = code_of(&set, System::Linux).expect("C sets both");
    let places = ["#include <sys/prctl.h>", "runtime = 100000", "SLACK, 1", "measured();"];
    let places = places.map(|text| code.find(text).expect(text));
    assert!(places.is_sorted(), "{code}");
    let usual = Wait { slack_ns: Some(50_000), default_slack: true, ..set.clone() };
    assert!(!code_of(&usual, System::Linux).expect("a code").contains("prctl"));
    let spin = Wait { kind: Kind::Busy, slice_ns: None, ..set };
    assert_eq!(code_of(&spin, System::Linux).as_deref(), Some("measured();"));
    let period = Wait { timer_period_ms: Some(1), slack_ns: Some(1), ..measured(Language::C) };
    let code = code_of(&period, System::Windows).expect("C sets it");
    assert!(code.contains("timeBeginPeriod(1);") && !code.contains("prctl"), "{code}");
}
