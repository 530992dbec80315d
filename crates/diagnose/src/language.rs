//! The best call of a language for each purpose, from the runtimes that a report holds.

use chronoscope_model::clock::Kind;
use chronoscope_model::runtimes::{Runtime, RuntimeClock, RuntimeSleep};
use chronoscope_model::units::human_ns;
use chronoscope_model::{Advice, Report};

/// The purposes that a clock of one kind serves: the id, the title, and the kind.
const PURPOSES: [(&str, &str, Kind); 3] = [
    ("interval", "Time intervals", Kind::Monotonic),
    ("timestamp", "Time of day", Kind::Wall),
    ("cpu", "CPU time", Kind::Cpu),
];
/// A clock whose resolution is within this factor of the finest counts as equally fine.
const AS_FINE: f64 = 3.0;
/// The sleep that stands for waiting, in nanoseconds.
const WAIT_NS: f64 = 1e6;

/// Advice for this language from its runtimes on the report's machine, from each implementation for
/// each purpose, in the order of the report; none if the report holds none of them.
pub fn in_language(report: &Report, language: &str) -> Vec<Advice> {
    let own = report.environment.cpu.model.as_deref().unwrap_or_default();
    let source = report.environment.clocksource.as_ref();
    let timer = source.map_or("", |source| source.current.as_str());
    let runtimes = report.runtimes.iter().filter(|runtime| {
        // A sweep has rows under other clock sources, and the runtimes of other reports can be
        // added.
        let here = runtime.processor == own && runtime.hardware_timer == timer;
        let measured = here && runtime.is_measured_elsewhere();
        measured && runtime.language.eq_ignore_ascii_case(language)
    });
    // The builds of one implementation, such as the levels of a compiler, get one piece of advice.
    let mut implementations: Vec<Vec<&Runtime>> = Vec::new();
    for runtime in runtimes {
        match implementations.iter_mut().find(|one| one[0].family() == runtime.family()) {
            Some(builds) => builds.push(runtime),
            None => implementations.push(vec![runtime]),
        }
    }
    let each = || implementations.iter();
    let clocks = PURPOSES
        .iter()
        .flat_map(|purpose| each().filter_map(move |builds| clock_for(purpose, builds)));
    clocks.chain(each().filter_map(|builds| best_sleep(builds))).collect()
}

fn clock_for((id, title, kind): &(&str, &str, Kind), builds: &[&Runtime]) -> Option<Advice> {
    let (runtime, clock, compared) = best_clock(builds, *kind)?;
    Some(Advice {
        purpose: (*id).into(),
        title: format!("{title} in {}", runtime.name),
        clock: Some(format!("{}/{}", runtime.id, clock.id)),
        why: why(clock, compared),
        cost_ns: clock.read_ns(),
        code: [(runtime.language.clone(), clock.call.clone())].into(),
        ..Advice::default()
    })
}

/// The cheapest of the clocks of a kind that are as fine as the finest and never went back, with
/// the number of clocks that were compared.
fn best_clock<'a>(
    runtimes: &[&'a Runtime],
    kind: Kind,
) -> Option<(&'a Runtime, &'a RuntimeClock, usize)> {
    let all = runtimes.iter().flat_map(|r| r.clocks.iter().map(move |clock| (*r, clock)));
    let fit = all.filter_map(|(runtime, clock)| {
        let backwards = clock.watched.is_some_and(|seen| seen.backwards > 0);
        let steady = (kind == Kind::Wall || !backwards) && !clock.internal;
        let (resolution, read) = (clock.resolution_ns?, clock.read_ns()?);
        (clock.kind == kind && steady).then_some((runtime, clock, resolution, read))
    });
    let fit: Vec<_> = fit.collect();
    let finest = fit.iter().map(|one| one.2).min_by(f64::total_cmp)?;
    let fine = fit.iter().filter(|one| one.2 <= finest * AS_FINE);
    let best = fine.min_by(|a, b| a.3.total_cmp(&b.3))?;
    Some((best.0, best.1, fit.len()))
}

fn why(clock: &RuntimeClock, compared: usize) -> String {
    let tick = clock.tick_ns.map(|ns| format!(", tick {}", human_ns(ns)));
    let ratio = clock.relative.map(|ratio| format!(", {:.1} times C", ratio.value));
    let kind = match clock.kind {
        Kind::Wall => "clocks of the time of day",
        Kind::Cpu => "clocks of CPU time",
        Kind::Monotonic | Kind::Counter => "monotonic clocks",
    };
    let of = match compared {
        1 => "The only one that was measured".to_owned(),
        some => format!("The cheapest of the finest of {some} {kind} that were measured"),
    };
    format!("{of}{}{}.", tick.unwrap_or_default(), ratio.unwrap_or_default())
}

