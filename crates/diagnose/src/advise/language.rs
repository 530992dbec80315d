//! The clock of each language for a purpose, from what was measured in that language.
//!
//! Code is shown with the figures of the clock that it reads, or with none.

use super::pick::{figures, precise, shortest};
use super::{Sheet, sheets};
use crate::reading::{System, available, cost, short, usable};
use chronoscope_model::advice::LANGUAGES;
use chronoscope_model::runtimes::{Runtime, RuntimeClock};
use chronoscope_model::{Advice, Estimate, Page, Report};

/// The languages whose clocks the tool itself reads; programs of their own read those of the
/// others.
const NATIVE: [&str; 3] = ["C", "C++", "Rust"];

/// A clock of a runtime is as fine as the finest if its tick is within this factor.
const AS_FINE: f64 = 3.0;

/// What the figure of a clock without figures says.
pub const NOT_MEASURED: &str = "not measured";

/// The choice for a purpose, with the code of the languages that can read that clock, and the best
/// clock of each of the others: of those of this tool, if there is a choice, and of those that were
/// asked for or whose runtimes the report holds.
pub(super) fn answers(
    report: &Report,
    purpose: &Page,
    first: Option<Advice>,
    asked: &[&str],
) -> Vec<Advice> {
    let system = System::of(&report.environment);
    let is_chosen = first.is_some();
    let mut all: Vec<Advice> = first.into_iter().collect();
    for language in LANGUAGES {
        let native = NATIVE.contains(&language);
        let known = report.runtimes.iter().any(|runtime| runtime.language == language);
        if !if native { is_chosen } else { known || asked.contains(&language) } {
            continue;
        }
        let sheets = sheets(language, purpose.name(), system);
        let answer = if native {
            let Some(first) = all.first_mut() else { continue };
            let chosen = first.clock.as_deref();
            let own = sheets.iter().find(|sheet| match chosen {
                Some(id) => sheet.ids.contains(&id),
                None => sheet.is_of(&report.environment),
            });
            if let Some(sheet) = own {
                first.code.insert(language.into(), sheet.code.clone());
                continue;
            }
            in_this_tool(report, language, &sheets, first)
        } else {
            in_its_runtime(report, language, &sheets, purpose)
        };
        all.extend(answer.map(|answer| named(purpose, language, answer)));
    }
    all
}

pub(super) fn named(purpose: &Page, language: &str, answer: Advice) -> Advice {
    Advice {
        purpose: purpose.name().into(),
        title: format!("{}, in {language}", purpose.title),
        languages: vec![language.into()],
        ..answer
    }
}

/// This code without figures.
pub(super) fn without_figures(language: &str, sheet: Option<&Sheet>, why: &str) -> Option<Advice> {
    let sheet = sheet?;
    Some(Advice {
        clock: sheet.ids.first().map(|id| (*id).into()),
        figure: NOT_MEASURED.into(),
        why: format!("Not measured: {why}."),
        code: [(language.into(), sheet.code.clone())].into(),
        ..Advice::default()
    })
}

/// The cheapest clock of the chosen kind that code of C, C++ or Rust reads.
fn in_this_tool(
    report: &Report,
    language: &str,
    sheets: &[Sheet],
    chosen: &Advice,
) -> Option<Advice> {
    let kind = |id: &str| available(report, id).map(|clock| clock.kind);
    let wanted = chosen.clock.as_deref().and_then(kind);
    let rows = sheets.iter().flat_map(|sheet| sheet.ids.iter().map(move |id| (sheet, id)));
    let rows = rows.filter_map(|(sheet, id)| Some((sheet, available(report, id)?)));
    let fit = rows.filter(|(_, clock)| usable(clock) && Some(clock.kind) == wanted);
    let costs = fit.filter_map(|(sheet, clock)| Some((sheet, clock, clock.read_ns()?)));
    let Some((sheet, clock, _)) = costs.min_by(|a, b| a.2.total_cmp(&b.2)) else {
        let asked = format!("chronoscope advise --language {language} measures it");
        let first = sheets.iter().find(|sheet| sheet.is_of(&report.environment));
        return without_figures(language, first, &asked);
    };
    let other = chosen.clock.as_deref().unwrap_or_default();
    let shortest = match chosen.shortest.as_slice() {
        [] => Vec::new(),
        _ => shortest(clock.step_ns(), clock.ordered_ns()),
    };
    Some(Advice {
        clock: Some(clock.id.clone()),
        cost_ns: clock.read_ns(),
        figure: cost(clock).unwrap_or_default(),
        why: format!(
            "{}. The choice among all languages is {other} ({}).{}",
            figures(clock),
            chosen.figure,
            precise("It", &shortest)
        ),
        code: [(language.into(), sheet.code.clone())].into(),
        shortest,
        ..Advice::default()
    })
}

