//! The screens of a comparison to the character, and properties of all of its forms.

use chronoscope_diagnose::compare::rule;
use chronoscope_model::compare::{
    Change, Compared, Difference, Figure, Key, Method, Quantity, Row, SCHEMA, Section, Shared,
    Side, Verdict,
};
use chronoscope_model::load::Load;
use chronoscope_report::compare::{FORMATS, view};
use chronoscope_report::page::{self, Input};
use chronoscope_report::section::Detail;
use chronoscope_report::text::{self, Style};
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

/// A row whose figures have intervals of 0.5 %.
fn row(id: &str, quantity: Quantity, ns: f64, change: f64, verdict: Verdict) -> Row {
    let figure = |ns: f64| Figure { value_ns: ns, low_ns: ns * 0.995, high_ns: ns * 1.005 };
    Row {
        key: Key { id: id.into(), quantity, ..Key::default() },
        a: figure(ns),
        b: figure(ns * (1.0 + change)),
        change,
        change_low: change - 0.007,
        change_high: change + 0.007,
        at_most: change.abs() + 0.007,
        p: Some(if verdict.changed() { 0.001 } else { 0.8 }),
        verdict,
        ..Row::default()
    }
}

fn fact(key: &str, a: &str, b: &str, matters: bool) -> Difference {
    Difference { key: key.into(), a: Some(a.into()), b: Some(b.into()), matters }
}

/// Two reports between which system calls became slower.
fn slower() -> Change {
    let side = |file: &str| Side {
        file: file.into(),
        started: "2026-11-23T04:04:05Z".into(),
        cpu: Some(1),
        ..Side::default()
    };
    let of = |quantity, verdict| {
        let calls = (0..15).map(move |at| {
            let change =
                if verdict == Verdict::Same { 0.002 } else { 0.11 + f64::from(at) / 500.0 };
            row(&format!("linux/call-{at}"), quantity, 150.0, change, verdict)
        });
        calls.chain((0..9).map(move |at| {
            let id = format!("posix/read-{at}");
            row(&id, quantity, 20.0, f64::from(at) / 1000.0, Verdict::Same)
        }))
    };
    let mut rows: Vec<Row> = of(Quantity::Read, Verdict::Worse).collect();
    rows.push(row("c/clock", Quantity::Read, 210.0, -0.12, Verdict::Better));
    rows.push(row("c/times", Quantity::Read, 210.0, 0.03, Verdict::CannotTell));
    let unjudged = |it: Row, why: &str| Row {
        p: None,
        why: Some(why.into()),
        verdict: Verdict::CannotTell,
        ..it
    };
    let read = row("x86/cpuid-rdtsc", Quantity::Read, 4059.0, 0.38, Verdict::Same);
    rows.push(unjudged(read, "leaves the guest: use --run"));
    rows.extend(of(Quantity::Ordered, Verdict::Same));
    rows.extend(of(Quantity::Cold, Verdict::Same).map(|it| unjudged(it, "use --run")));
    let only = |key: &str, a: Option<&str>, b: Option<&str>| Difference {
        key: key.into(),
        a: a.map(Into::into),
        b: b.map(Into::into),
        matters: true,
    };
    Change {
        a: side("runs/before.json"),
        b: Side {
            disturbed: vec!["its core was shared in 99 % of the rounds".into()],
            ..side("after.json")
        },
        environment: vec![
            fact("processor", "AMD EPYC", "AMD EPYC", false),
            fact("core frequency", "3.73 GHz", "3.70 GHz", false),
            fact("kernel", "6.1.0", "6.8.0", true),
            fact("tool", "0.1.0", "0.1.0", false),
        ],
        shared: vec![Shared {
            fact: "reads".into(),
            value: "system-call".into(),
            changed: 16,
            of: 16,
            same: 0,
        }],
        findings: vec![
            only("noisy-machine", None, Some("The machine was busy during the run")),
            only("no-vdso", Some("There is no vDSO"), None),
        ],
        verdicts: vec![fact("posix/monotonic", "good", "slow: 219 ns", true)],
        trust: vec![fact("counters of the CPUs", "in step", "1 of 4 pairs apart", true)],
        counts: rule::counts(&rows),
        rows,
        ..Change::default()
    }
}

/// The same report twice.
fn nothing() -> Change {
    let mut change = slower();
    change.rows.retain(|row| row.verdict == Verdict::Same);
    for list in [&mut change.findings, &mut change.verdicts, &mut change.trust] {
        list.clear();
    }
    change.shared.clear();
    change.b.disturbed.clear();
    change.environment.retain(Difference::is_same);
    change
}

/// Waits, judged or not.
fn waits(judged: bool) -> Change {
    let waits = ["linux/timerfd", "rust/thread-sleep"].into_iter().flat_map(|id| {
        ["p50", "p90", "p99"].map(|at| {
            let verdict = if judged && at == "p90" { Verdict::Worse } else { Verdict::CannotTell };
            let mut row = row(id, Quantity::Overshoot, 55_300.0, 0.2, verdict);
            row.key = Key {
                section: Section::Waits,
                percentile: Some(at.into()),
                requested_ns: Some(1_000_000),
                slack_ns: Some(50_000),
                load: Some(Load::None),
                ..row.key
            };
            row.p = row.p.filter(|_| judged);
            row.why = (!judged).then(|| "use compare --run".into());
            row
        })
    });
    Change { rows: waits.collect(), ..nothing() }
}

