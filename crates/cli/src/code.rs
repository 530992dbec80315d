//! The language that advice shows code in.

use crate::error::Usage;
use chronoscope_diagnose::advise::LANGUAGES;
use chronoscope_model::advice::WaitChoice;
use chronoscope_model::{Advice, Note, Report};
use chronoscope_survey::select::{language, shown};

/// The variable that names the language, for users who always want the same one.
const VARIABLE: &str = "CHRONOSCOPE_LANGUAGE";
/// The language if the environment names none: the one whose calls the others make.
const DEFAULT: &str = "C";
const ALL: &str = "all";

/// The languages that code is shown in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    All,
    In(&'static str),
}

impl Code {
    /// The language with this name or nickname, or all of them.
    ///
    /// # Errors
    /// There is no such language; the line names those that exist.
    pub fn named(wanted: &str) -> Result<Self, Usage> {
        if wanted.eq_ignore_ascii_case(ALL) {
            return Ok(Self::All);
        }
        language(wanted).map(Self::In).ok_or_else(|| {
            Usage(format!(
                "there is no language '{}': use one of {}, or {ALL}",
                shown(wanted),
                LANGUAGES.join(", ")
            ))
        })
    }

    /// The language that the environment names, or the default. If everything is asked for, every
    /// language.
    ///
    /// # Errors
    /// The environment names a language that does not exist.
    pub fn usual(verbose: bool) -> Result<Self, Usage> {
        match std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            Some(value) => Self::named(&value.to_string_lossy())
                .map_err(|Usage(why)| Usage(format!("{VARIABLE}: {why}"))),
            None if verbose => Ok(Self::All),
            None => Ok(Self::In(DEFAULT)),
        }
    }

    /// Keeps only the code in this language, and of several answers to a question that for this
    /// one. Advice keeps all its code if no answer has code in it. Returns whether any was removed.
    pub fn retain(self, report: &mut Report) -> bool {
        let Self::In(language) = self else {
            return false;
        };
        // Code without figures is for every duration and goal.
        let same = |a: &Advice, b: &Advice| {
            let of = |of: &WaitChoice| (of.requested_ns, of.goal);
            let pair = a.wait.as_ref().map(of).zip(b.wait.as_ref().map(of));
            a.purpose == b.purpose && pair.is_none_or(|(a, b)| a == b)
        };
        let has = |advice: &&Advice| advice.code.contains_key(language);
        let own: Vec<Advice> = report.advice.iter().filter(has).cloned().collect();
        let all = report.advice.len();
        report.advice.retain(|it| has(&it) || !own.iter().any(|own| same(own, it)));
        let mut less = report.advice.len() < all;
        for advice in &mut report.advice {
            if advice.code.len() > 1 && advice.code.contains_key(language) {
                advice.code.retain(|known, _| known == language);
                less = true;
            }
        }
        less
    }

    /// The report as a screen shows it, which says what it leaves out.
    pub fn of(self, report: &Report) -> Report {
        let mut shown = report.clone();
        if let (true, Self::In(language)) = (self.retain(&mut shown), self) {
            shown.notes.push(Note {
                id: "one-language".into(),
                about: None,
                text: format!("code is shown in {language} only"),
                fix: format!("chronoscope advise --language {ALL}, or set {VARIABLE}"),
            });
        }
        shown
    }
}
