use super::*;
use crate::catalogue::tests::{check, sources};
use crate::shown::does;
use std::collections::HashSet;
use std::path::Path;

#[test]
fn every_entry_and_table_is_in_a_list() {
    check("src/waits");
}

#[test]
fn ids_are_unique_and_well_formed() {
    let mut seen = HashSet::new();
    for entry in ALL.iter() {
        assert!(seen.insert(entry.id), "{} occurs twice", entry.id);
        let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_/".contains(c);
        assert!(entry.id.chars().all(fine), "{}", entry.id);
        assert!(
            !entry.about().is_empty() && !entry.references().is_empty() && !entry.call.is_empty(),
            "{}: a text is missing",
            entry.id
        );
    }
}

/// Ticks per second of the counter, roughly, and never too low: a wait on it must not be too short.
/// The counter is read first and last, so that any delay between the reads adds to it.
fn setting() -> Setting {
    let ticks = chronoscope::counter::start();
    let ns = os::reference();
    std::thread::sleep(std::time::Duration::from_millis(50));
    let ns = os::reference() - ns;
    let ticks = chronoscope::counter::start() - ticks;
    Setting { counter_hz: ticks as f64 / ns as f64 * 1e9 * 1.001 }
}

/// With every available method, no wait fails, and none is early by the system's own clock beyond
/// its steps. The other methods have a reason why they are unavailable.
#[test]
fn a_method_waits_and_is_not_early_or_gives_a_reason() {
    let setting = setting();
    let mut available = 0;
    for entry in ALL.iter() {
        let mut method = match entry.open(&setting) {
            Ok(method) => method,
            Err(reason) => {
                assert!(!reason.0.is_empty(), "{} has no reason", entry.id);
                continue;
            }
        };
        available += 1;
        let steps = 2 * os::step() + entry.facts.early_by_design_ns;
        for ns in [1, 999, 20_000, 1_234_567] {
            let start = os::monotonic();
            assert_eq!(method.wait(ns), Ok(()), "{} of {ns} ns", entry.id);
            let waited = os::monotonic() - start;
            assert!(waited + steps >= ns, "{} of {ns} ns took {waited} ns", entry.id);
        }
        for ahead in [0, 1, 200_000, 1_500_000] {
            let deadline = os::monotonic() + ahead;
            assert_eq!(method.until(deadline), Ok(()), "{} until", entry.id);
            let now = os::monotonic();
            assert!(now + steps >= deadline, "{} is {} ns early", entry.id, deadline - now);
        }
        assert_eq!(method.until(1), Ok(()), "{} until long ago", entry.id);
    }
    // A build without a C++ compiler lacks the waits of C++, and must not pass the test.
    let least = if cfg!(target_os = "linux") { 16 } else { 5 };
    assert!(available >= least, "only {available} methods are available");
}

#[test]
fn the_code_of_a_wait_contains_its_call_or_its_duration() {
    for entry in ALL.iter() {
        for counter_hz in [None, Some(2.6e9)] {
            let wait = Asked { ns: 1_234_567_891, counter_hz };
            let lines = entry.lines(wait);
            let name = entry.call.split(['(', ' ']).next().expect("a word");
            let known = ["1234567891", "1.234567891", "1235", "1234568"];
            let has_it = |text: &&str| lines.contains(text);
            assert!(lines.contains(name) || known.iter().any(has_it), "{}: {lines}", entry.id);
            let statement = entry.runtime.is_some() || lines.ends_with([';', '}']);
            assert!(statement && !lines.contains("{ns}"), "{}: {lines}", entry.id);
        }
    }
}

#[test]
fn a_loop_with_a_wait_has_a_place_for_its_work_and_fits_on_a_screen() {
    let mut languages = std::collections::BTreeSet::new();
    for entry in ALL.iter() {
        let Some(code) = entry.paced(16_666_667) else { continue };
        assert!(chronoscope_model::snippet::is_paced(&code), "{}: {code}", entry.id);
        assert!(code.contains("16666667"), "{}: {code}", entry.id);
        for open in ["{s}", "{ms}", "{us}", "{ns}", "{once}", "{wait}", "{period}"] {
            assert!(!code.contains(open), "{}: {code}", entry.id);
        }
        let long = code.lines().find(|line| line.chars().count() > 66);
        assert_eq!(long, None, "{}", entry.id);
        languages.insert(entry.language.name());
    }
    let wanted = chronoscope_model::advice::LANGUAGES;
    assert!(wanted.iter().all(|language| languages.contains(language)), "{languages:?}");
}

