//! The screens that show a report, whether it was just measured or stored.

use crate::code::Code;
use crate::context::Context;
use chronoscope_diagnose::faults;
use chronoscope_model::Report;
use chronoscope_report::section::{self, Section};
use chronoscope_report::text;
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
        !matches!(self, Self::Brief | Self::Bins | Self::Findings)
    }

    /// Whether the report holds what the screen is about.
    fn is_in(self, report: &Report) -> bool {
        match self {
            Self::Summary | Self::Brief => !report.clocks.is_empty(),
            Self::Ticks | Self::Bins => !report.waits.is_empty(),
            Self::Doctor => !report.checks.is_empty(),
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
            Self::Findings => text::blocks(section::findings::page(report), style),
            Self::Doctor => {
                let verdict = faults::verdict(report);
                let found = section::findings::diagnosis(report, &verdict, detail);
                text::around(found, report, style)
            }
            Self::Advise => {
                text::section(&section::advice::SECTION, &code.of(report), detail, style)
            }
            other => match other.section() {
                Some(section) => text::section(section, report, detail, style),
                None => text::summary(report, style),
            },
        }
    }
}
