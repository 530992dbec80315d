//! Which clock or wait to use for what: one file for each purpose, one line each in the list below.

mod boot;
mod coarse;
mod code;
mod cpu;
mod cross_process;
mod interval;
mod language;
mod micro;
mod purpose;
mod timestamp;
mod trace;
mod wait;

pub use chronoscope_model::advice::LANGUAGES;
pub(crate) use interval::system_clock;
pub use language::NOT_MEASURED;
pub use purpose::{Basis, Purpose};

use crate::system::{System, is_of};
use chronoscope_model::{Advice, Environment, Report};

/// Every purpose, the most common first.
pub const PURPOSES: &[&Purpose] = &[
    &interval::PURPOSE,
    &micro::PURPOSE,
    &timestamp::PURPOSE,
    &coarse::PURPOSE,
    &cpu::PURPOSE,
    &cross_process::PURPOSE,
    &boot::PURPOSE,
    &trace::PURPOSE,
    &wait::PURPOSE,
];

pub fn find(id: &str) -> Option<&'static Purpose> {
    PURPOSES.iter().find(|purpose| purpose.id().eq_ignore_ascii_case(id)).copied()
}

/// Advice for every purpose that this report has measurements for.
///
/// It reads the clocks' verdicts, so those must have been given before.
pub fn advise(report: &Report) -> Vec<Advice> {
    advise_in(report, &[])
}

/// The same, with code without figures in these languages if they were not measured.
pub fn advise_in(report: &Report, languages: &[&str]) -> Vec<Advice> {
    PURPOSES.iter().flat_map(|purpose| purpose.advise(report, languages)).collect()
}

/// The code of every purpose of clocks in these languages for a machine like this one, without
/// figures, for this reason.
pub fn unmeasured(env: &Environment, languages: &[&str], why: &str) -> Vec<Advice> {
    let all = PURPOSES.iter().flat_map(|purpose| languages.iter().map(move |it| (purpose, *it)));
    let of = |(purpose, language): (&&Purpose, &str)| {
        let mut known = code::sheets(language, purpose.id(), System::of(env));
        known.retain(|sheet| sheet.ids.iter().any(|id| is_of(id, env)));
        let found = language::without_figures(language, &known, why)?;
        Some(language::named(&purpose.page, language, found))
    };
    all.filter_map(of).collect()
}

/// The code of every sheet of a language for a machine like this one, whatever is chosen there.
pub fn every_sheet(language: &str, env: &Environment) -> Vec<String> {
    let purposes = PURPOSES.iter().map(|purpose| purpose.id());
    let all = purposes.flat_map(|purpose| code::sheets(language, purpose, System::of(env)));
    let here = all.filter(|sheet| sheet.ids.iter().any(|id| is_of(id, env)));
    here.map(|sheet| sheet.code).collect()
}

#[cfg(test)]
mod tests {
    use super::code::sheets;
    use super::*;
    use chronoscope_model::clock::{Cost, Kind};
    use chronoscope_model::{Clock, Estimate};
    use std::collections::BTreeSet;