/// What stands in the source for a function or an instruction of a call. An iteration of a busy
/// wait is in `spin.rs`, and so are the reads of its clock.
fn source_of(shown: &str) -> &str {
    match shown {
        "__rdtsc()" => "counter",
        "_mm_pause()" => "spin_loop",
        "_tpause()" => "tpause {",
        "_umonitor()" => "umonitor {",
        "_umwait()" => "umwait {",
        "start.elapsed()" | "elapsed()" => "spin_elapsed",
        "duration.saturating_sub()" => "saturating_sub",
        // `File::read` and `os::monotonic` make these calls.
        "read()" => ".read(",
        "clock_gettime()" => "os::monotonic",
        "chronoscope::wait::sleep()" => "waiter.sleep",
        // The moment that is waited for, which C++ and the library compute in native/waits.cpp.
        "std::chrono::steady_clock::now()" => "steady_clock::now",
        other => other.trim_end_matches("()").trim_start_matches("std::this_thread::"),
    }
}

/// The call that is shown is the one that is timed: what it names stands in the code that waits.
#[test]
fn what_a_call_names_stands_in_the_code_that_waits() {
    let sources = sources("src/waits");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| {
        std::fs::read_to_string(folder.join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
    };
    for entry in ALL.iter().filter(|entry| entry.runtime.is_none()) {
        let id = format!("\n    \"{}\" =>", entry.id);
        let (_, source) = sources.iter().find(|(_, text)| text.contains(&id)).expect("the entry");
        let (_, entry_on) = source.split_once(&id).expect("the entry");
        // What stands before is the entry, which the call is part of. What follows a table is the
        // code of all its rows.
        let (_, code) = entry_on.split_once("opener:").expect("an opener");
        let (own, rest) = code.split_once("\n    \"").unwrap_or((code, ""));
        let (_, rest) = rest.split_once("\n}\n").unwrap_or_default();
        let (family, name) = entry.id.split_once('/').unwrap_or_default();
        let elsewhere = match family {
            "cxx" => read("native/waits.cpp"),
            "windows" if name.contains("timer") => read("src/waits/windows.rs"),
            "busy" if name == "qpc" => read("src/waits/windows.rs"),
            // The sleep is another entry's, and the spin is shared by all.
            "hybrid" if name != "fixed" => {
                let sleep = ["linux.rs", "windows.rs", "unix.rs"];
                let sleep = sleep.map(|file| read(&format!("src/waits/{file}"))).concat();
                sleep + "os::monotonic"
            }
            _ => String::new(),
        };
        let code = format!("{own}{rest}{elsewhere}");
        for shown in does(entry.call) {
            let name = source_of(&shown);
            assert!(
                code.contains(name),
                "{}: `{}` is shown, but {name} is nowhere in what waits",
                entry.id,
                entry.call
            );
        }
    }
}

/// The probe of each runtime knows its waits by their names.
#[test]
fn the_probe_of_a_runtime_has_its_waits() {
    let mut known = 0;
    for entry in ALL.iter() {
        let Some(runtime) = entry.runtime else { continue };
        let runtime = chronoscope_runtimes::find_any(runtime).expect(entry.id);
        assert_eq!(runtime.language, entry.language.name(), "{}", entry.id);
        let name = entry.name_in_runtime();
        let probe = chronoscope_model::packed::text(runtime.source.packed);
        let mut quoted = ["\"", "'"].map(|mark| format!("{mark}{name}{mark}")).into_iter();
        assert!(quoted.any(|name| probe.contains(&name)), "{}", entry.id);
        known += 1;
    }
    assert!(known > 50, "{known}");
}
