//! Which timer hardware, which kernel clock source, which hypervisor, and why?

use super::measuring;
use crate::context::Context;
use crate::finish::finish;
use chronoscope_measure::engine::rounds::{self, Plan};
use chronoscope_measure::engine::{Host, Mode};
use chronoscope_model::run::Noise;
use chronoscope_probes::clocks::{self, Entry};
use chronoscope_report::text;
use std::process::ExitCode;
use std::time::Duration;

/// `chronoscope hardware`
#[derive(clap::Args)]
pub struct Args {}

/// The counter's read, timed in a moment.
const MOMENT: Duration = Duration::from_millis(20);

/// Looks at the machine, and measures no more than the counter's own rate and cost.
///
/// # Errors
/// An output that could not be written.
pub fn run(_: Args, context: &Context) -> anyhow::Result<ExitCode> {
    let mut report = context.report();
    if let Some(entry) = counter() {
        let mut session = measuring::session(context, &report.environment, &[entry])?;
        let specs = session.specs.clone();
        let plan = Plan {
            min_rounds: 100,
            ..Plan::within(MOMENT)
        };
        let found = rounds::run(
            &mut session.machine,
            &specs,
            &[0],
            &[Mode::Throughput],
            plan,
            context.seed,
            |_| (),
        );
        let rate = session.machine.rate();
        let noise = Noise {
            batches: found.batches,
            disturbed: found.disturbed,
            core: found.pace.core(rate.hz),
            ..Noise::default()
        };
        let ruler = session.ruler(found.ruler_ticks / rate.hz * 1e9, noise);
        if let (Some(tsc), Some(cost)) = (
            &mut report.environment.tsc,
            found.estimate(&specs, 0, Mode::Throughput, rate),
        ) {
            tsc.rdtsc_ns = Some(cost.value_ns);
            tsc.rdtsc_cycles = cost.cycles;
            tsc.rdtsc_core_cycles = cost.core_cycles;
        }
        measuring::add_measured_rate(&mut report.environment, &ruler);
        report.ruler = Some(ruler);
    }
    finish(context, report, text::hardware::render)
}

/// The counter's own read, whatever clock the library would choose; where there is none, the
/// library's clock stands in for the measurement of the ruler.
fn counter() -> Option<&'static Entry> {
    let bare = clocks::find("x86/rdtsc-intrinsic").filter(|_| cfg!(target_arch = "x86_64"));
    bare.or_else(|| clocks::find("chronoscope/instant"))
}
