//! The code of a wait that was measured: its own lines, after those that set what was set for it.

use crate::advise::code::sheets;
use crate::system::System;
use chronoscope_model::snippet;
use chronoscope_model::waits::{Kind, Wait};

/// The lines that make this wait in its language, as a whole: none if its language cannot set what
/// was set for it. A row without lines of its own, of a report of an earlier version, has its call.
pub(super) fn lines(wait: &Wait, system: System) -> Option<String> {
    let language = wait.language.name();
    let mut all = match wait.code.as_str() {
        "" => snippet::statement("", &wait.call),
        lines => lines.to_owned(),
    };
    let known = sheets(language, "setting", system);
    for (name, value) in settings(wait).into_iter().flatten() {
        let sheet = known.iter().find(|sheet| sheet.ids.contains(&name))?;
        all = format!("{}\n{all}", sheet.code.replace("{value}", &value.to_string()));
    }
    Some(snippet::complete(language, &all))
}

/// What was set for this wait, each with its value; the last is set first.
fn settings(wait: &Wait) -> [Option<(&'static str, u64)>; 2] {
    let timer = match (wait.timer_period_ms, wait.slack_ns, wait.default_slack) {
        (Some(ms), ..) => Some(("timer-period", ms.into())),
        // Slack has no effect on a spin.
        (None, Some(ns), false) if wait.kind != Kind::Busy => Some(("slack", ns)),
        _ => None,
    };
    [timer, wait.slice_ns.map(|ns| ("slice", ns))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::clock::Language;

    fn measured(language: Language) -> Wait {
        Wait { language, code: "measured();".into(), ..Wait::default() }
    }

    #[test]
    fn what_was_set_is_set_first_and_the_default_is_not() {
        let set = Wait { slack_ns: Some(1), slice_ns: Some(100_000), ..measured(Language::C) };
        let code = lines(&set, System::Linux).expect("C sets both");
        let places = ["#include <sys/prctl.h>", "runtime = 100000", "SLACK, 1", "measured();"];
        let places = places.map(|text| code.find(text).expect(text));
        assert!(places.is_sorted(), "{code}");
        let usual = Wait { slack_ns: Some(50_000), default_slack: true, ..set.clone() };
        assert!(!lines(&usual, System::Linux).expect("a code").contains("prctl"));
        let spin = Wait { kind: Kind::Busy, slice_ns: None, ..set };
        assert_eq!(lines(&spin, System::Linux).as_deref(), Some("measured();"));
        let period = Wait { timer_period_ms: Some(1), slack_ns: Some(1), ..measured(Language::C) };
        let code = lines(&period, System::Windows).expect("C sets it");
        assert!(code.contains("timeBeginPeriod(1);") && !code.contains("prctl"), "{code}");
    }
}
