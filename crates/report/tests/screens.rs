//! Every screen to the character, and properties of every screen whatever the report.

use crate::{machines, samples};

use chronoscope_model::deltas::Deltas;
use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::run::Disturbed;
use chronoscope_model::{Finding, Note, Report};
use chronoscope_report::section::{Detail, Section, clocks, deltas, overhead};
use chronoscope_report::text::{self, Style};
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

fn style(width: usize, color: bool) -> Style {
    Style { width, color, ..Style::default() }
}

/// Returns the text without its escape sequences, which may only be colours.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&rest[..at]);
        let end = rest[at..].find('m').expect("only colours are set");
        let code = &rest[at + 1..at + end];
        assert!(
            code.starts_with('[') && code[1..].chars().all(|c| c.is_ascii_digit() || c == ';'),
            "{code:?}"
        );
        rest = &rest[at + end + 1..];
    }
    out + rest
}

#[test]
fn every_screen_is_as_it_was_reviewed() {
    let variants = [(80, false), (120, false), (80, true), (120, true)];
    let mut all: Vec<(&str, String)> = vec![];
    for (width, color) in variants {
        let with = if color { "with" } else { "without" };
        let screens = samples::screens(Detail::Full, &style(width, color));
        if all.is_empty() {
            all.extend(screens.iter().map(|(name, _)| (*name, String::new())));
        }
        for ((_, all), (_, text)) in all.iter_mut().zip(screens) {
            all.push_str(&format!("=== {width} columns, {with} colour\n"));
            // Escape characters are replaced by their symbol, so that the file stays plain text.
            all.push_str(&text.replace('\u{1b}', "␛"));
        }
    }
    for (name, all) in all {
        insta::assert_snapshot!(name, all);
    }
}

/// The system's clock as the ruler is calibrated against itself: an error of 0 ppm means nothing.
#[test]
fn a_ruler_without_an_independent_check_claims_no_rate() {
    let mut report = machines::hpet();
    let ruler = report.ruler.as_mut().expect("the machine has one");
    ruler.id = "rust/instant".into();
    ruler.is_counter = false;
    ruler.hz_error_ppm = 0.0;
    let brief = text::section(&clocks::SECTION, &report, Detail::Everything, &style(120, false));
    assert!(brief.contains("rust/instant · rate not compared with another clock"), "{brief}");
    assert!(!brief.contains("±0"), "{brief}");
}

#[test]
fn colour_changes_nothing_but_colour() {
    for width in [60, 80, 120, 160] {
        let without = samples::screens(Detail::Full, &style(width, false));
        let with = samples::screens(Detail::Full, &style(width, true));
        for ((name, a), (_, b)) in without.iter().zip(&with) {
            assert_eq!(*a, plain(b), "{name} at {width}");
            assert!(!a.contains('\u{1b}'), "{name}");
        }
    }
}

#[test]
fn nothing_is_cut_at_usual_widths() {
    let cut = |name: &str, text: &str| {
        // The list of differences states that its middle is left out.
        let signs = usize::from(name.starts_with("deltas")) + text.matches("__cpuid(0, …)").count();
        // A summary has one line for each finding.
        let brief = |line: &&str| {
            let mut levels = ["  info ", "  warning ", "  error "].into_iter();
            name.starts_with("glance") && levels.any(|level| line.starts_with(level))
        };
        let cuts: usize =
            text.lines().filter(|it| !brief(it)).map(|line| line.matches('…').count()).sum();
        assert_eq!(cuts, signs, "{name}\n{text}");
    };
    for width in [60, 80, 120] {
        for (name, text) in samples::screens(Detail::Full, &style(width, false)) {
            cut(name, &text);
        }
    }
}

