//! Which clock or wait to use for what: one file for each purpose, one line each in the list below.

use crate::pick::Choice;
use crate::system::{Code, System};
pub use chronoscope_model::advice::LANGUAGES;
use chronoscope_model::{Advice, Report};

/// What `explain` shows of a purpose.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// What a clock or wait must have for it.
    pub needs: &'static str,
    /// What rules one out.
    pub rules_out: &'static str,
    /// What is advised, and why; the measurement decides which one.
    pub advised: &'static str,
    /// The most common mistake.
    pub trap: &'static str,
    /// Where to read more.
    pub references: &'static [&'static str],
}

/// The measurement that advice follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The report's clocks.
    Clocks,
    /// The report's waits.
    Waits,
}

impl Basis {
    fn is_in(self, report: &Report) -> bool {
        match self {
            Self::Clocks => !report.clocks.is_empty(),
            Self::Waits => !report.waits.is_empty(),
        }
    }
}

/// A purpose.
pub struct Purpose {
    /// Its id, as `--for` takes it.
    pub id: &'static str,
    /// The purpose in words, as the screen shows it.
    pub title: &'static str,
    /// The same in a word or three, as a summary shows it; empty if a summary leaves it out.
    pub short: &'static str,
    /// What matters when a clock or wait is chosen for it.
    pub page: About,
    how: How,
}

impl Purpose {
    /// What its advice follows from.
    pub fn basis(&self) -> Basis {
        match self.how {
            How::Clock { .. } => Basis::Clocks,
            How::Waits(_) => Basis::Waits,
        }
    }

    /// Its advice from this report, without regard to what the report holds.
    fn advise(&self, report: &Report) -> Vec<Advice> {
        match self.how {
            How::Clock { choose, code } => {
                let choice = choose(report);
                vec![Advice {
                    purpose: self.id.into(),
                    title: self.title.into(),
                    short: self.short.into(),
                    code: code(&choice, System::of(&report.environment)),
                    clock: choice.clock,
                    why: choice.why,
                    cost_ns: choice.cost_ns,
                    figure: choice.figure,
                    summary: !self.short.is_empty(),
                    ..Advice::default()
                }]
            }
            How::Waits(advise) => advise(report),
        }
    }
}

/// How advice comes about.
#[derive(Clone, Copy)]
enum How {
    /// One clock is chosen, then the code for it.
    Clock { choose: fn(&Report) -> Choice, code: fn(&Choice, System) -> Code },
    /// Each duration that was measured has advice of its own.
    Waits(fn(&Report) -> Vec<Advice>),
}

macro_rules! purposes {
    ($($file:ident),* $(,)?) => {
        $(mod $file;)*

        /// Every purpose, the most common first.
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
    wait,
}

pub(crate) use interval::system_clock;

/// The purpose with this id.
pub fn find(id: &str) -> Option<&'static Purpose> {
    PURPOSES.iter().find(|purpose| purpose.id == id).copied()
}

/// Advice for every purpose that this report has measurements for.
///
/// It reads the clocks' verdicts, so those must have been given before.
pub fn advise(report: &Report) -> Vec<Advice> {
    let purposes = PURPOSES.iter();
    purposes
        .filter(|purpose| purpose.basis().is_in(report))
        .flat_map(|purpose| purpose.advise(report))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_is_in_the_list_and_named_after_its_purpose() {
        crate::lists::check("src/advise", FILES, PURPOSES.iter().map(|p| p.id));
    }

    #[test]
    fn what_was_not_measured_gets_no_advice() {
        assert!(advise(&Report::default()).is_empty());
    }

    #[test]
    fn without_a_suitable_clock_none_is_recommended_but_there_is_code() {
        let report = Report::default();
        let clocks = PURPOSES.iter().filter(|p| p.basis() == Basis::Clocks);
        for advice in clocks.flat_map(|purpose| purpose.advise(&report)) {
            assert_eq!(advice.clock, None, "{}", advice.purpose);
            assert_eq!(advice.cost_ns, None);
            assert!(!advice.why.is_empty());
            let languages: BTreeSet<&str> = advice.code.keys().map(String::as_str).collect();
            assert_eq!(languages, LANGUAGES.iter().copied().collect());
        }
    }

    #[test]
    fn there_is_code_for_every_system_and_language() {
        let systems = [System::Linux, System::Windows, System::Mac, System::Other];
        for (system, purpose) in
            systems.into_iter().flat_map(|s| PURPOSES.iter().map(move |p| (s, p)))
        {
            let How::Clock { code, .. } = purpose.how else {
                continue;
            };
            for clock in [
                None,
                Some("x86/lfence-rdtsc"),
                Some("x86/rdtsc-intrinsic"),
                Some("arm/isb-cntvct"),
            ] {
                let choice = Choice { clock: clock.map(str::to_owned), ..Choice::default() };
                let code = code(&choice, system);
                assert_eq!(code.len(), LANGUAGES.len(), "{} {system:?}", purpose.id);
                for line in code.values().flat_map(|c| c.lines()) {
                    assert!(line.len() <= 66, "{}: {line}", purpose.id);
                }
            }
        }
    }
}