/// The sleep for a millisecond that has the least overshoot and never ends early.
fn best_sleep(runtimes: &[&Runtime]) -> Option<Advice> {
    let all = runtimes.iter().flat_map(|r| r.sleeps.iter().map(move |sleep| (*r, sleep)));
    let of_it = |sleep: &RuntimeSleep| (sleep.asked_ns - WAIT_NS).abs() < 1.0;
    let fit: Vec<(&Runtime, &RuntimeSleep)> = all.filter(|(_, sleep)| of_it(sleep)).collect();
    let on_time = fit.iter().filter(|(_, sleep)| sleep.early == 0);
    let (runtime, sleep) = on_time.min_by(|a, b| a.1.median_ns.total_cmp(&b.1.median_ns))?;
    let early = fit.iter().filter(|(_, sleep)| sleep.early > 0);
    let early: Vec<&str> = early.map(|(_, sleep)| sleep.call.as_str()).collect();
    let beware = match early.as_slice() {
        [] => String::new(),
        calls => format!(" {} can end early.", calls.join(" and ")),
    };
    Some(Advice {
        purpose: "wait".into(),
        title: format!("Wait 1 ms in {}", runtime.name),
        clock: Some(format!("{}/{}", runtime.id, sleep.id)),
        why: format!(
            "The median of {} sleeps of 1 ms ended {} late, and none early.{beware}",
            sleep.count,
            human_ns(sleep.median_ns)
        ),
        code: [(runtime.language.clone(), sleep.call.clone())].into(),
        ..Advice::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::Estimate;

    fn clock(id: &str, kind: Kind, read_ns: f64, resolution_ns: f64) -> RuntimeClock {
        RuntimeClock {
            id: id.into(),
            call: format!("{id}()"),
            kind,
            resolution_ns: Some(resolution_ns),
            throughput: Some(Estimate {
                value_ns: read_ns,
                low_ns: read_ns * 0.99,
                high_ns: read_ns * 1.01,
                ..Estimate::default()
            }),
            ..RuntimeClock::default()
        }
    }

    fn report() -> Report {
        let sleep = |id: &str, median_ns, early| RuntimeSleep {
            id: id.into(),
            call: format!("{id}()"),
            asked_ns: 1e6,
            count: 30,
            early,
            median_ns,
            ..RuntimeSleep::default()
        };
        Report {
            runtimes: vec![Runtime {
                id: "python".into(),
                name: "CPython".into(),
                language: "Python".into(),
                program: Some("/usr/bin/python3".into()),
                clocks: vec![
                    clock("slow", Kind::Monotonic, 90.0, 90.0),
                    clock("fast", Kind::Monotonic, 50.0, 50.0),
                    clock("coarse", Kind::Monotonic, 5.0, 4e6),
                    clock("wall", Kind::Wall, 60.0, 238.0),
                ],
                sleeps: vec![sleep("early", 10.0, 3), sleep("late", 60_000.0, 0)],
                ..Runtime::default()
            }],
            ..Report::default()
        }
    }

    #[test]
    fn the_cheapest_of_the_finest_is_named_for_each_purpose() {
        let advice = in_language(&report(), "python");
        let chosen: Vec<(&str, &str)> = advice
            .iter()
            .map(|advice| (advice.purpose.as_str(), advice.code["Python"].as_str()))
            .collect();
        let expected = [("interval", "fast()"), ("timestamp", "wall()"), ("wait", "late()")];
        assert_eq!(chosen, expected);
        assert!(advice[2].why.contains("early() can end early"), "{}", advice[2].why);
    }

    #[test]
    fn each_implementation_that_was_measured_is_advised_and_its_builds_once() {
        let mut report = report();
        let python = report.runtimes[0].clone();
        for id in ["pypy", "pypy:nightly"] {
            let pypy = Runtime { id: id.into(), name: "PyPy".into(), ..python.clone() };
            report.runtimes.push(pypy);
        }
        let clocks = in_language(&report, "python").into_iter().filter_map(|one| one.clock);
        let clocks: Vec<String> = clocks.collect();
        let expected = ["python/fast", "pypy/fast", "python/wall", "pypy/wall", "python/late"];
        assert_eq!(clocks[..5], expected);
        assert_eq!(clocks[5..], ["pypy/late"]);
    }

    #[test]
    fn a_call_that_is_not_documented_is_not_named() {
        let mut report = report();
        report.runtimes[0].clocks[1].internal = true;
        let advice = in_language(&report, "python");
        assert_eq!(advice[0].code["Python"], "slow()");
    }

    #[test]
    fn other_languages_and_other_machines_give_no_advice() {
        assert!(in_language(&report(), "Java").is_empty());
        let mut elsewhere = report();
        elsewhere.environment.cpu.model = Some("another".into());
        assert!(in_language(&elsewhere, "Python").is_empty());
        let mut swept = report();
        swept.runtimes[0].hardware_timer = "hpet".into();
        assert!(in_language(&swept, "Python").is_empty());
    }
}
