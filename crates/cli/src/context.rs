//! What every command needs: the options of all groups, and the style of the output.

use crate::options::{Options, Output};
use anstyle_query::windows::enable_ansi_colors;
use chronoscope_report::clean::escaped;
use chronoscope_report::section::Detail;
use chronoscope_report::text::{Style, message};
use clap::ColorChoice;
use std::io::{self, IsTerminal, Write};
use terminal_size::terminal_size_of;

pub struct Context {
    pub options: Options,
    pub style: Style,
}

impl Context {
    pub fn new(options: Options) -> Self {
        Self { style: style(&options.output), options }
    }

    /// How much a command shows of its own section.
    pub fn detail(&self) -> Detail {
        if self.options.verbose { Detail::Everything } else { Detail::Full }
    }

    /// Writes one line to standard error, unless the user asked for quiet.
    pub fn warn(&self, what: &str) {
        if !self.options.output.quiet {
            tell(what);
        }
    }
}

/// Writes a message to standard error: one line, which a terminal gets wrapped at words. It may
/// contain names of files, which may contain anything.
pub fn tell(what: &str) {
    let mut line = format!("chronoscope: {}", escaped(what));
    if let Some((width, _)) = terminal_size_of(io::stderr()) {
        line = message(&line, width.0.into());
    }
    // If standard error is closed, nobody reads it.
    let _ = writeln!(io::stderr(), "{line}");
}

/// The width of a screen that goes to a file or a pipe.
const WIDTH_ELSEWHERE: usize = 100;
/// The narrowest and the widest screens that are drawn.
const WIDTHS: (usize, usize) = (30, 160);

/// The standard library writes UTF-16 to a Windows console, whatever its code page. A pipe or a
/// file gets bytes, and its reader may assume that code page: only ASCII is safe there.
const CONSOLE_TAKES_UNICODE: bool = cfg!(windows);

fn style(output: &Output) -> Style {
    let terminal = io::stdout().is_terminal();
    // A Windows console accepts escape sequences only if that is enabled, and before Windows 10
    // 1511 not at all.
    let escapes = || enable_ansi_colors().unwrap_or(true);
    let color = match output.color {
        ColorChoice::Always => {
            escapes();
            true
        }
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            terminal
                && !anstyle_query::no_color()
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
    let is_utf8 = |value: String| {
        let value = value.to_ascii_lowercase().replace('-', "");
        value.contains("utf8")
    };
    let utf8 = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .is_some_and(is_utf8)
        || (terminal && CONSOLE_TAKES_UNICODE);
    let unicode = utf8 && !output.ascii;
    Style { width: width.unwrap_or(WIDTH_ELSEWHERE).clamp(WIDTHS.0, WIDTHS.1), color, unicode }
}
