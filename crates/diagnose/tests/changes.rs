//! What a comparison of two stored reports says besides the costs.

use crate::runs;

use chronoscope_diagnose::compare::{compare, stored};
use chronoscope_model::clock::{BuiltOn, Facts, Grade, Reads, Verdict as Judgement};
use chronoscope_model::compare::{Change, Difference, Key, Quantity, Section, Unit, Verdict};
use chronoscope_model::environment::{ClockSource, Hypervisor};
use chronoscope_model::finding::{Check, Outcome};
use chronoscope_model::histogram::Histogram;
use chronoscope_model::load::Load;
use chronoscope_model::quantile::{Interval, Intervals};
use chronoscope_model::runtimes::RuntimeClock;
use chronoscope_model::trust::{RateAgainst, Watch};
use chronoscope_model::{Certainty, Estimate, Finding, Report, Runtime, Trust, Wait};

fn of(a: &Report, b: &Report) -> Change {
    stored(("a.json", a), ("b.json", b))
}

/// Two reports of one clock, 20 % apart.
fn two() -> [Report; 2] {
    [20.0, 24.0].map(|ns| {
        let cost = runs::cost(ns, 0.001);
        let mut report = runs::report(vec![runs::clock("posix/monotonic", Reads::Vdso, cost)]);
        let env = &mut report.environment;
        (env.arch, env.os) = ("x86_64".into(), "Debian GNU/Linux 12".into());
        (env.cpu.model, env.kernel) = (Some("AMD EPYC".into()), Some("6.18".into()));
        env.clocksource = Some(ClockSource { current: "tsc".into(), available: Vec::new() });
        report.run.tool_version = "0.1.0".into();
        report
    })
}

fn said<'a>(all: &'a [Difference], key: &str) -> Option<&'a Difference> {
    all.iter().find(|it| it.key == key)
}

#[test]
fn what_differs_is_said_and_the_facts_that_a_reader_would_ask_for() {
    let [a, mut b] = two();
    let same = of(&a, &b).environment;
    let keys: Vec<&str> = same.iter().map(|it| &*it.key).collect();
    assert_eq!(keys, ["processor", "kernel", "tool", "clock source"]);
    assert!(same.iter().all(|it| it.is_same() && !it.matters));
    type Alter = fn(&mut Report);
    let cases: [(&str, bool, Alter); 8] = [
        ("kernel", true, |it| it.environment.kernel = Some("6.19".into())),
        ("system", true, |it| it.environment.os = "Debian GNU/Linux 13".into()),
        ("clock source", true, |it| it.environment.clocksource = None),
        ("frequency governor", true, |it| it.environment.power.governor = Some("x".into())),
        ("hardware threads share cores", true, |it| it.environment.cpu.smt = Some(true)),
        ("timer slack", true, |it| it.environment.timer_slack_ns = Some(1)),
        ("tool", true, |it| it.run.tool_version = "0.2.0".into()),
        ("CPU of the run", false, |it| it.ruler.as_mut().expect("a ruler").cpu = Some(1)),
    ];
    for (key, matters, alter) in cases {
        b = two()[1].clone();
        alter(&mut b);
        let change = of(&a, &b);
        let found = said(&change.environment, key).unwrap_or_else(|| panic!("{key}"));
        assert!(!found.is_same() && found.matters == matters, "{found:?}");
        let others = change.environment.iter().filter(|it| it.key != key);
        assert!(others.clone().all(Difference::is_same), "{key}");
        // It is still the same machine.
        assert_eq!(change.rows[0].verdict, Verdict::Worse, "{key}");
    }
}

#[test]
fn another_machine_is_neither_worse_nor_better() {
    type Alter = fn(&mut Report);
    let kvm = || Some(Hypervisor { name: "KVM".into(), ..Hypervisor::default() });
    let cases: [Alter; 5] = [
        |it| it.environment.cpu.model = Some("another".into()),
        |it| it.environment.arch = "aarch64".into(),
        |it| it.environment.os = "Windows 11".into(),
        |it| it.environment.emulated = Some("QEMU".into()),
        |it| it.environment.hypervisor = None,
    ];
    for alter in cases {
        let [mut a, mut b] = two();
        for it in [&mut a, &mut b] {
            it.environment.hypervisor = kvm();
        }
        alter(&mut b);
        let (there, back) = (of(&a, &b), of(&b, &a));
        assert_eq!([&there, &back].map(|it| it.rows[0].verdict), [Verdict::Higher, Verdict::Lower]);
        assert_eq!((there.counts.worse, back.counts.better), (1, 1));
        let compared = compare(&[("a".into(), a), ("b".into(), b)]);
        assert!(!compared.clocks.is_empty() && compared.change.is_some());
    }
}

