//! A report's account of its own run.

use chronoscope_measure::engine::Interrupt;
use chronoscope_model::run::Run;
use chronoscope_model::timekeeping::Moved;
use chronoscope_model::{Environment, Report, SCHEMA};
use chronoscope_probes::machine::{self, Root};
use std::time::Instant;

/// A report with the machine in it, and nothing measured yet.
pub(crate) fn begin(seed: u64) -> Report {
    Report {
        schema: SCHEMA.into(),
        run: Run {
            id: format!("{:016x}", fastrand::u64(..)),
            started: jiff::Timestamp::now().to_string(),
            argv: std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
            tool_version: env!("CARGO_PKG_VERSION").into(),
            order_seed: seed,
            ..Run::default()
        },
        environment: machine::environment(&Root::host()),
        ..Report::default()
    }
}

/// What can change on this machine during a run, as it is now.
pub(crate) fn state() -> Environment {
    machine::state(&Root::host())
}

/// By how much the system's clocks moved against each other between two states.
pub(crate) fn moved(before: &Environment, after: &Environment) -> Option<Moved> {
    let distances = |env: &Environment| env.keeping.as_ref()?.distances;
    Some(distances(before)?.moved(&distances(after)?))
}

/// Records how a run ended that began then.
pub(crate) fn end(report: &mut Report, began: Instant, interrupt: &Interrupt) {
    report.run.finished = jiff::Timestamp::now().to_string();
    report.run.seconds = began.elapsed().as_secs_f64();
    report.run.complete = !interrupt.is_set();
    // What happened during the run is in the log by now.
    let log = machine::kernel_log(&Root::host());
    if !log.is_empty() {
        report.environment.kernel_log = log;
    }
}
