//! The screen of clocks that were watched: its verdict, and the series for programs.

use crate::samples::trust::{faulty, sound, watched};
use chronoscope_model::Report;
use chronoscope_model::clock::{Backwards, Orders, Standing};
use chronoscope_model::trust::{Jump, Pause, Paused, Step, StepSeen, Trust};
use chronoscope_report::section::{self, Detail};
use chronoscope_report::text::{self, Style};

/// The first lines of the screen after the heading, up to the details.
fn verdict(change: impl FnOnce(&mut Trust)) -> String {
    let mut trust = sound();
    change(&mut trust);
    shown(&watched(trust))
}

fn screen(id: &str, report: &Report) -> String {
    let section = section::ALL.iter().find(|section| section.id == id).expect("a section");
    text::section(section, report, Detail::Full, &Style::default())
}

fn shown(report: &Report) -> String {
    let screen = screen("trust", report);
    let lines = screen.lines().skip(1).map(str::trim);
    let lines: Vec<&str> = lines.take_while(|line| !line.starts_with("steps back")).collect();
    lines.join(" ").trim().to_owned()
}

#[test]
fn a_sound_machine_has_no_alarm_and_unordered_reads_come_last() {
    assert_eq!(
        verdict(|_| ()),
        "Clocks never went back, and CPUs agree within ±51 ns. The wall clock was slewed by \
         +12.500 ppm; no rate is verified, because the clock source tsc is this counter. \
         x86/rdtsc-intrinsic can be read out of order between threads: see below."
    );
    let verified = verdict(|trust| {
        trust.wall = None;
        trust.clocks.remove(0);
        trust.rates[0].standing = Standing::Independent;
    });
    assert!(
        verified.ends_with("The rate was verified against linux/monotonic-raw: 0 ±0.00400 ppm.")
    );
}

#[test]
fn an_ordered_clock_that_went_back_comes_first_whatever_else_was_found() {
    let by_hand_over = verdict(|trust| {
        let watch = &mut trust.clocks[0];
        watch.facts.as_mut().expect("facts").orders = Orders::Earlier;
    });
    let alarm = "x86/rdtsc-intrinsic went back in 1,204 of 16,675,860 reads, by up to 42.3 ns.";
    assert!(by_hand_over.starts_with(alarm), "{by_hand_over}");
    assert!(by_hand_over.contains("CPUs agree") && !by_hand_over.contains("never went back"));
    let all = shown(&watched(faulty()));
    let sentences = [
        "posix/monotonic went back in 3 of 5,330,182 reads, by up to 812 ns.",
        "CPU 1 is ahead of CPU 0 by 1.83 us ±47 ns.",
        "lfence-rdtsc-lfence/rdtscp-lfence jumped by 2 s against linux/monotonic-raw; 4 more: see \
         below.",
    ];
    assert_eq!(all, sentences.join(" "));
}

#[test]
fn a_wall_clock_that_was_set_back_is_no_clock_that_goes_backwards() {
    let set = verdict(|trust| {
        trust.clocks[2].one_thread = Some(Backwards { tries: 9, violations: 1, worst_ns: 1.5e9 });
        let wall = trust.wall.as_mut().expect("a wall clock");
        wall.steps = vec![Step { at_s: 4.0, by_ns: -1.5e9, seen: StepSeen::Both }];
    });
    let first = "The wall clock was set back by 1.5 s. Apart from the wall clock, clocks never \
                 went back, and CPUs agree within ±51 ns.";
    assert!(set.starts_with(first), "{set}");
}

#[test]
fn what_was_not_tested_is_not_said_to_be_sound() {
    let nothing = shown(&watched(Trust::default()));
    assert_eq!(nothing, "No clock was tested, and CPUs were not compared. No rate was compared.");
    let alone = verdict(|trust| {
        trust.matrix.pairs.clear();
        trust.clocks.iter_mut().for_each(|watch| watch.handed = None);
    });
    let only = "Clocks never went back on one thread, and CPUs were not compared.";
    assert!(alone.starts_with(only), "{alone}");
    let some = verdict(|trust| trust.clocks[1].handed = None);
    assert!(some.starts_with("Clocks never went back (1 of 3 were read on one thread only), and"));
    let jumps = verdict(|trust| {
        let jump = |ns| Jump { id: "a/b".into(), against: "c/d".into(), ns, ..Jump::default() };
        trust.watched.jumps = vec![jump(-3e9), jump(2e9)];
    });
    assert!(jumps.starts_with("Clocks jumped 2 times, a/b by 3 s against c/d."), "{jumps}");
}

