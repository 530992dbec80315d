//! The screens that show a report, whether it was just measured or stored.

use crate::cli::command_line;
use crate::code::Code;
use crate::context::Context;
use chronoscope_model::Report;
use chronoscope_report::section::{self, Section};
use chronoscope_report::text;

/// A screen.
#[derive(Clone, Copy)]
pub enum View {
    /// The machine at a glance.
    Summary,
    /// Two lines for a bug report.
    Brief,
    /// The waits in ticks of the reference.
    Ticks,
    /// What was found, or that nothing was.
    Findings,
    /// What came of looking for each fault.
    Doctor,
    /// One section on its own.
    Section(&'static Section),
}

/// The names that screens are asked for by: those of the commands that show them.
const NAMED: [(&str, View); 15] = [
    ("summary", View::Summary),
    ("brief", View::Brief),
    ("clocks", View::Section(&section::clocks::SECTION)),
    ("waits", View::Section(&section::waits::SECTION)),
    ("ticks", View::Ticks),
    ("deltas", View::Section(&section::deltas::SECTION)),
    ("calls", View::Section(&section::calls::SECTION)),
    ("overhead", View::Section(&section::overhead::SECTION)),
    ("runtimes", View::Section(&section::runtimes::SECTION)),
    ("trust", View::Section(&section::trust::SECTION)),
    ("hardware", View::Section(&section::machine::SECTION)),
    ("sweep", View::Section(&section::sweep::SECTION)),
    ("findings", View::Findings),
    ("doctor", View::Doctor),
    ("advise", View::Section(&section::advice::SECTION)),
];

impl View {
    /// The screen with this name.
    pub fn find(name: &str) -> Option<Self> {
        let found = NAMED.iter().find(|(known, _)| *known == name);
        found.map(|(_, view)| *view)
    }

    /// The names of all screens.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|(name, _)| *name)
    }

    /// The screen that the run showed which made this report. If its command line is not one of
    /// this version's, or another program's, what the report holds decides.
    pub fn of_run(report: &Report) -> Self {
        let asked = Self::asked(&report.run.argv);
        asked.filter(|view| view.is_in(report)).unwrap_or_else(|| {
            match section::measured(report).as_slice() {
                [] => Self::Section(&section::machine::SECTION),
                [one] => Self::Section(one),
                _ => Self::Summary,
            }
        })
    }

    /// The screen that a command line asks for.
    fn asked(argv: &[String]) -> Option<Self> {
        let matches = command_line().try_get_matches_from(argv).ok()?;
        let ticks = |style| matches!(style, Some("ticks" | "seed"));
        match matches.subcommand() {
            None if matches.get_flag("brief") => Some(Self::Brief),
            None => Some(Self::Summary),
            Some(("waits", waits)) => {
                let style = waits.get_raw("style").and_then(Iterator::last);
                match ticks(style.and_then(std::ffi::OsStr::to_str)) {
                    true => Some(Self::Ticks),
                    false => Self::find("waits"),
                }
            }
            Some((name, _)) => Self::find(name),
        }
    }

    /// Whether there is more of it if everything is asked for.
    pub fn has_more(self) -> bool {
        matches!(self, Self::Summary | Self::Doctor | Self::Section(_))
    }

    /// Whether the report holds what the screen is about.
    fn is_in(self, report: &Report) -> bool {
        match self {
            Self::Summary | Self::Brief => !report.clocks.is_empty(),
            Self::Ticks => !report.waits.is_empty(),
            Self::Findings => true,
            Self::Doctor => !report.checks.is_empty(),
            Self::Section(section) => section.is_in(report),
        }
    }

    /// The screen as this terminal shows it, with code in these languages.
    pub fn draw(self, report: &Report, code: Code, context: &Context) -> String {
        let (style, detail) = (&context.style, context.detail());
        match self {
            Self::Summary if context.global.verbose => text::everything(report, style),
            Self::Summary => text::summary(report, style),
            Self::Brief => text::brief::render(report, style),
            Self::Ticks => text::blocks(section::waits::ticks(report), style),
            Self::Section(section) if section.id == section::advice::SECTION.id => {
                text::section(section, &code.of(report), detail, style)
            }
            Self::Findings => text::blocks(section::findings::page(report), style),
            Self::Doctor => {
                text::around(section::findings::diagnosis(report, detail), report, style)
            }
            Self::Section(section) => text::section(section, report, detail, style),
        }
    }
}
