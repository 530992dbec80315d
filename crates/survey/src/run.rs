//! What every run needs: what a program must do first so that a survey can start it again as a
//! child, a report's account of its own run, and why there is no report.

use chronoscope_measure::engine::Interrupt;
use chronoscope_measure::engine::children::Children;
use chronoscope_measure::engine::serve::serve;
use chronoscope_measure::run;
use chronoscope_model::run::Run;
use chronoscope_model::{Report, SCHEMA};
use chronoscope_probes::clocks::hundred;
use chronoscope_probes::load;
use chronoscope_probes::machine::{self, Root, source_switch};
use chronoscope_probes::time::{Instant, tsc_permitted};
use chronoscope_probes::waits::os;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fmt, io};

/// Returns a report that describes the machine behind `root`, without any measurements.
pub(crate) fn begin_run(seed: u64, root: &Root) -> Report {
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
pub(crate) fn end_run(report: &mut Report, began: Instant, interrupt: &Interrupt) {
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

/// The argument that makes the program a child that reads one clock. The clock's id and the ruler's
/// name follow it.
const CHILD: &str = "--chronoscope-reads";

static STARTED: AtomicBool = AtomicBool::new(false);

/// Prepares this program for surveys. Call it first in `main`, before any thread is started and any
/// clock is read.
///
/// Some measurements start the program again: for the first read of a clock in a new process, and
/// for load on Windows. In such a child, this function does the child's work and ends the process.
///
/// On Linux it also blocks SIGCONT and SIGXFSZ for this thread and those it starts. Without that, a
/// process that was stopped looks like a wait that ended very late, and a file size limit kills the
/// process. SIGCONT still continues a stopped process.
pub fn start_up() {
    let requested = as_child().or_else(load::requested).or_else(source_switch::requested);
    if let Some(code) = requested.or_else(hundred::requested) {
        std::process::exit(code);
    }
    os::hold_signals();
    STARTED.store(true, Ordering::Relaxed);
}

/// Whether this process may read its clocks: a process that may not read the TSC
/// (`PR_SET_TSC`) is killed when it reads the time through the vDSO.
///
/// # Errors
/// The process may not read its clocks.
pub fn may_measure() -> Result<(), Error> {
    let why = "this process may not read the TSC (PR_SET_TSC), which the system's own clocks also \
               read: start it without that restriction";
    match tsc_permitted() {
        Some(false) => Err(Error::Nothing(why.into())),
        _ => Ok(()),
    }
}

/// Whether this program is prepared.
pub(crate) fn check_started() -> Result<(), Error> {
    if STARTED.load(Ordering::Relaxed) { may_measure() } else { Err(Error::NotStarted) }
}

/// How to start this program as a child that reads a clock; `None` if it cannot find itself.
pub(crate) fn children() -> Option<Children> {
    Some(Children { program: std::env::current_exe().ok()?, args: vec![OsString::from(CHILD)] })
}

/// Does the work of a child that reads a clock, and returns its exit code; `None` if this process
/// is not one.
fn as_child() -> Option<i32> {
    // An argument that is not Unicode is not one of these arguments.
    let mut args = std::env::args_os().skip(1).map_while(|arg| arg.into_string().ok());
    if args.next()? != CHILD {
        return None;
    }
    let (id, ruler) = (args.next()?, args.next()?);
    let served = serve(&id, &ruler, io::stdin().lock(), io::stdout().lock());
    Some(if served.is_ok() { 0 } else { 3 })
}

/// Why there is no report.
#[derive(Debug)]
pub enum Error {
    /// [`start_up`](crate::start_up) was not called.
    NotStarted,
    /// An id does not exist. The text is one line with the most similar ids.
    Unknown(String),
    /// What was asked for is impossible here, or contradicts itself. The text is one line with the
    /// reason.
    Invalid(String),
    /// Nothing could be measured. The text is one line with the reason.
    Nothing(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted => f.write_str(
                "this program starts itself to measure: call chronoscope_survey::start_up() first \
                 in main",
            ),
            Self::Unknown(why) | Self::Invalid(why) | Self::Nothing(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Error {}

impl From<run::Error> for Error {
    fn from(error: run::Error) -> Self {
        match error {
            run::Error::Invalid(why) => Self::Invalid(why),
            run::Error::Nothing(why) => Self::Nothing(why),
        }
    }
}