/// What several threads cost, however the numbers lie.
#[test]
fn reads_that_cost_less_with_several_threads_do_not_cost_up_to_less() {
    fn same(trust: &mut Trust, factor: f64) {
        for of in &mut trust.contention {
            of.points[1].ns = of.points[0].ns * factor;
        }
    }
    let said = |change: fn(&mut Trust)| {
        let mut trust = sound();
        change(&mut trust);
        let screen = screen("trust", &watched(trust));
        let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        words.split(" contention ").nth(1).expect("a line").to_owned()
    };
    assert!(said(|_| ()).contains(" threads, reads cost up to "));
    for less in [said(|trust| same(trust, 0.997)), said(|trust| same(trust, 1.002))] {
        assert!(less.contains(" threads, reads cost no more than with one"), "{less}");
    }
    fn alone(trust: &mut Trust) {
        trust.contention.iter_mut().for_each(|of| of.points.truncate(1));
    }
    // The machine may have others.
    assert!(said(alone).starts_with("not tested: this process may run on one CPU only"));
    let untested = said(|trust| {
        alone(trust);
        trust.left_out = faulty().left_out;
    });
    assert!(untested.starts_with("not tested: CPU 2 is offline"), "{untested}");
}

#[test]
fn pauses_that_are_not_listed_are_counted() {
    let mut trust = faulty();
    trust.watched.more_pauses = Some(37);
    let text = screen("trust", &watched(trust));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("1 pause by the firmware · 37 shorter ones not listed · "), "{text}");
    let often = verdict(|trust| {
        let pause = Pause { ns: 2e9, paused: Paused::Machine, ..Pause::default() };
        (trust.watched.pauses, trust.watched.more_pauses) = (vec![pause; 20], Some(1));
    });
    assert!(often.contains("The machine was paused at least 20 times, for up to 2 s"), "{often}");
}

#[test]
fn csv_has_a_row_for_each_clock_and_each_point() {
    let format = chronoscope_report::format::find("csv").expect("a format");
    let mut out = Vec::new();
    (format.write)(&watched(sound()), &mut out).expect("a vector can be written to");
    let mut reader = csv::Reader::from_reader(&out[..]);
    let heads = reader.headers().expect("heads").clone();
    let at = |name: &str| heads.iter().position(|head| head == name).expect("a column");
    let rows: Vec<_> = reader.records().map(|row| row.expect("rows of equal length")).collect();
    assert_eq!(rows.len(), 3 + 3 + 3 + 2);
    let (clocks, points) = rows.split_at(3);
    assert!(clocks.iter().all(|row| row[at("at_s")].is_empty() && !row[at("verdict")].is_empty()));
    assert!(points.iter().all(|row| &row[at("started")] == "2026-01-02T03:04:05.123456789Z"));
    assert!(points.iter().all(|row| row[at("verdict")].is_empty()));
    let last = points.iter().rfind(|row| &row[at("id")] == "posix/monotonic").expect("points");
    let figures = ["at_s", "offset_ns", "rate_ppm", "against"].map(|name| &last[at(name)]);
    assert_eq!(figures, ["2.01", "25125.4", "12.4978", "linux/monotonic-raw"]);
    let first = points.iter().find(|row| &row[at("id")] == "linux/ptp").expect("points");
    let figures = ["at_s", "offset_ns", "rate_ppm"].map(|name| &first[at(name)]);
    assert_eq!(figures, ["1.003", "0", ""]);
}

#[test]
fn servers_are_compared_in_rows_of_their_own() {
    let text = screen("against", &crate::samples::trust::against());
    let both = ["ntp:one.example", "+89.66 ±0.8", "ntp:three.example"];
    let row = text.lines().any(|line| both.iter().all(|part| line.contains(part)));
    assert!(row, "{text}");
}

#[test]
fn each_limit_is_met_or_not_or_not_shown() {
    let page = |report: &Report| {
        let blocks = section::trust::traceability::page(report);
        text::blocks(blocks, &Style::default())
    };
    let mut report = crate::samples::trust::against();
    let shown = page(&report);
    // It is off by 1.53 to 2.15 ms.
    let verdicts: Vec<&str> =
        shown.lines().filter_map(|line| Some(line.split_once(": ")?.0.trim())).collect();
    let of = |verdict: &str| verdicts.iter().filter(|it| **it == verdict).count();
    assert_eq!([of("met"), of("not met"), of("not shown")], [3, 2, 0], "{shown}");
    let words = shown.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(words.contains("ntp:one.example: stratum 2, 15.2 us from UTC by its own"), "{shown}");
    assert!(words.contains("contradicted by most"), "{shown}");
    // A source that states no error proves nothing of UTC.
    let against = report.against.as_mut().expect("others");
    against.sources.iter_mut().for_each(|source| source.root_distance_ns = None);
    let shown = page(&report);
    assert!(shown.contains("not known") && !shown.contains("met:"), "{shown}");
    report.against = None;
    assert!(page(&report).contains("No other clock was asked"));
}
