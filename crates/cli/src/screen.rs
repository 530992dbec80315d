//! The screens that show a report, whether it was just measured or stored, and the language that
//! advice shows code in.

use crate::context::{Context, Usage};
use chronoscope_diagnose::advise::LANGUAGES;
use chronoscope_diagnose::{faults, stability};
use chronoscope_model::advice::WaitChoice;
use chronoscope_model::{Advice, Note, Report};
use chronoscope_report::section::{self, Section};
use chronoscope_report::text;
use chronoscope_survey::select::{language, shown};
use clap::ValueEnum;

/// A screen. `report --as` and the key `screen` of a run have the name of the variant, which for
/// most is that of the command that shows it.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Screen {
    /// The machine at a glance.
    Summary,
    /// Two lines to paste into a bug report.
    Brief,
    /// What each clock costs, its resolution, and its verdict.
    Clocks,
    /// How late waits ended.
    Waits,
    /// The waits in ticks of 100 ns, those of QPC.
    Ticks,
    /// The waits in bins of 1 us, as cyclictest -h counts them.
    Bins,
    /// The differences between successive reads.
    Deltas,
    /// The mean of a million calls, of ten, and a single call.
    Calls,
    /// What timing adds to a loop.
    Overhead,
    /// The clocks of language runtimes.
    Runtimes,
    /// Whether clocks go back, agree between CPUs, and keep their rate.
    Trust,
    /// How far the clocks are from others.
    Against,
    /// How far the wall clock is from UTC, next to the limits of RTS 25 and FINRA.
    Traceability,
    /// Allan deviation, time deviation and MTIE of the clocks that were watched.
    Stability,
    /// How far repeated work varies, and why.
    Noise,
    /// The timer hardware and the kernel's clock source.
    Hardware,
    /// The clocks under every clock source of the kernel.
    Sweep,
    /// What was found, or that nothing was.
    Findings,
    /// The result of looking for each fault.
    Doctor,
    /// Which clock or wait to use, and the code.
    Advise,
}

impl Screen {
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().into()).unwrap_or_default()
    }

    pub fn find(name: &str) -> Option<Self> {
        Self::from_str(name, true).ok()
    }

    /// The screen that the report was made for. If the report names none that this version has,
    /// what was measured decides.
    pub fn of_run(report: &Report) -> Self {
        let named = report.run.screen.as_deref().and_then(Self::find);
        named.filter(|screen| screen.is_in(report)).unwrap_or_else(|| {
            match section::measured(report).as_slice() {
                [] => Self::Hardware,
                [one] => {
                    let mut all = Self::value_variants().iter().copied();
                    let shows = |screen: &Self| screen.section().is_some_and(|it| it.id == one.id);
                    all.find(shows).unwrap_or(Self::Summary)
                }
                _ => Self::Summary,
            }
        })
    }

    /// The section that the screen is about, if it is one.
    fn section(self) -> Option<&'static Section> {
        section::of_screen(&self.name())
    }

    /// Whether the screen shows more if everything is asked for.
    pub fn has_more(self) -> bool {
        !matches!(
            self,
            Self::Brief | Self::Bins | Self::Findings | Self::Traceability | Self::Stability
        )
    }

    /// Whether the report holds what the screen is about.
    fn is_in(self, report: &Report) -> bool {
        match self {
            Self::Summary | Self::Brief => !report.clocks.is_empty(),
            Self::Ticks | Self::Bins => !report.waits.is_empty(),
            Self::Doctor => !report.checks.is_empty(),
            Self::Traceability => report.against.is_some(),
            Self::Stability => report.trust.is_some(),
            other => other.section().is_none_or(|section| section.is_in(report)),
        }
    }

    /// The screen as this terminal shows it, with code in these languages.
    pub fn draw(self, report: &Report, code: Code, context: &Context) -> String {
        let (style, detail) = (&context.style, context.detail());
        match self {
            Self::Summary if context.options.verbose => text::everything(report, style),
            Self::Brief => text::brief(report, style),
            Self::Ticks => {
                text::above(section::waits::ticks(report, detail), report, detail, style)
            }
            Self::Bins => text::above(section::waits::bins(report), report, detail, style),
            Self::Traceability => {
                text::around(section::trust::traceability::page(report), report, style)
            }
            Self::Stability => {
                let series = report.trust.as_ref().and_then(|trust| trust.series.as_ref());
                let steady = series.map(stability::of).unwrap_or_default();
                let page = section::trust::stability::page(series, &steady);
                text::around(page, report, style)
            }
            Self::Findings => text::blocks(section::findings::page(report), style),
            Self::Doctor => {
                let verdict = faults::verdict(report);
                let found = section::findings::diagnosis(report, &verdict, detail);
                text::around(found, report, style)
            }
            Self::Advise => {
                text::section(&section::advice::SECTION, &code.shown_of(report), detail, style)
            }
            other => match other.section() {
                Some(section) => text::section(section, report, detail, style),
                None => text::summary(report, style),
            },
        }
    }
}

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
    pub fn shown_of(self, report: &Report) -> Report {
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
