//! What the screen of waits shows.

use crate::samples::waits::{chosen, gridded, report};
use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::quantile::Intervals;
use chronoscope_model::trust::{Gap, Online};
use chronoscope_model::waits::{Course, Grid, Load, WholeTicks};
use chronoscope_model::{Finding, Note, Report};
use chronoscope_report::compare;
use chronoscope_report::section::{Detail, waits};
use chronoscope_report::text::{self, Style};

fn render(report: &Report, width: usize, detail: Detail) -> String {
    let style = Style { width, ..Style::default() };
    text::section(&waits::SECTION, report, detail, &style)
}

#[test]
fn there_is_a_table_for_each_load() {
    let text = render(&report(), 80, Detail::Full);
    assert_eq!(text.matches("Waits, load").count(), 2, "{text}");
    for part in [
        "wait 1 ms",
        "56 us",
        "· the worst",
        "1.75 CPUs",
        "this processor has none",
        "1 method exists only on other systems",
    ] {
        assert!(text.contains(part), "no '{part}' in\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(!text.contains("windows/sleep"));
}

#[test]
fn bins_of_a_microsecond_hold_every_wait() {
    let mut report = report();
    report.waits.truncate(1);
    let mut hdr = histogram::empty();
    for ns in [0, 55_000, 55_900, 56_000, 1_234_500, 2_000_000] {
        hdr.record(ns).expect("in range");
    }
    let wait = &mut report.waits[0];
    (wait.overshoot, wait.grid) = (Histogram::of(&hdr), None);
    let text = text::blocks(waits::bins(&report), &Style::default());
    for row in [
        "below 1 us 1",
        "1 us to 55 us 0",
        "55 us to 56 us 2",
        "56 us to 57 us 1",
        "57 us to 1,234 us 0",
        "1,234 us to 1,235 us 1",
        "2 ms to 2,001 us 1",
    ] {
        assert!(flat(&text).contains(row), "no '{row}' in\n{text}");
    }
}

/// Joins the words by single spaces, without line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn loads_describe_themselves_and_quotas_and_cut_waits_are_named() {
    for width in [60, 80, 120] {
        let text = render(&report(), width, Detail::Full);
        let flat = flat(&text);
        for part in [
            "Each process computes for about 20 ms, then sleeps for 100 us",
            "A CPU quota throttled this control group in 6 periods, for 280 ms of CPU time",
            "Censored: 1 wait was still in progress when the run ended, up to 301 ms after the \
             deadline",
        ] {
            assert!(flat.contains(part), "no '{part}' in\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
    }
}

#[test]
fn what_happened_to_a_run_is_dated() {
    let mut report = report();
    let course = Course {
        started: "2026-03-01T22:00:00.5Z".into(),
        cpus: vec![Online { at_s: 7200.0, before: "0-3".into(), after: "0-2".into() }],
        unkept: vec![Gap { at_s: 9000.0, seconds: 600.0 }],
        ..Course::default()
    };
    report.waits.iter_mut().for_each(|wait| wait.course = Some(course.clone()));
    let text = render(&report, 80, Detail::Full);
    for part in [
        "The online CPUs changed from 0-3 to 0-2, 2 h after 2026-03-01T22:00:00 UTC.",
        "No checkpoint could be written for 600 s, until 2.5 h after 2026-03-01T22:00:00 UTC.",
    ] {
        assert!(flat(&text).contains(part), "no '{part}' in\n{text}");
    }
}

#[test]
fn a_slice_has_a_column_if_one_was_set() {
    let column = |report: &Report| {
        let text = render(report, 80, Detail::Full);
        text.lines().any(|line| line.contains("slack") && line.contains("slice"))
    };
    let mut plain = report();
    assert!(column(&plain));
    plain.waits.retain(|wait| wait.slice_ns.is_none());
    assert!(!column(&plain));
    let ticks = text::blocks(waits::ticks(&report(), Detail::Full), &Style::default());
    assert!(ticks.contains("linux/nanosleep slack 1 ns slice 100 us"), "{ticks}");
}

#[test]
fn wide_screens_show_intervals() {
    let text = render(&report(), 160, Detail::Full);
    assert!(text.contains("55 to 90 us") && text.contains("95 %"), "{text}");
    // If there is less room, the table stays in one piece without them.
    let text = render(&report(), 120, Detail::Full);
    assert!(!text.contains("95 %") && text.contains("own/forced"), "{text}");
    assert!(render(&report(), 80, Detail::Everything).contains("95 %"));
}

#[test]
fn the_table_of_ticks_says_why_a_load_was_not_tested() {
    let mut report = report();
    let mut refused = report.waits[0].clone();
    (refused.load, refused.samples, refused.available) = (Load::High, 0, false);
    refused.unavailable_reason = Some("load high: its priority: Permission denied".into());
    report.waits.push(refused);
    let text = text::blocks(waits::ticks(&report, Detail::Full), &Style::default());
    let line = "### NOT TESTED at load high  its priority: Permission denied";
    assert!(text.lines().any(|shown| shown == line), "{text}");
    assert_eq!(text.matches("NOT TESTED").count(), 1, "{text}");
}

/// Every style of the table keeps what the report says besides its figures.
#[test]
fn every_style_shows_notes_and_findings_and_names_its_unit() {
    let mut report = report();
    report.notes.push(Note { text: "something was left out".into(), ..Note::default() });
    report.findings.push(Finding { title: "Another program ran".into(), ..Finding::default() });
    let style = Style::default();
    for blocks in [waits::ticks(&report, Detail::Full), waits::bins(&report)] {
        let text = text::above(blocks, &report, Detail::Full, &style);
        assert!(text.contains("something was left out"), "{text}");
        assert!(text.contains("Another program ran"), "{text}");
    }
    // A wait of 1 ms takes some 10,000 ticks of QPC, whatever measured it.
    let ticks = text::blocks(waits::ticks(&report, Detail::Full), &style);
    assert!(ticks.contains("in QPC ticks of 100 ns") && ticks.contains(" 10560.0"), "{ticks}");
    // What is done of a run begins like the whole.
    let mut half = report.clone();
    half.waits.retain(|wait| wait.load == Load::None);
    (half.notes, half.findings) = (Vec::new(), Vec::new());
    let whole = text::above(waits::ticks(&report, Detail::Full), &report, Detail::Full, &style);
    let half = text::above(waits::ticks(&half, Detail::Full), &half, Detail::Full, &style);
    assert!(half.len() < whole.len() && whole.starts_with(&half), "{half}\n{whole}");
}

#[test]
fn a_load_has_another_priority_than_waits_that_were_given_one() {
    let mut report = report();
    assert!(render(&report, 120, Detail::Full).contains("computation at the same priority"));
    for wait in &mut report.waits {
        wait.scheduling = "fifo:40".into();
    }
    let text = render(&report, 120, Detail::Full);
    assert!(!text.contains("same priority") && text.contains("not that of the waits"), "{text}");
}

#[test]
fn waits_of_whole_ticks_are_named_and_each_method_has_a_line_of_its_distribution() {
    let mut report = report();
    report.waits[0].whole_ticks =
        Some(WholeTicks { tick_ns: 15_625_000, late: 30, whole: 29, usual: 7 });
    let named = "109.4 ms is 7 ticks of 15.625 ms: of 30 late waits of 1 ms by linux/nanosleep \
                 slack 50 us, 29 took whole ticks.";
    for text in [
        render(&report, 80, Detail::Full),
        text::blocks(waits::ticks(&report, Detail::Full), &Style::default()),
    ] {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(flat.matches(named).count(), 1, "{text}");
    }
    let strips = |report: &Report, detail| {
        let text = render(report, 80, detail);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        text.lines().filter(|line| line.contains('|')).count()
    };
    // Two rows of each load, and an axis above them.
    assert_eq!(strips(&report, Detail::Everything), 6);
    assert_eq!(strips(&report, Detail::Full), 0);
    // A long run shows them without being asked to.
    report.waits[0].seconds = 7200.0;
    assert_eq!(strips(&report, Detail::Full), 3);
}

#[test]
fn a_comparison_names_the_power_source_and_the_load_that_differ() {
    let of = |power: &str, load: Load| {
        let mut row = report().waits.into_iter().find(|wait| wait.samples > 0).expect("some");
        let mut hdr = histogram::empty();
        hdr.record_n(55_000, 100).expect("in range");
        (row.power, row.load) = (Some(power.into()), load);
        (row.overshoot, row.intervals) = (Histogram::of(&hdr), Intervals::of(&hdr, 0));
        (power.to_owned(), Report { waits: vec![row], ..Report::default() })
    };
    let compared = |a, b, width| {
        let blocks = compare::view(&chronoscope_diagnose::compare(&[a, b]), Detail::Full);
        let text = text::blocks(blocks, &Style { width, ..Style::default() });
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        flat(&text)
    };
    for width in [60, 80, 120] {
        let text = compared(of("mains", Load::None), of("battery", Load::None), width);
        assert!(text.contains("mains → battery") && text.contains("p90"), "{text}");
        let text = compared(of("mains", Load::None), of("mains", Load::Normal), width);
        assert!(text.contains("load: none → normal") && text.contains("p90"), "{text}");
    }
}

#[test]
fn wide_screens_have_every_statistic() {
    let text = render(&report(), 140, Detail::Full);
    for head in ["min", "mean", "p90", "p99.9", "own/forced"] {
        assert!(text.contains(head), "no '{head}' in\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 140), "{text}");
}

#[test]
fn nothing_is_cut_off_at_any_width() {
    let mut rows = report().waits;
    for (nth, cpu) in [(0, 0), (0, 17)] {
        let mut row = rows[nth].clone();
        (row.samples, row.voluntary_switches) = (3_532_000, Some(3_526_000));
        (row.min_ns, row.mean_ns) = (-9_980, 23_100.0);
        row.id = "linux/clock_nanosleep-abs".into();
        row.cpu = Some(cpu);
        row.period_ns = row.requested_ns;
        row.involuntary_switches = Some(1_234);
        row.grid = Some(Grid { missed: 23_390, ..Grid::default() });
        rows.push(row);
    }
    let report = Report { waits: rows, ..Report::default() };
    for width in [60, 71, 72, 80, 96, 117, 118, 160] {
        for detail in [Detail::Full, Detail::Everything] {
            let text = render(&report, width, detail);
            let cut = |line: &&str| line.chars().count() > width || line.contains(['…', '~']);
            assert_eq!(text.lines().find(cut), None, "{width}\n{text}");
            for head in ["p50", "max", "early", "missed"] {
                assert!(text.contains(head), "no '{head}' at {width} in\n{text}");
            }
            let all = ["min", "mean", "p90", "p99.9", "own/forced", "waits"];
            let whole = all.iter().all(|head| text.contains(head));
            assert!(whole || !(detail == Detail::Everything || width >= 118), "{width}\n{text}");
        }
    }
}

#[test]
fn grids_gaps_and_moments_are_shown() {
    let report = Report { waits: vec![gridded()], ..Report::default() };
    let text = render(&report, 80, Detail::Full);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "period 1 ms, work 200 us",
        "missed",
        "frames/s",
        "666.7",
        "corrected",
        "Gap:",
        "stopped",
        "missed 1,500 deadlines",
        "above the limit of 500 us",
        "12 x LOC",
        "55 us, 2.7 ms",
    ] {
        assert!(flat.contains(part), "no '{part}' in\n{text}");
    }
}

#[test]
fn the_table_of_ticks_is_in_ticks_of_qpc() {
    let text = text::blocks(waits::ticks(&report(), Detail::Full), &Style::default());
    assert!(
        text.starts_with("lfence-rdtsc is 2600000000 Hz, 0.385 ns tick  in QPC ticks"),
        "{text}"
    );
    // One that advances by 26 counts at a time has a longer tick.
    let mut stepping = report();
    stepping.ruler.as_mut().expect("a ruler").tick_ns = 10.0;
    let heading = text::blocks(waits::ticks(&stepping, Detail::Full), &Style::default());
    assert!(heading.starts_with("lfence-rdtsc is 2600000000 Hz, 10.000 ns tick  "), "{heading}");
    assert!(text.contains("### TEST OF 30 x 1 ms wait routine runs"), "{text}");
    let row = text.lines().find(|l| l.trim_start().starts_with("linux/nanosleep")).expect("a row");
    let figures: Vec<&str> = row.split_whitespace().skip(1).collect();
    // 1 ms and 55 us, and so on, in units of 100 ns.
    assert_eq!(figures[0], "10550.0");
    assert_eq!(figures[2..4], ["10900.0", "900.0"]);
}

#[test]
fn an_incomplete_load_is_named_at_its_rows() {
    let mut report = report();
    let row = &mut report.waits[2];
    let run = row.load_run.as_mut().expect("a load");
    run.processes[1].ended_s = Some(1.04);
    let loss = run.loss().expect("one ended");
    row.notes = vec![loss.clone()];
    let text = render(&report, 80, Detail::Full);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(flat.matches(&loss).count(), 1, "{text}");
    let rows = text.lines().filter(|l| l.contains("load incomplete"));
    assert_eq!(rows.count(), 1, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn an_empty_report_says_so() {
    assert!(render(&Report::default(), 80, Detail::Full).contains("No wait"));
}

fn ascii(report: &Report, width: usize) -> String {
    let style = Style { width, unicode: false, ..Style::default() };
    text::section(&waits::SECTION, report, Detail::Full, &style)
}

#[test]
fn an_overview_fits_a_terminal_and_ends_with_the_answer() {
    let text = render(&chosen(), 80, Detail::Full);
    // One line is left for the prompt.
    assert!(text.lines().count() <= 23, "{}\n{text}", text.lines().count());
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["p90 of overshoot", "100 %", "21 other methods: --all", "--load", "1.45 CPUs"] {
        assert!(flat.contains(part), "no '{part}' in\n{text}");
    }
    let last: Vec<&str> = text.lines().rev().take(9).collect();
    for (nth, goal) in ["load", "CPU time", "accuracy"].iter().cycle().take(9).enumerate() {
        assert!(last[nth].contains(goal) && last[nth].ends_with('%'), "{text}");
    }
    assert!(last[5].contains("1 ms    accuracy  chronoscope/wait "), "{text}");
    assert!(last[4].contains("linux/clock_nanosleep-abs   1 ns"), "{text}");
}

/// The longest wait less what was asked for is the largest overshoot, also after rounding.
#[test]
fn the_ticks_of_a_row_add_up() {
    for max_ns in [2_465, 1_061_495, 69_945] {
        let mut report = report();
        report.waits.truncate(1);
        (report.waits[0].max_ns, report.waits[0].requested_ns) = (max_ns, Some(100_000_000));
        let text = flat(&text::blocks(waits::ticks(&report, Detail::Full), &Style::default()));
        let over = (max_ns as f64 / 10.0).round() / 10.0;
        let row = format!(" {:.1} {over:.1} ", 1e6 + over);
        assert!(text.contains(&row), "no '{row}' in {text}");
    }
}

#[test]
fn an_overview_of_an_interrupted_run_has_the_time_that_it_took() {
    let mut report = chosen();
    report.run.complete = true;
    let planned = flat(&render(&report, 80, Detail::Full));
    report.run.complete = false;
    report.run.seconds = 1.25;
    let text = flat(&render(&report, 80, Detail::Full));
    assert!(text.contains("methods in 1.25 s,") && !planned.contains(" in 1.25 s"), "{text}");
}

/// An overview has one table for all loads, so what happened to waits says under which.
#[test]
fn the_remarks_of_an_overview_say_which_load_they_are_of() {
    let with = |marked: &[usize]| {
        let mut report = chosen();
        for nth in marked {
            report.waits[*nth].whole_ticks =
                Some(WholeTicks { tick_ns: 4_000_000, late: 32, whole: 29, usual: 1 });
        }
        flat(&render(&report, 80, Detail::Full))
    };
    let last = chosen().waits.len() - 1;
    let (idle, loaded) = ("Idle:", "Next to normal load:");
    assert!(!with(&[]).contains(idle) && !with(&[]).contains(loaded));
    let text = with(&[last]);
    assert!(!text.contains(idle), "{text}");
    assert!(text.contains(&format!("{loaded} 4.0 ms is 1 tick of 4 ms")), "{text}");
    let text = with(&[0, last]);
    assert!(text.contains(&format!("{idle} 4.0 ms is")) && text.contains(loaded), "{text}");
}

#[test]
fn an_overview_is_legible_on_every_screen() {
    for width in [60, 66, 72, 80, 132, 160] {
        for text in [render(&chosen(), width, Detail::Full), ascii(&chosen(), width)] {
            let wide = |line: &&str| line.chars().count() > width || line.contains('…');
            assert_eq!(text.lines().find(wide), None, "{width}\n{text}");
            for part in ["chronoscope/wait-economy", "linux/clock_nanosleep-abs", "CPU", "p90"] {
                assert!(text.contains(part), "no '{part}' at {width} in\n{text}");
            }
            assert!(!text.contains("\n\n\n"), "{text}");
            for letter in 'a'..='f' {
                assert!(text.contains(&format!("{letter} ")), "{width}\n{text}");
            }
        }
        assert!(ascii(&chosen(), width).is_ascii());
    }
}

#[test]
fn everything_includes_the_tables_and_the_legend_but_the_answer_still_comes_last() {
    let text = render(&chosen(), 80, Detail::Everything);
    assert_eq!(text.matches("Waits, load").count(), 2, "{text}");
    let legend = text.find("Overshoot: the time").expect("a legend");
    assert!(legend < text.find("Best").expect("an answer"), "{text}");
    assert!(!render(&report(), 80, Detail::Full).contains("Overshoot: the time"));
}

#[test]
fn too_few_waits_are_named_as_such_and_not_judged() {
    let mut few = chosen();
    for wait in &mut few.waits {
        wait.samples = 8;
        wait.overshoot.count = 8;
    }
    few.advice = chronoscope_diagnose::advise::advise(&few);
    let text = render(&few, 80, Detail::Full);
    assert_eq!(text.matches("too few waits").count(), 9, "{text}");
    assert!(text.contains("raise --budget"), "{text}");
}

#[test]
fn the_worst_case_and_the_cpu_time_stay_at_60_columns_and_ids_are_whole() {
    let mut wide = chosen();
    wide.waits_plan = None;
    let mut long = wide.waits[0].clone();
    long.id = "windows/waitable-timer-high-resolution".into();
    (long.timer_period_ms, long.slack_ns) = (Some(1), Some(500_000));
    for report in [wide.clone(), Report { waits: vec![long], ..wide }] {
        let text = render(&report, 60, Detail::Full);
        for wait in &report.waits {
            assert!(text.contains(&wait.id), "{} in\n{text}", wait.id);
        }
        let head = text.lines().find(|line| line.contains("p50")).expect("a head");
        assert!(head.contains("max") || text.contains("the worst"), "{text}");
        assert!(head.contains("CPU"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
    }
}

#[test]
fn a_single_method_has_its_distribution() {
    let of_one = |rows: usize| {
        let mut report = report();
        report.waits.truncate(1);
        for nth in 1..rows as u64 {
            let mut row = report.waits[0].clone();
            row.requested_ns = row.requested_ns.map(|ns| ns * 10u64.pow(nth as u32));
            report.waits.push(row);
        }
        report
    };
    // 20 of 30 overshot by 55 or 56 us, 10 by 90 us.
    let text = render(&of_one(1), 80, Detail::Full);
    let bar = text.lines().last().expect("a bin");
    assert!(bar.contains("50 us to 100 us") && bar.contains("30  100 %") && bar.contains('█'));
    assert!(ascii(&of_one(1), 80).contains("####"));
    let several = render(&of_one(3), 80, Detail::Full);
    let head = several.lines().rev().nth(2).expect("a head");
    for duration in ["1 ms", "10 ms", "100 ms"] {
        assert!(head.contains(duration), "{several}");
    }
}

#[test]
fn a_distribution_counts_every_wait_once() {
    let mut report = report();
    report.waits.truncate(1);
    let mut hdr = histogram::empty();
    for ns in [0, 7, 49_999, 50_000, 99_999, 100_000, 3_000_000_000] {
        hdr.record(ns).expect("in range");
    }
    report.waits[0].overshoot = Histogram::of(&hdr);
    report.waits[0].max_ns = 3_000_000_000;
    let text = render(&report, 80, Detail::Full);
    let bins: Vec<&str> =
        text.lines().filter(|l| l.contains("below ") || l.contains(" to ")).collect();
    let counts = bins.iter().filter_map(|bin| {
        let fields: Vec<&str> = bin.split_whitespace().collect();
        let share = fields.iter().position(|field| *field == "%");
        fields.get(share? - 2)?.parse::<u64>().ok()
    });
    assert_eq!(counts.sum::<u64>(), 7, "{text}");
}
