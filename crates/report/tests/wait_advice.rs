//! The advice that follows from the stored reports: it shows the figures of a row as the row's
//! table does, and the code of a wait makes the wait whose figures it quotes.

use crate::machines;
use chronoscope_diagnose::{advise, judge};
use chronoscope_model::advice::Goal;
use chronoscope_model::units::count;
use chronoscope_model::waits::{Kind, Wait};
use chronoscope_model::{Advice, Report};
use chronoscope_report::json;
use chronoscope_report::section::{Detail, Section, advice, clocks, findings, waits};
use chronoscope_report::text::{self, Style};
use std::path::Path;

/// The reports of this project's folder that hold waits; none in a package of the crate alone.
fn stored() -> Vec<Report> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports");
    let files = std::fs::read_dir(folder).into_iter().flatten();
    let paths = files.map(|entry| entry.expect("a file of that folder").path());
    let reports = paths.filter(|path| path.extension().is_some_and(|it| it == "json"));
    let reports = reports.map(|path| {
        let text = std::fs::read_to_string(path).expect("a text");
        json::read(text.as_bytes()).expect("a report")
    });
    reports.filter(|report| !report.waits.is_empty()).collect()
}

/// What the code does, by its calls.
fn kind(code: &str) -> Kind {
    let code: String = code.lines().filter(|line| !line.starts_with(['/', '#'])).collect();
    // The library's waits do both, but their code does not show it.
    if code.contains("chronoscope::wait") || code.contains("waiter.sleep") {
        return Kind::Hybrid;
    }
    let calls = |names: &[&str]| names.iter().any(|name| code.contains(name));
    let sleeps =
        calls(&["sleep", "Sleep(", "Timeout", "Atomics.wait", "WaitFor", "Nanosleep", "parkNanos"]);
    match (sleeps, calls(&["while", "SpinWait", "for time.Since"])) {
        (true, false) => Kind::Sleep,
        (true, true) => Kind::Hybrid,
        (false, _) => Kind::Busy,
    }
}

fn row<'a>(report: &'a Report, advice: &Advice) -> Option<&'a Wait> {
    let choice = advice.wait.as_ref()?;
    report.waits.iter().find(|w| Some(&w.id) == advice.clock.as_ref() && choice.is(w))
}

#[test]
fn code_is_of_the_kind_that_was_measured_and_never_spins_for_the_least_cpu_time() {
    let mut seen = 0;
    for report in stored() {
        for advice in advise(&report).iter().filter(|advice| advice.wait.is_some()) {
            let goal = advice.wait.as_ref().expect("a wait").goal;
            for (language, code) in &advice.code {
                let row = row(&report, advice).expect("the quoted row");
                let what = format!("{} in {language}, as {}:\n{code}", advice.title, row.id);
                assert_eq!(kind(code), row.kind, "{what}");
                if goal == Goal::Cpu {
                    assert_ne!(kind(code), Kind::Busy, "{what}");
                    assert!(row.cpu_share.is_none_or(|share| share < 0.5), "{what}");
                }
                seen += 1;
            }
        }
    }
    let there = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports").exists();
    assert!(seen > 20 || !there, "{seen}");
}

#[test]
fn code_is_in_the_language_of_the_row_and_each_language_with_rows_has_one_answer() {
    for report in stored() {
        let all = advise(&report);
        let waits = || all.iter().filter_map(|advice| Some((advice, advice.wait.as_ref()?)));
        for (advice, of) in waits().filter(|(advice, _)| advice.clock.is_some()) {
            let own = row(&report, advice).expect("the quoted row").language.name();
            assert_eq!(advice.code.keys().collect::<Vec<_>>(), [own], "{}", advice.title);
            let same = waits().filter(|(other, it)| {
                (it.requested_ns, it.goal) == (of.requested_ns, of.goal)
                    && other.code.contains_key(own)
            });
            assert_eq!(same.count(), 1, "{}: {own}", advice.title);
        }
    }
}

/// The costs that stand behind a clock's id, in nanoseconds: `1,240` for `x86/rdtsc (1.24 us)`.
fn costs_behind(id: &str, prose: &str) -> Vec<String> {
    let behind = prose.match_indices(id).filter_map(|(at, _)| {
        let rest = prose[at + id.len()..].trim_start_matches([' ', '(', ':']);
        let (number, rest) = rest.split_once(' ')?;
        let value: f64 = number.replace(',', "").parse().ok()?;
        let whole = |times: f64| Some(count((value * times).round() as u64));
        match rest.split(|c: char| !c.is_ascii_alphanumeric()).next()? {
            "ns" => Some(number.to_owned()),
            "us" => whole(1e3),
            "ms" => whole(1e6),
            _ => None,
        }
    });
    behind.collect()
}

#[test]
fn a_figure_is_the_same_in_a_sentence_and_in_its_row() {
    let mut twice = machines::tsc();
    let mut wide = twice.clone();
    // Rounded to 8.075 and then to two decimals, it is 8.07.
    let counter = twice.clocks.iter_mut().find(|clock| clock.id == "x86/rdtsc-intrinsic");
    counter.expect("a counter").cost.throughput = Some(machines::estimate(8.075_1, 0.005));
    for clock in &mut wide.clocks {
        for cost in [&mut clock.cost.throughput, &mut clock.cost.latency].into_iter().flatten() {
            *cost = machines::estimate(cost.value_ns, cost.value_ns * 0.15);
        }
    }
    let style = Style { width: 400, ..Style::default() };
    let (mut costs, mut late) = (0, 0);
    for mut report in [twice, wide].into_iter().chain(stored()) {
        judge(&mut report);
        let shown = |section: &Section, detail| text::section(section, &report, detail, &style);
        let prose = [
            text::brief(&report, &style),
            text::summary(&report, &style),
            shown(&advice::SECTION, Detail::Everything),
            shown(&findings::SECTION, Detail::Everything),
        ];
        let prose = prose.join(" ");
        let prose = prose.split_whitespace().collect::<Vec<_>>().join(" ");
        let table = shown(&clocks::SECTION, Detail::Full);
        for clock in &report.clocks {
            let rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            let rows = rows.filter(|row| row.iter().take(2).any(|word| *word == clock.id));
            let words: Vec<&str> = rows.flatten().collect();
            for cost in costs_behind(&clock.id, &prose) {
                assert!(words.contains(&&*cost), "{} {cost}: {words:?}", clock.id);
                costs += 1;
            }
        }
        let table = shown(&waits::SECTION, Detail::Everything);
        for advice in report.advice.iter().filter(|it| it.wait.is_some() && it.clock.is_some()) {
            let between = |a: &str, b: &str| Some(advice.why.split_once(a)?.1.split_once(b)?.0);
            let p50 = between("half were at most ", " late").expect("a median");
            let all = [Some(p50), between("90 % at most ", " (")].into_iter().flatten();
            let all: Vec<String> = all.map(|figure| format!(" {figure} ")).collect();
            let name = row(&report, advice).expect("the quoted row").method();
            let fits = |row: &str| {
                row.split_whitespace().any(|word| word == name)
                    && all.iter().all(|figure| row.contains(figure))
            };
            assert!(table.lines().any(fits), "{name} {all:?}: {table}");
            assert!(advice.figure.contains(&format!("{p50} late")), "{}", advice.figure);
            late += 1;
        }
    }
    let there = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports").exists();
    assert!(costs > 20 && (late > 4 || !there), "{costs} {late}");
}