/// The cheapest of the finest clocks of a language's runtime that the code of this purpose reads.
/// The builds of an implementation, such as the levels of a compiler, count together; the first
/// implementation that was measured answers, and the others are named.
fn in_its_runtime(
    report: &Report,
    language: &str,
    sheets: &[Sheet],
    purpose: &Page,
) -> Option<Advice> {
    let own = report.environment.cpu.model.as_deref().unwrap_or_default();
    let timer = report.environment.clocksource.as_ref().map_or("", |source| &source.current);
    // A sweep has rows under other clock sources, and the runtimes of other reports can be added.
    let here = |runtime: &&Runtime| runtime.processor == own && runtime.hardware_timer == timer;
    let all = || report.runtimes.iter().filter(|runtime| runtime.language == language);
    let measured: Vec<&Runtime> =
        all().filter(here).filter(|runtime| runtime.is_measured_elsewhere()).collect();
    let Some(first) = measured.first() else {
        let why = all().map(|runtime| match &runtime.reason {
            Some(reason) => format!("{} is not here ({reason})", runtime.name),
            None => format!("{} was measured on another machine", runtime.name),
        });
        let why: Vec<String> = why.collect();
        let asked = format!("chronoscope advise --language {language} measures it");
        return without_figures(
            language,
            sheets.first(),
            if why.is_empty() { asked } else { why.join("; ") }.as_str(),
        );
    };
    let of = |family: &str| -> Option<(&Sheet, &Runtime, &RuntimeClock)> {
        let builds = measured.iter().filter(|runtime| runtime.family() == family);
        let clocks = builds.flat_map(|r| r.clocks.iter().map(move |clock| (*r, clock)));
        let rows = clocks.filter_map(|(runtime, clock)| {
            let sheet = sheets.iter().find(|sheet| sheet.ids.contains(&clock.id.as_str()))?;
            let back = clock.watched.is_some_and(|seen| seen.backwards > 0);
            let fit = !(clock.internal || back && purpose.name() != "timestamp");
            // The smallest change that was seen; the resolution of a clock whose ticks were not.
            let tick = clock.tick_ns.or(clock.resolution_ns)?;
            Some((sheet, runtime, clock, tick, clock.read_ns()?)).filter(|_| fit)
        });
        let rows: Vec<_> = rows.collect();
        let finest = rows.iter().map(|row| row.3).min_by(f64::total_cmp)?;
        let fine = rows.iter().filter(|row| row.3 <= finest * AS_FINE);
        let best = fine.min_by(|a, b| a.4.total_cmp(&b.4))?;
        Some((best.0, best.1, best.2))
    };
    let Some((sheet, runtime, clock)) = of(first.family()) else {
        let why = format!("chronoscope does not read this clock of {}", first.name);
        return without_figures(language, sheets.first(), &why);
    };
    let shortest = match purpose.name() {
        "micro" => {
            let latency = clock.latency.as_ref().and_then(|cost| cost.known_ns());
            shortest(clock.tick_ns, clock.read_ns().map(|ns| ns.max(latency.unwrap_or(0.0))))
        }
        _ => Vec::new(),
    };
    let mut others: Vec<&str> = measured.iter().map(|runtime| runtime.family()).collect();
    others.dedup();
    let others = others.into_iter().skip(1).filter_map(of);
    let others = others.map(|(_, other, clock)| format!(" {}: {}.", versioned(other), read(clock)));
    Some(Advice {
        clock: Some(format!("{}/{}", runtime.id, clock.id)),
        cost_ns: clock.read_ns(),
        figure: clock.throughput.as_ref().and_then(|cost| cost.human()).unwrap_or_default(),
        why: format!(
            "{}: {}.{}{}",
            versioned(runtime),
            read(clock),
            precise("It", &shortest),
            others.collect::<String>()
        ),
        code: [(language.into(), sheet.code.clone())].into(),
        shortest,
        ..Advice::default()
    })
}

fn versioned(runtime: &Runtime) -> String {
    match &runtime.version {
        Some(version) => format!("{} {version}", runtime.name),
        None => runtime.name.clone(),
    }
}

