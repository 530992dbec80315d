//! What a program must do first so that a survey can start it again as a child.

use crate::error::Error;
use chronoscope_measure::engine::children::Children;
use chronoscope_measure::engine::serve::serve;
use chronoscope_probes::clocks::loop_addresses;
use chronoscope_probes::load;
use chronoscope_probes::machine::{source_switch, tsc_permitted};
use chronoscope_probes::waits::os;
use std::ffi::OsString;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

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
    let requested = child().or_else(load::requested).or_else(source_switch::requested);
    if let Some(code) = requested.or_else(loop_addresses::requested) {
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
    if tsc_permitted() == Some(false) {
        return Err(Error::Nothing(
            "this process may not read the TSC (PR_SET_TSC), which the system's own clocks also \
             read: start it without that restriction"
                .into(),
        ));
    }
    Ok(())
}

/// Whether this program is prepared.
pub(crate) fn check() -> Result<(), Error> {
    if STARTED.load(Ordering::Relaxed) { may_measure() } else { Err(Error::NotStarted) }
}

/// How to start this program as a child that reads a clock; `None` if it cannot find itself.
pub(crate) fn children() -> Option<Children> {
    Some(Children { program: std::env::current_exe().ok()?, args: vec![OsString::from(CHILD)] })
}

/// Does the work of a child that reads a clock, and returns its exit code; `None` if this process
/// is not one.
fn child() -> Option<i32> {
    // An argument that is not Unicode is not one of these arguments.
    let mut args = std::env::args_os().skip(1).map_while(|arg| arg.into_string().ok());
    if args.next()? != CHILD {
        return None;
    }
    let (id, ruler) = (args.next()?, args.next()?);
    let served = serve(&id, &ruler, io::stdin().lock(), io::stdout().lock());
    Some(if served.is_ok() { 0 } else { 3 })
}