    #[test]
    fn every_file_with_a_purpose_is_in_the_list_and_named_after_it() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/advise");
        let mut ids = BTreeSet::new();
        for entry in std::fs::read_dir(folder).expect("a folder of this crate") {
            let path = entry.expect("a file in it").path();
            let file = if path.is_dir() { path.join("mod.rs") } else { path.clone() };
            let text = std::fs::read_to_string(file).expect("a text");
            if text.contains("\npub(super) const PURPOSE: ") {
                let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
                let row = format!("    &{name}::PURPOSE,\n");
                assert!(include_str!("mod.rs").contains(&row), "advise/mod.rs lacks {name}");
                ids.insert(name.replace('_', "-"));
            }
        }
        assert_eq!(ids, PURPOSES.iter().map(|purpose| purpose.id().to_owned()).collect());
    }

    #[test]
    fn what_was_not_measured_gets_no_advice() {
        assert!(advise(&Report::default()).is_empty());
    }

    /// A report of these clocks, each of which was read in this time, in nanoseconds, or cannot be
    /// read.
    fn of<'a>(clocks: impl IntoIterator<Item = (&'a str, Option<f64>)>) -> Report {
        let clock = |(id, ns): (&str, Option<f64>)| {
            let read = ns.map(|value_ns| Estimate { value_ns, ..Estimate::default() });
            Clock {
                id: id.into(),
                kind: if id.starts_with("posix") { Kind::Monotonic } else { Kind::Counter },
                available: ns.is_some(),
                cost: Cost { throughput: read, ..Cost::default() },
                ..Clock::default()
            }
        };
        let clocks = clocks.into_iter().map(clock).collect();
        let mut report = Report { clocks, ..Report::default() };
        report.environment.arch = "x86_64".into();
        report.environment.os = "Linux".into();
        report
    }

    /// The purposes that are decided by the system's clock and the bare counter.
    #[test]
    fn there_is_no_advice_from_what_was_not_measured() {
        let measured = [("posix/monotonic", Some(20.0)), ("x86/rdtsc-intrinsic", Some(9.0))];
        let advised = |report: &Report| {
            let all = advise(report).into_iter().filter(|it| it.languages.is_empty());
            all.map(|it| it.purpose).collect::<Vec<_>>()
        };
        assert_eq!(advised(&of(measured)), ["interval", "cross-process", "trace"]);
        // A clock that the run did not reach decides nothing, one that cannot be read does.
        let mut two = of(measured.into_iter().chain([("posix/realtime", None)]));
        assert!(advised(&two).contains(&"timestamp".into()));
        two.clocks[2].available = true;
        assert!(!advised(&two).contains(&"timestamp".into()));
    }

    #[test]
    fn without_a_suitable_clock_none_is_recommended_but_there_is_code() {
        let all = PURPOSES.iter().flat_map(|purpose| purpose.needs());
        let report = of(all.map(|id| (id, None)));
        let all = advise(&report);
        let purposes: BTreeSet<&str> = all.iter().map(|advice| advice.purpose.as_str()).collect();
        assert_eq!(purposes.len(), PURPOSES.len() - 1);
        for advice in all {
            let first = advice.languages.is_empty();
            assert_eq!(advice.clock.is_none(), first, "{}", advice.purpose);
            assert_eq!(advice.cost_ns, None);
            assert!(!advice.why.is_empty() && !advice.code.is_empty(), "{}", advice.purpose);
            let native = ["C", "C++", "Rust"].map(|language| advice.code.contains_key(language));
            assert_eq!(native, [first; 3], "{}", advice.purpose);
        }
    }

    #[test]
    fn each_clock_that_may_be_chosen_has_code_that_fits_on_a_screen() {
        let candidates = [
            ("interval", interval::CLOCKS),
            ("timestamp", timestamp::CLOCKS),
            ("coarse", coarse::CLOCKS),
            ("cpu", cpu::CLOCKS),
            ("cross-process", interval::SYSTEM),
            ("boot", boot::CLOCKS),
            ("trace", interval::CLOCKS),
            ("trace", trace::COUNTERS),
            ("micro", interval::CLOCKS),
            ("micro", micro::ORDERED),
        ];
        let systems = [System::Linux, System::Windows, System::Mac, System::Other];
        for system in systems {
            for (purpose, ids) in candidates {
                for id in ids {
                    let own = match id.split_once('/').expect("a family").0 {
                        "rust" => "Rust",
                        "cxx" => "C++",
                        _ => "C",
                    };
                    // Not of Windows' old C library.
                    let other = ["c/timespec_get", "c/getrusage", "c/times"].contains(id);
                    if other && system == System::Windows {
                        continue;
                    }
                    let known = sheets(own, purpose, system);
                    assert!(
                        known.iter().any(|it| it.ids.contains(id)),
                        "{purpose} {id} {system:?}"
                    );
                }
            }
            for (language, purpose) in
                LANGUAGES.into_iter().flat_map(|l| PURPOSES.iter().map(move |p| (l, p)))
            {
                for sheet in sheets(language, purpose.id(), system) {
                    let long = sheet.code.lines().find(|line| line.len() > 66);
                    assert!(long.is_none(), "{language} {}: {long:?}", purpose.id());
                }
            }
        }
    }
}
