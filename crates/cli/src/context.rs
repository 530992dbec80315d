//! What every command needs: the common options, the style of the output, and the signals.

use crate::options::{Color, Global};
use crate::stop::Stop;
use crate::uses::Uses;
use anstyle_query::windows::enable_ansi_colors;
use chronoscope_model::Note;
use chronoscope_report::section::Detail;
use chronoscope_report::text::Style;
use chronoscope_survey::{Error, Survey, may_measure};
use std::io::{self, IsTerminal, Write};

/// What every command needs.
pub struct Context {
    /// The common options.
    pub global: Global,
    /// The style of the output.
    pub style: Style,
    /// Whether the run was asked to stop.
    pub stop: Stop,
}

impl Context {
    /// Examines the terminal, and handles signals if the command measures.
    ///
    /// # Errors
    /// The process may not read the TSC, so not even the system's clocks can be read; or it may
    /// not open the few files that handling signals needs.
    pub fn new(global: Global, uses: &Uses) -> anyhow::Result<Self> {
        if !uses.without_clocks {
            may_measure()?;
        }
        // Whatever does not measure has nothing to lose, and a signal ends it at once.
        let stop = match uses.measures {
            true => Stop::on_signals().map_err(|error| unstoppable(&error))?,
            false => Stop::default(),
        };
        Ok(Self { style: style(&global), global, stop })
    }

    /// A survey with the common options.
    pub fn survey<'a>(&self, survey: Survey<'a>) -> Survey<'a> {
        survey
            .cpu(self.global.cpu)
            .budget(self.global.budget)
            .seed(self.global.seed)
            .interrupt(&self.stop.interrupt)
    }

    /// How much a command shows of its own section.
    pub fn detail(&self) -> Detail {
        match self.global.verbose {
            true => Detail::Everything,
            false => Detail::Full,
        }
    }

    /// Writes a note to standard error, unless the user asked for quiet.
    pub fn note(&self, note: &Note) {
        self.warn(&note.text);
    }

    /// Writes one line to standard error, unless the user asked for quiet.
    pub fn warn(&self, what: &str) {
        if !self.global.quiet {
            // If standard error is closed, nobody reads it.
            let _ = writeln!(io::stderr(), "chronoscope: {what}");
        }
    }
}

/// Why a run that cannot be stopped is not begun.
fn unstoppable(error: &io::Error) -> Error {
    let limit = match error.raw_os_error() {
        // EMFILE has this number on Linux, macOS and the BSDs.
        Some(24) if cfg!(unix) => ": allow more with `ulimit -n 64`",
        _ => "",
    };
    Error::Nothing(format!("cannot handle signals: {error}{limit}"))
}

/// The width of a screen that goes to a file or a pipe.
const WIDTH_ELSEWHERE: usize = 100;
/// The narrowest and the widest screens that are drawn.
const WIDTHS: (usize, usize) = (60, 160);

/// The standard library writes UTF-16 to a Windows console, whatever its code page. A pipe or a
/// file gets bytes, and its reader may assume that code page: only ASCII is safe there.
const CONSOLE_TAKES_UNICODE: bool = cfg!(windows);

fn style(global: &Global) -> Style {
    let terminal = io::stdout().is_terminal();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    // A Windows console accepts escape sequences only if that is enabled, and before Windows 10
    // 1511 not at all.
    let escapes = || enable_ansi_colors().unwrap_or(true);
    let color = match global.color {
        Color::Always => {
            escapes();
            true
        }
        Color::Never => false,
        Color::Auto => {
            terminal
                && !no_color
                && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
                && escapes()
        }
    };
    let asked = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .filter(|columns| *columns > 0);
    let width = terminal_size::terminal_size()
        .filter(|_| terminal)
        .map(|(width, _)| usize::from(width.0))
        .or(asked);
    let utf8 = |value: String| {
        let value = value.to_ascii_lowercase().replace('-', "");
        value.contains("utf8")
    };
    let unicode = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .is_some_and(utf8)
        || (terminal && CONSOLE_TAKES_UNICODE);
    Style { width: width.unwrap_or(WIDTH_ELSEWHERE).clamp(WIDTHS.0, WIDTHS.1), color, unicode }
}
