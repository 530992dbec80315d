//! A report's account of its own run.

use chronoscope_measure::engine::Interrupt;
use chronoscope_model::run::Run;
use chronoscope_model::{Report, SCHEMA};
use chronoscope_probes::machine::{self, Root};
use chronoscope_probes::time::Instant;

/// Returns a report that describes the machine behind `root`, without any measurements.
pub(crate) fn begin(seed: u64, root: &Root) -> Report {
    Report {
        schema: SCHEMA.into(),
        run: Run {
            id: format!("{:016x}", fastrand::u64(..)),
            started: jiff::Timestamp::now().to_string(),
            argv: std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
            tool_version: env!("CARGO_PKG_VERSION").into(),
            compilers: chronoscope_probes::compilers(),
            order_seed: seed,
            ..Run::default()
        },
        environment: machine::environment(root),
        ..Report::default()
    }
}

/// Records the end of a run that began at `began`.
pub(crate) fn end(report: &mut Report, began: Instant, interrupt: &Interrupt) {
    report.run.finished = jiff::Timestamp::now().to_string();
    report.run.seconds = began.elapsed().as_secs_f64();
    report.run.complete = !interrupt.is_set();
    if report.run.quick {
        return;
    }
    // The log now contains what happened during the run.
    let log = machine::kernel_log(&Root::host());
    if !log.is_empty() {
        report.environment.kernel_log = log;
    }
}
