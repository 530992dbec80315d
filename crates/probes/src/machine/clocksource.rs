//! The kernel's clock source (kernel, `Documentation/timers/timekeeping.rst`).

use chronoscope_model::Environment;
use chronoscope_model::environment::ClockSource;

use super::printable::printable;
use super::root::Root;

const FOLDER: &str = "/sys/devices/system/clocksource/clocksource0";

/// Fills in the clock source in use and those that are available.
pub fn fill(root: &Root, env: &mut Environment) {
    match root.text(&format!("{FOLDER}/current_clocksource")) {
        Ok(current) => {
            let available = root
                .text(&format!("{FOLDER}/available_clocksource"))
                .map(|text| text.split_whitespace().take(32).map(printable).collect())
                .unwrap_or_default();
            env.clocksource = Some(ClockSource { current: first_word(&current), available });
        }
        // Only Linux has this folder; on other systems its absence means nothing.
        Err(why) if root.is_linux() => {
            env.not_known("clock source", format!("{FOLDER}/current_clocksource: {why}"));
        }
        Err(_) => {}
    }
}

fn first_word(text: &str) -> String {
    printable(text.split_whitespace().next().unwrap_or_default())
}
