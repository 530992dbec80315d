use super::*;
use crate::lists::tests::check;
use std::collections::HashSet;

#[test]
fn every_entry_and_table_is_in_a_list() {
    check("src/waits");
}

#[test]
fn ids_are_unique_and_well_formed() {
    let mut seen = HashSet::new();
    for entry in ALL {
        assert!(seen.insert(entry.id), "{} occurs twice", entry.id);
        let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_/".contains(c);
        assert!(entry.id.chars().all(fine), "{}", entry.id);
        assert!(
            !entry.about.is_empty() && !entry.references.is_empty() && !entry.call.is_empty(),
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
    for entry in ALL {
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
    for entry in ALL {
        for counter_hz in [None, Some(2.6e9)] {
            let wait = Asked { ns: 1_234_567_891, counter_hz };
            let lines = entry.lines(wait);
            let name = entry.call.split(['(', ' ']).next().expect("a word");
            assert!(lines.contains(name) || lines.contains("1234567891"), "{}: {lines}", entry.id);
            assert!(lines.ends_with([';', '}']), "{}: {lines}", entry.id);
        }
    }
}