#[test]
fn ascii_screens_are_ascii() {
    for width in [60, 80, 132] {
        let unicode = style(width, false);
        let ascii = Style { unicode: false, ..unicode };
        let screens = samples::screens(Detail::Everything, &ascii);
        let drawn = samples::screens(Detail::Everything, &unicode);
        for ((name, text), (_, drawn)) in screens.into_iter().zip(drawn) {
            assert!(text.is_ascii(), "{name}");
            let questions = |text: &str| text.matches('?').count();
            assert_eq!(questions(&text), questions(&drawn), "{name}\n{text}");
            if drawn.contains('±') {
                assert!(text.contains("+/-"), "{name}\n{text}");
            }
            let long = text.lines().find(|line| line.len() > width);
            assert_eq!(long, None, "{name} at {width}");
        }
    }
}

#[test]
fn everything_includes_every_row_and_the_batches() {
    let style = style(80, false);
    let report = samples::full();
    let verbose = |section: &Section| text::section(section, &report, Detail::Everything, &style);
    let deltas = verbose(&deltas::SECTION);
    assert!(!deltas.contains("-v shows"));
    let rows = report.deltas[0].rows.len();
    assert!(deltas.lines().count() > rows);
    let clocks = verbose(&clocks::SECTION);
    assert!(clocks.contains("Batches, ordered") && clocks.contains("MAD"));
    assert_eq!(clocks.matches('…').count(), clocks.matches("__cpuid(0, …)").count());
    within(&clocks, 80);
}

fn within(text: &str, width: usize) {
    for line in text.lines() {
        let columns = plain(line).width();
        assert!(columns <= width, "{columns} columns of {width}: {line}");
        assert!(!line.ends_with(' '), "a space at the end: {line:?}");
    }
}

#[test]
fn everything_begins_and_ends_as_the_summary_does() {
    for width in [60, 80, 132] {
        let style = style(width, false);
        let (short, long) =
            (text::summary(&samples::full(), &style), text::everything(&samples::full(), &style));
        within(&long, width);
        assert_eq!(short.lines().next(), long.lines().next());
        let end = short.find("\nUse ").map(|at| &short[at..]);
        assert!(long.ends_with(end.expect("the answer")), "{long}");
        assert!(long.lines().count() > 2 * short.lines().count());
    }
}

#[test]
fn an_empty_report_has_every_screen() {
    for width in [1, 20, 80] {
        for (_, text) in samples::of(&Default::default(), Detail::Full, &style(width, true)) {
            within(&text, width);
        }
    }
}

fn figures() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(0.0),
        Just(-0.0),
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        0.0..1e12,
    ]
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,200}",
        "\\PC{0,60}",
        Just(String::new()),
        Just("\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}31m".to_owned()),
        Just("漢字".repeat(80)),
        Just("x".repeat(3000)),
        Just("a\u{300}\u{300}\u{200d}\u{202e}\u{e0030}b".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.min(48),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_line_is_wider_than_the_screen_and_nothing_panics(
        text in texts(),
        figure in figures(),
        whole in any::<u64>(),
        width in prop_oneof![Just(80usize), Just(120), 1usize..200],
        color in any::<bool>(),
        unicode in any::<bool>(),
        detail in prop_oneof![Just(Detail::Full), Just(Detail::Everything)],
    ) {
        let style = Style { width, color, unicode };
        let report = samples::extreme(&text, figure, whole);
        for (_, screen) in samples::of(&report, detail, &style) {
            within(&screen, width);
            let bare = plain(&screen);
            prop_assert!(!bare.chars().any(|c| c.is_control() && c != '\n'));
            prop_assert!(unicode || bare.is_ascii());
        }
    }
}

#[test]
fn a_single_thing_is_in_the_singular() {
    let mut report = samples::full();
    for overhead in &mut report.overhead {
        (overhead.samples, overhead.n, overhead.m, overhead.taken) = (1, 1, 1, 1);
    }
    let full = |section: &Section, report: &Report| {
        text::section(section, report, Detail::Full, &style(120, false))
    };
    let text = full(&overhead::SECTION, &report);
    assert!(
        text.contains("1 sample of 1 iteration, each of which sums 1 integer (")
            && text.contains("needs at least six samples"),
        "{text}"
    );
    report.deltas[0].zero_share = 999_998.0 / 999_999.0;
    let text = full(&deltas::SECTION, &report);
    assert!(text.contains(">99.9 %") && text.contains("in ticks of 1 ns"), "{text}");
}

