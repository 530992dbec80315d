//! Measures nothing but the counter's own rate and cost.

use super::throughput;
use crate::engine::rounds::{self, Plan};
use crate::engine::schedule;
use crate::engine::{Mode, Timed};
use crate::run::measurement::{Error, Measurement, Setting};
use chronoscope_model::Report;
use chronoscope_probes::clocks::{self, Entry};

/// The rounds that are always made, so that there is a figure.
const ROUNDS: u32 = 100;

pub struct Request;

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let Some(entry) = counter() else {
            return Ok(());
        };
        let mut session = setting.session(&report.environment, &[entry])?;
        let specs = session.specs.clone();
        let time = setting.left().unwrap_or(schedule::HARDWARE.time);
        let plan = Plan { min_rounds: ROUNDS, processes: 1, ..Plan::within(time) };
        let found = rounds::run(
            &mut session.machine,
            &specs,
            &[0],
            &[Mode::Throughput],
            plan,
            setting.seed,
            |_| (),
        );
        let rate = session.machine.rate();
        if let (Some(tsc), Some(cost)) =
            (&mut report.environment.tsc, found.estimate(&specs, 0, Mode::Throughput, rate))
        {
            tsc.rdtsc_ns = Some(cost.value_ns);
            tsc.rdtsc_cycles = cost.cycles;
            tsc.rdtsc_core_cycles = cost.core_cycles;
        }
        report.environment.throughput = throughput::measure(&report.environment);
        session.conclude(report, found.ruler_ticks / rate.hz * 1e9, found.noise(rate));
        Ok(())
    }
}

/// Returns the clock that reads the counter itself, whichever clock the library would choose.
/// Without a counter, it returns the library's clock, so that the ruler is measured.
fn counter() -> Option<&'static Entry> {
    let bare = clocks::find("x86/rdtsc-intrinsic").filter(|_| cfg!(target_arch = "x86_64"));
    bare.or_else(|| clocks::find("chronoscope/instant"))
}