/// Of two runs three seconds apart, a neighbour had the core of one in nearly all rounds, and 29 of
/// 36 costs were more than a tenth apart.
#[test]
fn a_cost_for_which_the_core_was_never_alone_proves_no_change() {
    for side in [0, 1] {
        let mut both = two();
        let cost = both[side].clocks[0].cost.throughput.as_mut().expect("a cost");
        cost.only_shared = true;
        let change = of(&both[0], &both[1]);
        let counts = change.counts;
        assert_eq!((counts.worse, counts.better, counts.cannot_tell), (0, 0, 1), "{change:?}");
        let why = change.rows[0].why.as_deref().unwrap_or_default();
        assert!(why.contains("the core was shared throughout"), "{why}");
    }
}

#[test]
fn up_to_four_reports_are_compared_with_the_first() {
    let [a, b] = two();
    let of = |count: usize| {
        let named = (0..count).map(|at| (format!("{at}"), if at == 0 { &a } else { &b }.clone()));
        compare(&named.collect::<Vec<_>>())
    };
    let four = of(4);
    assert_eq!((four.change.map(|it| it.b.file), four.more.len()), (Some("1".into()), 2));
    assert!(four.clocks.is_empty(), "of one machine");
    let five = of(5);
    assert!(five.change.is_none() && five.more.is_empty() && !five.clocks.is_empty());
    assert!(of(1).change.is_none() && of(0).change.is_none());
}

#[test]
fn what_stored_reports_cannot_tell_says_what_would() {
    let [mut a, mut b] = two();
    for (report, ns) in [(&mut a, 20.0), (&mut b, 26.0)] {
        let cost = || Some(runs::cost(ns, 0.001));
        let facts = Facts { reads: Reads::Counter, exits_guest: true, ..Facts::default() };
        let tick = Facts { built_on: BuiltOn::Tick, ..Facts::default() };
        for (id, facts) in [("x86/cpuid-rdtsc", facts), ("linux/monotonic-coarse", tick)] {
            let mut clock = report.clocks[0].clone();
            (clock.id, clock.facts) = (id.into(), Some(facts));
            (clock.cost.throughput, clock.cost.cold) = (cost(), cost());
            (clock.cost.first, clock.cost.latency) = (cost(), cost());
            report.clocks.push(clock);
        }
    }
    let coarse = |id: &str| id == "linux/monotonic-coarse";
    let judged = |quantity| matches!(quantity, Quantity::Ordered | Quantity::Read);
    for row in &of(&a, &b).rows[1..] {
        let Key { id, quantity, .. } = &row.key;
        assert_eq!(row.p.is_some(), coarse(id) && judged(*quantity), "{row:?}");
        let changed = coarse(id) && *quantity == Quantity::Ordered;
        assert_eq!(row.verdict.changed(), changed, "{row:?}");
        assert!(changed || row.why.as_ref().is_some_and(|why| why.contains("--run")), "{row:?}");
    }
    // Neither rhythm of a stored time's reads explains three times the cost.
    b.clocks[2].cost.throughput = Some(runs::cost(60.0, 0.001));
    let change = of(&a, &b);
    let row = change.rows.iter().find(|it| coarse(&it.key.id)).expect("a row");
    assert_eq!((row.key.quantity, row.verdict), (Quantity::Read, Verdict::Worse));
}

fn wait(load: Load, p90_ns: u64) -> Wait {
    let interval = Some(Interval { low_ns: p90_ns - 10, high_ns: Some(p90_ns + 10) });
    Wait {
        id: "linux/nanosleep".into(),
        requested_ns: Some(1_000_000),
        load,
        samples: 100,
        max_ns: i64::MAX,
        overshoot: Histogram { count: 100, p90_ns: Some(p90_ns), ..Histogram::default() },
        intervals: Intervals { p90: interval, ..Intervals::default() },
        ..Wait::default()
    }
}