/// Every fault at once, and notes that take several lines.
fn with_everything_wrong(mut report: Report) -> Report {
    let some = |text: &str| text.repeat(8);
    let finding = samples::troubled().findings.swap_remove(0);
    report.findings = chronoscope_diagnose::faults::ALL
        .iter()
        .map(|fault| Finding {
            id: fault.id.into(),
            title: fault.page().title.into(),
            evidence: vec![some("what was seen "); 3],
            ..finding.clone()
        })
        .collect();
    let note = |id: usize| Note {
        id: id.to_string(),
        about: None,
        text: some("what was left out "),
        fix: some("what to do "),
    };
    report.notes = (0..4).map(note).collect();
    let text = "what was seen of it all".into();
    report.run.disturbed = vec![Disturbed { id: "core-shared".into(), text }; 2];
    report
}

#[test]
fn the_main_screen_has_48_lines_at_most_whatever_is_wrong() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reports");
    let files = std::fs::read_dir(folder).expect("stored reports");
    let stored = files.map(|file| {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("a text");
        let mut report: Report = serde_json::from_str(&text).expect("a report");
        chronoscope_diagnose::judge(&mut report);
        report
    });
    let reports: Vec<Report> = stored.chain([samples::full(), samples::troubled()]).collect();
    assert!(reports.len() > 4);
    for report in reports.into_iter().filter(|report| !report.clocks.is_empty()) {
        let answer = report.advice.iter().rev().find(|advice| advice.summary).expect("advice");
        let wrong = with_everything_wrong(report.clone());
        for (report, calm) in [(&report, true), (&wrong, false)] {
            let text = text::summary(report, &style(80, false));
            let lines: Vec<&str> = text.lines().collect();
            assert!(lines.len() <= 48, "{} lines\n{text}", lines.len());
            // The answer comes last, in up to two lines, unless nothing is wrong, which is said
            // then.
            let last = lines.iter().rev().take(2 + usize::from(calm));
            assert!(last.clone().any(|line| line.contains(&answer.short)), "{text}");
            // Of each kind the clock to use is shown, and others.
            let kinds = report.clocks.iter().filter(|clock| clock.best).count();
            assert_eq!(text.matches('▸').count(), kinds + 1, "{text}");
            let table = lines.iter().skip_while(|line| !line.starts_with("Clocks"));
            let table = table.take_while(|line| !line.is_empty());
            let has = |id: &str| table.clone().any(|line| line.contains(id));
            let shown = report.clocks.iter().filter(|clock| has(&clock.id));
            assert!(shown.count() > kinds, "{text}");
        }
    }
}

