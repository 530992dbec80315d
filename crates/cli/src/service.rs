//! `watch` without a terminal, as a service: waits until a wait ends too late, the recording is
//! full, or a signal arrives.

use crate::stop::Stop;
use anyhow::bail;
use chronoscope_probes::machine::affinity;
use chronoscope_report::recording::Keeper;
use chronoscope_survey::watch::Live;
use std::time::Duration;

/// How often what happened is taken.
const TICK: Duration = Duration::from_millis(100);

/// Watches until something ends it, and returns the exit code: 1 after a breach that ended it, 128
/// and the number of the signal, or 0 if the recording is full. `say` gets one line for each
/// breach, and one for the recording.
///
/// # Errors
/// The recording cannot be written any more.
pub fn run(
    live: Live,
    mut keeper: Keeper,
    stop: &Stop,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<u8> {
    // What is done here does not disturb the waits, if there is another CPU.
    let other = affinity::allowed().into_iter().find(|cpu| Some(*cpu) != live.cpu());
    let _pin = other.and_then(|cpu| affinity::pin(cpu).ok());
    let (mut live, mut is_breached) = (Some(live), false);
    while let Some(mut now) = live.take() {
        let status = keeper.status();
        let events = if stop.interrupt.is_set() || is_breached || status.ended.is_some() {
            now.stop()
        } else {
            chronoscope_probes::time::sleep(TICK);
            let events = now.drain();
            live = Some(now);
            events
        };
        if let Some(breach) = keeper.take(&events) {
            say(&breach.to_string());
            is_breached |= !keeper.goes_on();
        }
    }
    let status = keeper.status();
    if status.failed {
        bail!("{}", status.ended.unwrap_or_default());
    }
    if let Some(path) = status.path {
        let ended = status.ended.map_or(String::new(), |why| format!(": {why}"));
        say(&format!("recorded {} bytes to {}{ended}", status.bytes, path.display()));
    }
    Ok(stop.exit_code().unwrap_or(u8::from(is_breached)))
}