#[test]
fn waits_under_other_loads_are_compared_and_the_load_is_named() {
    let report = |waits: &[Wait]| Report { waits: waits.to_vec(), ..Report::default() };
    let idle = report(&[wait(Load::None, 1000)]);
    let busy = report(&[wait(Load::Normal, 9000)]);
    let change = of(&idle, &busy);
    let [row] = &change.rows[..] else { panic!("{:?}", change.rows) };
    assert_eq!((row.a.value_ns, row.b.value_ns), (1000.0, 9000.0));
    assert_eq!(row.why.as_deref(), Some("the load is none in A and normal in B"));
    let load = said(&change.environment, "load").expect("it differs");
    assert!(load.matters && load.b.as_deref() == Some("normal"), "{load:?}");
    // The same load comes first, and what only one has is no row.
    let both = report(&[wait(Load::None, 1000), wait(Load::Normal, 9000)]);
    let rows = of(&both, &busy).rows;
    assert_eq!(rows.iter().map(|row| row.a.value_ns).collect::<Vec<_>>(), [9000.0]);
    assert_eq!(rows[0].verdict, Verdict::CannotTell);
    // A grid of deadlines is another wait.
    let grid = report(&[Wait { period_ns: Some(1_000_000), ..wait(Load::None, 1000) }]);
    assert!(of(&idle, &grid).rows.is_empty());
    // Mains and battery.
    let on = |power: &str| report(&[Wait { power: Some(power.into()), ..wait(Load::None, 1000) }]);
    let change = of(&on("mains"), &on("battery"));
    assert!(said(&change.environment, "power source").is_some_and(|it| it.matters));
}

#[test]
fn findings_verdicts_and_trust_are_gained_and_lost() {
    let finding = |id: &str, certainty, title: &str| Finding {
        id: id.into(),
        certainty,
        title: title.into(),
        ..Finding::default()
    };
    let trust = |violations, ppm: f64| {
        let mut watch = Watch { id: "posix/monotonic".into(), ..Watch::default() };
        watch.one_thread = Some(Default::default());
        watch.one_thread.as_mut().expect("just set").violations = violations;
        let (low_ppm, high_ppm) = (ppm - 0.1, ppm + 0.1);
        let rate = RateAgainst { ppm, low_ppm, high_ppm, ..RateAgainst::default() };
        Some(Trust { clocks: vec![watch], rates: vec![rate], ..Trust::default() })
    };
    let check = |outcome| Check { id: "steps".into(), outcome, ..Check::default() };
    let [mut a, mut b] = two();
    let seen = Certainty::Measured;
    a.findings = vec![finding("lost", seen, "x"), finding("kept", seen, "1 time")];
    b.findings =
        vec![finding("kept", seen, "2 times"), finding("unknown", Certainty::Unknown, "x")];
    b.findings.push(finding("gained", seen, "y"));
    (a.trust, b.trust) = (trust(0, 1.0), trust(3, 2.0));
    (a.checks, b.checks) = (vec![check(Outcome::Clear)], vec![check(Outcome::Found)]);
    let verdict = |grade| Some(Judgement { grade, text: format!("{grade:?}") });
    a.clocks[0].verdict = verdict(Grade::Good);
    b.clocks[0].verdict = verdict(Grade::Avoid);
    let change = of(&a, &b);
    let keys = |all: &[Difference]| all.iter().map(|it| it.key.clone()).collect::<Vec<_>>();
    assert_eq!(keys(&change.findings), ["gained", "lost"]);
    assert_eq!(change.findings[0].b.as_deref(), Some("y"));
    assert_eq!(keys(&change.verdicts), ["posix/monotonic"]);
    assert_eq!(keys(&change.trust), ["steps", "steps back of posix/monotonic", "rate of  by "]);
}

/// The interval of a runtime is Student's for its processes, so few of them prove less.
#[test]
fn runtimes_of_few_processes_need_a_larger_change() {
    let report = |ns: f64, processes| {
        let read = Estimate { processes: Some(processes), ..runs::cost(ns, 0.03) };
        let clock =
            RuntimeClock { id: "time".into(), throughput: Some(read), ..RuntimeClock::default() };
        let runtime = Runtime { id: "python".into(), clocks: vec![clock], ..Runtime::default() };
        Report { runtimes: vec![runtime], ..Report::default() }
    };
    let verdicts = [2, 3, 6].map(|processes| {
        let change = of(&report(40.0, processes), &report(43.0, processes));
        let wanted = Key { section: Section::Runtimes, id: "python/time".into(), ..Key::default() };
        assert_eq!((&change.rows[0].key, change.unit), (&wanted, Unit::Ns));
        change.rows[0].p.expect("judged")
    });
    assert!(verdicts[0] > verdicts[1] && verdicts[1] > verdicts[2], "{verdicts:?}");
    assert!(verdicts[2] < 0.05);
}