/// `35.9 ns per read, tick 10 ns`
fn read(clock: &RuntimeClock) -> String {
    let read = clock.read_ns().unwrap_or_default();
    let tick = match clock.tick_ns {
        // Reads that far apart show no shorter tick.
        Some(tick) if tick > 0.8 * read && tick < 1.25 * read => {
            ", tick not longer than a read".into()
        }
        Some(tick) => format!(", tick {}", short(tick)),
        None => String::new(),
    };
    let cost = clock.throughput.as_ref().and_then(Estimate::human);
    format!("{} per read{tick}", cost.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use crate::advise;
    use chronoscope_model::clock::Kind;
    use chronoscope_model::runtimes::{Runtime, RuntimeClock};
    use chronoscope_model::{Advice, Estimate, Report};

    fn clock(id: &str, kind: Kind, read_ns: f64, tick_ns: f64) -> RuntimeClock {
        RuntimeClock {
            id: id.into(),
            kind,
            tick_ns: Some(tick_ns),
            throughput: Some(Estimate {
                value_ns: read_ns,
                low_ns: read_ns * 0.99,
                high_ns: read_ns * 1.01,
                ..Estimate::default()
            }),
            ..RuntimeClock::default()
        }
    }

    fn node() -> Runtime {
        Runtime {
            id: "node".into(),
            name: "Node.js".into(),
            language: "JavaScript".into(),
            program: Some("/usr/bin/node".into()),
            clocks: vec![
                clock("performance-now", Kind::Monotonic, 20.0, 50.0),
                clock("hrtime-bigint", Kind::Monotonic, 29.0, 10.0),
                clock("date-now", Kind::Wall, 30.0, 1e6),
            ],
            ..Runtime::default()
        }
    }

    fn advised(runtimes: Vec<Runtime>, purpose: &str) -> Vec<Advice> {
        let all = advise(&Report { runtimes, ..Report::default() });
        all.into_iter().filter(|advice| advice.purpose == purpose).collect()
    }

    #[test]
    fn code_has_the_figures_of_the_clock_that_it_reads() {
        let [interval] = &advised(vec![node()], "interval")[..] else { panic!("one answer") };
        assert_eq!(interval.clock.as_deref(), Some("node/hrtime-bigint"));
        assert_eq!(interval.cost_ns, Some(29.0));
        assert!(interval.code["JavaScript"].contains("hrtime.bigint"), "{interval:?}");
        assert!(interval.why.contains("tick 10"), "{}", interval.why);
        let [micro] = &advised(vec![node()], "micro")[..] else { panic!("one answer") };
        assert_eq!(micro.shortest[1].interval_ns, 290.0);
    }

    #[test]
    fn several_implementations_give_one_answer_that_names_them() {
        let deno = Runtime { id: "deno".into(), name: "Deno".into(), ..node() };
        let [one] = &advised(vec![node(), deno], "interval")[..] else { panic!("one answer") };
        assert!(one.why.contains("Node.js: 29") && one.why.contains("Deno: 29"), "{}", one.why);
    }

    #[test]
    fn what_was_not_measured_has_code_and_no_figure() {
        let gone = Runtime {
            program: None,
            clocks: Vec::new(),
            reason: Some("node not found".into()),
            ..node()
        };
        let swept = Runtime { hardware_timer: "hpet".into(), ..node() };
        for (runtime, why) in [(gone, "Node.js is not here (node not found)"), (swept, "another")] {
            for advice in advise(&Report { runtimes: vec![runtime], ..Report::default() }) {
                assert_eq!((advice.cost_ns, advice.figure.as_str()), (None, super::NOT_MEASURED));
                assert!(advice.why.contains(why), "{}", advice.why);
                assert!(!advice.code["JavaScript"].is_empty() && advice.shortest.is_empty());
            }
        }
        // It reads no clock of CPU time of this runtime.
        let [cpu] = &advised(vec![node()], "cpu")[..] else { panic!("one answer") };
        assert!(cpu.why.contains("does not read this clock of Node.js"), "{}", cpu.why);
    }

    #[test]
    fn a_call_that_is_not_documented_is_not_named() {
        let mut node = node();
        node.clocks[1].internal = true;
        let [one] = &advised(vec![node], "interval")[..] else { panic!("one answer") };
        assert_eq!(one.clock.as_deref(), Some("node/performance-now"));
    }
}
