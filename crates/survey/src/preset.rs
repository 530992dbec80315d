//! Sets of waits that answer a known question with one command.

use crate::waits::Waits;
use chronoscope_measure::waits::Slack;
use chronoscope_model::waits::Load;
use chronoscope_probes::waits::find;
use std::time::Duration;

/// What is measured under a name.
#[derive(Debug)]
pub struct Preset {
    /// Its name, as `--preset` takes it.
    pub id: &'static str,
    /// What it measures.
    pub about: &'static str,
    /// The ids of its methods; those of other systems are left out.
    methods: &'static [&'static str],
    durations: &'static [Duration],
    /// Waits of each method and duration.
    count: u64,
    loads: &'static [Load],
}

/// Every preset.
pub const PRESETS: &[&Preset] = &[&SEED003];

/// The ways of waiting that the program began with which this tool grew from, and its table: at no
/// load, and at loads of lower, equal and higher priority.
const SEED003: Preset = Preset {
    id: "seed003",
    about: "The waits of timetest.c: each sleep, each sleep with a spin after it, and the spin, at \
            1, 10 and 100 ms, 50 times each, alone and next to loads of lower, equal and higher \
            priority. A few minutes.",
    methods: &[
        "linux/nanosleep",
        "linux/timerfd",
        "posix/usleep",
        "windows/sleep",
        "windows/waitable-timer",
        "windows/waitable-timer-high-resolution",
        "mingw/usleep",
        "mingw/nanosleep",
        "mach/wait_until",
        "darwin/nanosleep",
        "busy/monotonic",
        "busy/qpc",
        "hybrid/nanosleep",
        "hybrid/timerfd",
        "hybrid/sleep",
        "hybrid/waitable-timer",
        "hybrid/waitable-timer-high-resolution",
    ],
    durations: &[Duration::from_millis(1), Duration::from_millis(10), Duration::from_millis(100)],
    count: 50,
    loads: &[Load::None, Load::Low, Load::Normal, Load::High],
};

impl Preset {
    /// The preset of that name.
    pub fn find(id: &str) -> Option<&'static Self> {
        PRESETS.iter().copied().find(|preset| preset.id == id)
    }

    /// Its waits.
    pub fn waits(&self) -> Waits {
        let here = |id: &&&str| find(id).is_some_and(|entry| !entry.is_on_other_system());
        let methods = self.methods.iter().filter(here);
        Waits {
            ids: methods.map(|id| (*id).to_owned()).collect(),
            durations: self.durations.to_vec(),
            count: Some(self.count),
            loads: self.loads.to_vec(),
            slacks: vec![Slack::Default],
            ..Waits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_names_methods_of_the_catalogue_and_some_of_this_system() {
        for preset in PRESETS {
            for id in preset.methods {
                assert!(find(id).is_some(), "{}: {id}", preset.id);
            }
            let waits = preset.waits();
            assert!(waits.ids.len() >= 3 && waits.request().is_ok(), "{}", preset.id);
            assert!(Preset::find(preset.id).is_some() && !preset.about.is_empty());
        }
        assert!(Preset::find("seed004").is_none());
    }
}
