//! Which clock to use for what: one file for each purpose, one line each in the list below.

use crate::pick::Choice;
use crate::system::{Code, System};
use chronoscope_model::{Advice, Report};

/// The languages that a line of code is given for, as the report names them.
pub const LANGUAGES: &[&str] = &[
    "C",
    "C++",
    "Rust",
    "C#",
    "Java",
    "Go",
    "Python",
    "JavaScript",
];

/// What `explain` tells of a purpose.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// What a clock must have for it.
    pub needs: &'static str,
    /// What rules a clock out.
    pub rules_out: &'static str,
    /// What is advised, and why; which one, the measurement decides.
    pub advised: &'static str,
    /// The mistake that is made most.
    pub trap: &'static str,
    /// Where to read more.
    pub references: &'static [&'static str],
}

/// A purpose.
pub struct Purpose {
    /// Its id, as `--for` takes it.
    pub id: &'static str,
    /// In words, as the screen shows it.
    pub title: &'static str,
    /// What speaks for and against a clock for it.
    pub page: About,
    choose: fn(&Report) -> Choice,
    code: fn(&Choice, System) -> Code,
}

macro_rules! purposes {
    ($($file:ident),* $(,)?) => {
        $(mod $file;)*

        /// Every purpose, the commonest first.
        pub const PURPOSES: &[&Purpose] = &[$(&$file::PURPOSE),*];

        #[cfg(test)]
        const FILES: &[&str] = &[$(stringify!($file)),*];
    };
}

purposes! {
    interval,
    micro,
    timestamp,
    coarse,
    cpu,
    cross_process,
    boot,
    trace,
}

/// Advice for every purpose, from what was measured in this report.
///
/// It reads the clocks' verdicts, so those must have been given before.
pub fn advise(report: &Report) -> Vec<Advice> {
    let system = System::of(&report.environment);
    PURPOSES
        .iter()
        .map(|purpose| {
            let choice = (purpose.choose)(report);
            Advice {
                purpose: purpose.id.into(),
                title: purpose.title.into(),
                code: (purpose.code)(&choice, system),
                clock: choice.clock,
                why: choice.why,
                cost_ns: choice.cost_ns,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_is_in_the_list_and_named_as_its_purpose() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/advise");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .expect("the folder of this very file")
            .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
            .filter(|name| name != "mod")
            .collect();
        let listed: BTreeSet<String> = FILES.iter().map(|&f| f.to_owned()).collect();
        assert_eq!(files, listed);
        let ids: BTreeSet<String> = PURPOSES.iter().map(|p| p.id.replace('-', "_")).collect();
        assert_eq!(ids, listed);
    }

    #[test]
    fn without_measurements_nothing_is_recommended_but_code_is_there() {
        for advice in advise(&Report::default()) {
            assert_eq!(advice.clock, None, "{}", advice.purpose);
            assert_eq!(advice.cost_ns, None);
            assert!(!advice.why.is_empty());
            let languages: BTreeSet<&str> = advice.code.keys().map(String::as_str).collect();
            assert_eq!(languages, LANGUAGES.iter().copied().collect());
        }
    }

    #[test]
    fn code_is_there_for_every_system_and_language() {
        for system in [System::Linux, System::Windows, System::Mac, System::Other] {
            for purpose in PURPOSES {
                for clock in [
                    None,
                    Some("x86/lfence-rdtsc"),
                    Some("x86/rdtsc-intrinsic"),
                    Some("arm/isb-cntvct"),
                ] {
                    let choice = Choice {
                        clock: clock.map(str::to_owned),
                        ..Choice::default()
                    };
                    let code = (purpose.code)(&choice, system);
                    assert_eq!(code.len(), LANGUAGES.len(), "{} {system:?}", purpose.id);
                    for line in code.values().flat_map(|c| c.lines()) {
                        assert!(line.len() <= 66, "{}: {line}", purpose.id);
                    }
                }
            }
        }
    }
}
