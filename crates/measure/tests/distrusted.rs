//! A counter that is not suitable as the ruler is still converted to time at its own rate rather
//! than the ruler's.
#![cfg(target_arch = "x86_64")]

use chronoscope_measure::clocks::costs::measure_difference;
use chronoscope_measure::engine::Timed;
use chronoscope_measure::run::Setting;
use chronoscope_model::environment::{Environment, Tsc, TscKind};
use chronoscope_probes::clocks::{self, Kind};

#[test]
fn a_counter_that_is_not_the_ruler_has_its_own_rate() {
    let variant = Tsc { kind: TscKind::Variant, ..Tsc::default() };
    let environment = Environment { tsc: Some(variant), ..Environment::default() };
    let rdtsc = clocks::find("x86/rdtsc-intrinsic").expect("one of the clocks");
    let session = Setting::default().session(&environment, &[rdtsc]);
    let mut session = session.expect("a counter");
    assert_eq!(session.machine.ruler().id(), "rust/instant");
    assert_eq!(session.machine.specs()[0].row.kind, Kind::Counter);
    let hz = session.machine.hz();
    let subjects = session.subjects.clone();
    let found =
        measure_difference(&mut session.machine, &subjects, &vec![None; subjects.len()], hz);
    let found = found[0].as_ref().expect("a time");
    let ratio = found.clock_ms / found.reference_ms;
    assert!((0.99..1.01).contains(&ratio), "{found:?}");
}
