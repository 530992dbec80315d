//! The kernel's clock source (kernel, `Documentation/timers/timekeeping.rst`).

use chronoscope_model::Environment;
use chronoscope_model::environment::ClockSource;

use super::root::Root;

const FOLDER: &str = "/sys/devices/system/clocksource/clocksource0";

/// Fills in the clock source in use and those it could use.
pub fn fill(root: &Root, env: &mut Environment) {
    match root.text(&format!("{FOLDER}/current_clocksource")) {
        Ok(current) => {
            let available = root
                .text(&format!("{FOLDER}/available_clocksource"))
                .map(|text| text.split_whitespace().map(str::to_owned).collect())
                .unwrap_or_default();
            env.clocksource = Some(ClockSource {
                current: first_word(&current),
                available,
            });
        }
        // Only Linux has this folder; elsewhere its absence says nothing.
        Err(why) if env.kernel.is_some() && is_linux(root) => {
            env.notes
                .push(format!("clock source: {FOLDER}/current_clocksource: {why}"));
        }
        Err(_) => {}
    }
}

fn is_linux(root: &Root) -> bool {
    root.process().sysname.as_deref() == Some("Linux")
}

fn first_word(text: &str) -> String {
    text.split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned()
}
