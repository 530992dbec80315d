//! Sets of waits that answer a known question with one command.

use crate::error::Error;
use crate::select;
use chronoscope_model::waits::{Load, Slack, WaitSpec};
use chronoscope_probes::waits::find;
use std::time::Duration;

/// The name that `--preset` takes, an older name, and what they stand for.
type Preset = (&'static str, &'static str, fn() -> WaitSpec);

const PRESETS: &[Preset] = &[("windows-waits", "seed003", windows_waits)];

/// The waits of timetest.c, the predecessor of this tool: each sleep, each sleep with a spin after
/// it, and the spin, alone and next to loads of lower, equal and higher priority.
fn windows_waits() -> WaitSpec {
    let ids = [
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
    ];
    WaitSpec {
        ids: ids.map(String::from).to_vec(),
        wait: [1, 10, 100].map(Duration::from_millis).to_vec(),
        count: Some(50),
        load: vec![Load::None, Load::Low, Load::Normal, Load::High],
        slack: vec![Slack::Default],
        ..WaitSpec::default()
    }
}

/// Completes a request with the preset that it names. Methods of other systems are left out.
///
/// # Errors
/// There is no such preset.
pub(crate) fn applied(mut asked: WaitSpec) -> Result<WaitSpec, Error> {
    let Some(name) = &asked.preset else { return Ok(asked) };
    let preset = PRESETS
        .iter()
        .find(|(id, older, _)| [id, older].iter().any(|known| known.eq_ignore_ascii_case(name)));
    let unknown =
        || select::unknown("preset", PRESETS.iter().flat_map(|(id, older, _)| [*id, *older]), name);
    let preset = preset.ok_or_else(unknown)?.2();
    let here = |id: &String| find(id).is_some_and(|entry| !entry.is_on_other_system());
    or(&mut asked.ids, preset.ids.into_iter().filter(here).collect());
    or(&mut asked.wait, preset.wait);
    or(&mut asked.load, preset.load);
    or(&mut asked.slack, preset.slack);
    if asked.count.is_none() && asked.duration.is_none() {
        asked.count = preset.count;
    }
    Ok(asked)
}

fn or<T>(asked: &mut Vec<T>, preset: Vec<T>) {
    if asked.is_empty() {
        *asked = preset;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_names_methods_of_the_catalogue_and_some_of_this_system() {
        for (id, older, preset) in PRESETS {
            for method in preset().ids {
                assert!(find(&method).is_some(), "{id}: {method}");
            }
            let named = |name: &str| {
                let asked = WaitSpec { preset: Some(name.into()), ..WaitSpec::default() };
                applied(asked).expect("a preset").ids
            };
            assert!(named(id).len() >= 3 && named(id) == named(older), "{id}");
        }
        let unknown = WaitSpec { preset: Some("seed004".into()), ..WaitSpec::default() };
        assert!(applied(unknown).expect_err("no preset").to_string().contains("seed003"));
    }

    #[test]
    fn what_is_asked_changes_the_preset() {
        let asked = WaitSpec {
            preset: Some("seed003".into()),
            load: vec![Load::Low],
            duration: Some(Duration::from_secs(1)),
            ..WaitSpec::default()
        };
        let applied = applied(asked).expect("a preset");
        assert_eq!((applied.load, applied.count), (vec![Load::Low], None));
        assert_eq!((applied.wait.len(), applied.slack), (3, vec![Slack::Default]));
    }
}
