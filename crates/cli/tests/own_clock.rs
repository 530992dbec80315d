//! The library's own rows are about the source that the library chose.

use chronoscope_model::Report;
use chronoscope_model::clock::Kind;
use std::process::Command;

fn measured(source: &str) -> Report {
    let output = Command::new(env!("CARGO_BIN_EXE_chronoscope"))
        .args(["clocks", "chronoscope/*", "--budget", "2s", "--json"])
        .env("CHRONOSCOPE_SOURCE", source)
        .output()
        .expect("the tool");
    let told = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {told}"))
}

#[test]
fn if_the_systems_clock_is_chosen_it_is_timed_in_its_own_units() {
    let system = (" ns", Kind::Monotonic);
    let counter = match chronoscope::counter::is_hardware() {
        true => (" ticks", Kind::Counter),
        false => system,
    };
    for (source, (unit, kind)) in [("os", system), ("counter", counter)] {
        for clock in measured(source).clocks {
            // Even a request does not choose a counter that does not count.
            let told = clock.unavailable_reason.as_deref();
            assert!(clock.available, "{} by {source}: {told:?}", clock.id);
            assert!(clock.call.starts_with("chronoscope::Instant::now"));
            assert_eq!(clock.kind, kind, "{} by {source}", clock.id);
            let example = clock.example.expect("a value");
            assert!(example.ends_with(unit), "{} by {source}: {example}", clock.id);
            let Some(difference) = clock.difference_100ms else {
                continue;
            };
            // In any unit but its own it would be off by far more than on a loaded machine.
            let off = difference.clock_ms / difference.reference_ms;
            assert!((0.9..1.1).contains(&off), "{} by {source}: {difference:?}", clock.id);
        }
    }
}