/// On a terminal of 80x24, the last lines are what remains visible when the prompt returns.
#[test]
fn the_main_screen_ends_with_the_answer_in_eight_lines() {
    for report in [machines::tsc(), machines::hpet(), machines::kvm_clock(), machines::emulated()] {
        let mut report = report;
        chronoscope_diagnose::judge(&mut report);
        for width in [60, 80, 132] {
            let text = text::summary(&report, &style(width, false));
            let lines: Vec<&str> = text.lines().collect();
            let start = lines.iter().rposition(|line| line.starts_with("Use  "));
            let start = start.expect("the summary has a heading");
            let answer = &lines[start..];
            assert!(answer.len() <= 8, "{width} columns: {answer:#?}");
            // Purpose, clock and cost begin in the same columns of each line.
            let none = usize::from(report.findings.is_empty());
            let rows = &answer[1..answer.len() - none];
            let clocks: Vec<Option<usize>> = rows.iter().map(|row| row.find('/')).collect();
            assert!(rows.len() >= 5 && clocks.iter().all(Option::is_some), "{answer:#?}");
            for advice in report.advice.iter().filter(|advice| advice.summary) {
                let id = advice.clock.as_deref().expect("each of these machines has one");
                let row = rows.iter().find(|row| row.contains(&advice.short));
                let row = row.unwrap_or_else(|| panic!("no line for {}", advice.purpose));
                assert!(row.contains(id) && row.contains(&advice.figure), "{row}");
            }
            // The line above the answer is empty, and findings end before that.
            let found = &lines[start.saturating_sub(8)..start];
            match report.findings.first() {
                None => assert_eq!(lines.last().map(|it| it.trim()), Some("No problems found.")),
                Some(finding) => {
                    assert!(found.iter().any(|it| it.contains(&finding.id)), "{found:#?}");
                }
            }
        }
    }
}

/// Few machines count instructions.
#[test]
fn a_column_of_instructions_appears_only_if_they_were_counted() {
    let mut report = machines::tsc();
    chronoscope_diagnose::judge(&mut report);
    let screen = |report: &Report| text::summary(report, &style(160, false));
    assert!(!screen(&report).contains("instructions"));
    report.clocks[0].cost.instructions = Some(62.0);
    let shown = screen(&report);
    assert!(shown.contains("instructions") && shown.contains("62.0"), "{shown}");
}

#[test]
fn what_makes_every_figure_doubtful_stands_above_them_in_one_line() {
    let mut report = machines::tsc();
    report.run.seconds = 12.0;
    report.ruler.as_mut().expect("a ruler").noise.run_queue_ms = Some(4_100.0);
    chronoscope_diagnose::judge(&mut report);
    let screen = text::summary(&report, &style(80, false));
    let line = "The machine was busy: the tool waited 4.10 s of 12.0 s for the CPU";
    stands_above_the_figures(&screen, line, "processor");
}

fn stands_above_the_figures(screen: &str, line: &str, figures: &str) {
    let lines: Vec<&str> = screen.lines().map(str::trim).collect();
    let at = lines.iter().position(|it| *it == line);
    let figures = lines.iter().position(|it| it.starts_with(figures));
    assert!(at.is_some() && at < figures, "{screen}");
}

#[test]
fn why_a_run_is_off_as_a_whole_stands_above_its_figures_in_one_line() {
    let mut report = machines::tsc();
    let noise = &mut report.ruler.as_mut().expect("a ruler").noise;
    noise.shared = Some(0.999);
    let core = noise.core.as_mut().expect("gauged");
    core.low_hz = core.hz * 0.88;
    chronoscope_diagnose::judge(&mut report);
    let line = "Disturbed: core shared in 99.9 % of the rounds, frequency fell by 12.0 %";
    let style = style(80, false);
    stands_above_the_figures(&text::summary(&report, &style), line, "processor");
    let screen = text::section(&clocks::SECTION, &report, Detail::Full, &style);
    stands_above_the_figures(&screen, line, "Counters");
}

/// The largest difference is counted, and the end of its bucket in the histogram is 9 ns later.
#[test]
fn the_largest_difference_has_one_figure() {
    let mut hdr = histogram::empty();
    (0..1000).for_each(|_| hdr.record(20).expect("in range"));
    hdr.record(60_150).expect("in range");
    let deltas = Deltas {
        id: "posix/monotonic".into(),
        reads: 1002,
        ns_per_tick: 1.0,
        max_ticks: 60_150,
        histogram: Histogram::of(&hdr),
        ..Deltas::default()
    };
    let report = Report { deltas: vec![deltas], ..Report::default() };
    let text = text::section(&deltas::SECTION, &report, Detail::Full, &style(80, false));
    assert!(text.contains("60,150 ticks (60.1 us)") && text.contains("max 60.1 us"), "{text}");
}
