//! A counter that is not fit to be the ruler is still shown in time, and not in the ruler's ticks.
#![cfg(target_arch = "x86_64")]

use chronoscope_measure::difference;
use chronoscope_measure::engine::Host;
use chronoscope_measure::session::{Options, Session};
use chronoscope_model::environment::{Environment, Tsc, TscKind};
use chronoscope_probes::clocks::{self, Kind};
use std::sync::atomic::AtomicBool;

#[test]
fn a_counter_beside_the_ruler_has_its_own_rate() {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let variant = Tsc {
        kind: TscKind::Variant,
        ..Tsc::default()
    };
    let environment = Environment {
        tsc: Some(variant),
        ..Environment::default()
    };
    let rdtsc = clocks::find("x86/rdtsc-intrinsic").expect("one of the clocks");
    let options = Options {
        cpu: None,
        interrupt: &NEVER,
        first: None,
    };
    let mut session = Session::open(&[rdtsc], &environment, options).expect("a counter");
    assert_eq!(session.machine.ruler().id(), "rust/instant");
    assert_eq!(session.specs[0].kind, Kind::Counter);
    let hz = session.machine.hz();
    let (specs, subjects) = (session.specs.clone(), session.subjects.clone());
    let found = difference::measure(&mut session.machine, &specs, &subjects, |_| None, hz);
    let found = found[0].as_ref().expect("a time");
    let ratio = found.clock_ms / found.reference_ms;
    assert!((0.99..1.01).contains(&ratio), "{found:?}");
}