fn compared(changes: impl IntoIterator<Item = Change>) -> Compared {
    let mut changes = changes.into_iter();
    let (change, more) = (changes.next(), changes.collect());
    Compared { schema: SCHEMA.into(), change, more, ..Compared::default() }
}

fn samples() -> [(&'static str, Compared); 5] {
    let pairs = Compared {
        method: Method::Pairs,
        pairs: Some(8),
        threshold: Some(0.05),
        exceeded: true,
        ..compared([waits(true)])
    };
    [
        ("compare-slower", compared([slower()])),
        ("compare-nothing", compared([nothing()])),
        ("compare-three", compared([slower(), nothing()])),
        ("compare-waits", compared([waits(false)])),
        ("compare-pairs", pairs),
    ]
}

fn screen(compared: &Compared, detail: Detail, style: &Style) -> String {
    text::detailed(view(compared, detail), detail, style)
}

#[test]
fn every_screen_is_as_it_was_reviewed() {
    for (name, compared) in samples() {
        let mut all = String::new();
        for (width, unicode) in [(60, true), (80, true), (120, true), (80, false)] {
            let style = Style { width, unicode, ..Style::default() };
            let signs = if unicode { "" } else { ", ASCII" };
            all += &format!("=== {width} columns{signs}\n");
            all += &screen(&compared, Detail::Full, &style);
        }
        let style = Style { width: 120, ..Style::default() };
        all += "=== 120 columns, everything\n";
        all += &screen(&compared, Detail::Everything, &style);
        for (id, written) in FORMATS {
            let bytes = written(&compared).expect("it is written to memory");
            all += &format!("=== {id}\n{}", String::from_utf8(bytes).expect("text"));
        }
        insta::assert_snapshot!(name, all);
    }
}

#[test]
fn the_legend_states_the_limits_of_the_rule() {
    let both = Change { rows: [slower().rows, waits(true).rows].concat(), ..slower() };
    let share = |share: f64| format!("{:.0} %", share * 100.0);
    let [small, waits_small] = [rule::COSTS, rule::WAITS].map(|it| share(it.small));
    let [same, wide, waits_same] = [rule::COSTS, rule::WIDE, rule::WAITS].map(|it| share(it.same));
    let ns = rule::SMALL_NS;
    for (change, smallest, bound) in [
        (slower(), small.clone(), format!("{same}, or {wide} for system calls")),
        (waits(true), waits_small.clone(), waits_same),
        (both, format!("{small} (waits: {waits_small})"), format!("{same}, or {wide} for system")),
    ] {
        let text = screen(&compared([change]), Detail::Full, &Style::default());
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&format!("at least {smallest} and {ns} ns")), "{text}");
        assert!(text.contains(&format!("which is below {bound}")), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_file_breaks_a_screen_or_a_format(
        text in "\\PC*|[\u{1b}\n\r|`<>=+,\"\u{202e}]{0,9}",
        change in any::<f64>(),
        width in 30..160usize,
        unicode: bool,
    ) {
        let mut hostile = slower();
        for row in &mut hostile.rows {
            row.key.id = text.clone();
            (row.change, row.change_low, row.at_most) = (change, -change, change);
            row.why = row.why.as_ref().map(|_| text.clone());
        }
        hostile.a.file = text.clone();
        hostile.a.started = text.clone();
        hostile.b.disturbed = vec![text.clone()];
        for it in hostile.environment.iter_mut().chain(&mut hostile.findings) {
            (it.key, it.b) = (text.clone(), Some(text.clone()));
        }
        hostile.shared[0].value = text;
        for compared in [compared([hostile.clone()]), compared([slower(), hostile])] {
            for detail in [Detail::Full, Detail::Everything] {
                let style = Style { width, unicode, ..Style::default() };
                for line in screen(&compared, detail, &style).lines() {
                    prop_assert!(line.width() <= width, "{line}");
                    prop_assert!(!line.contains(char::is_control) && (unicode || line.is_ascii()));
                }
            }
            for (_, written) in FORMATS {
                let bytes = written(&compared).expect("it is written to memory");
                let text = String::from_utf8(bytes).expect("text");
                prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
            }
        }
    }
}

/// A change beyond the axis of a page is no dot at its end, and the page names both sides.
#[test]
fn a_change_beyond_the_axis_is_an_arrow_on_the_page() {
    let mut change = slower();
    let page_of = |change: &Change| {
        let report = chronoscope_model::Report::default();
        let inputs = ["base.json", "now.json"].map(|name| Input { name, report: &report });
        let mut out = Vec::new();
        page::comparison(&compared([change.clone()]), &inputs, &mut out).expect("memory");
        String::from_utf8(out).expect("UTF-8")
    };
    let arrow = "text-anchor=\"end\">→</text>";
    assert!(!page_of(&change).contains(arrow));
    let row = &mut change.rows[0];
    (row.change, row.change_low, row.change_high) = (45.27, 45.0, 45.5);
    let page = page_of(&change);
    assert!(page.contains(arrow) && page.contains("+4,527 %"), "{page}");
    for side in ["<title>now.json compared with base.json</title>", "<h1>now.json compared with"] {
        assert!(page.contains(side), "{side}");
    }
}
