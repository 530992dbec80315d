//! What every command works with: the options of all, the look of the output, and the wish to stop.

use crate::args::{Color, Global};
use anstyle_query::windows::enable_ansi_colors;
use chronoscope_model::run::Run;
use chronoscope_model::{Report, SCHEMA};
use chronoscope_probes::machine::{self, Root, permit};
use chronoscope_report::text::Style;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Set by Ctrl-C.
static INTERRUPT: AtomicBool = AtomicBool::new(false);

/// Signals this close are one wish: timeout(1) sends one to the program and one to its group.
const SAME_WISH: Duration = Duration::from_millis(300);

/// What every command works with.
pub struct Context {
    /// The options of all commands.
    pub global: Global,
    /// The look of the output.
    pub style: Style,
    /// The seed of all random order.
    pub seed: u64,
    started: jiff::Timestamp,
    clock: Instant,
}

impl Context {
    /// Looks at the terminal and takes Ctrl-C over.
    ///
    /// # Errors
    /// The process may not read the TSC: then not even the system's clocks can be read.
    pub fn new(global: &Global) -> anyhow::Result<Self> {
        if permit::tsc() == Some(false) {
            anyhow::bail!(NothingToMeasure(
                "this process is forbidden to read the TSC (PR_SET_TSC), and the system's own clocks read it too: \
                 start it where it is allowed"
                    .into()
            ));
        }
        let mut first: Option<Instant> = None;
        ctrlc::set_handler(move || match first {
            None => {
                INTERRUPT.store(true, Ordering::Relaxed);
                first = Some(Instant::now());
            }
            // A second Ctrl-C ends the program at once, for one whose patience is at its end.
            Some(at) if at.elapsed() > SAME_WISH => std::process::exit(130),
            Some(_) => {}
        })?;
        Ok(Self {
            style: style(global),
            seed: global.seed.unwrap_or_else(|| fastrand::u64(..)),
            global: global.clone(),
            started: jiff::Timestamp::now(),
            clock: Instant::now(),
        })
    }

    /// Set when the user asks to stop.
    pub fn interrupt(&self) -> &'static AtomicBool {
        &INTERRUPT
    }

    /// Whether the user asked to stop.
    pub fn interrupted(&self) -> bool {
        INTERRUPT.load(Ordering::Relaxed)
    }

    /// One line on standard error, unless the user wants quiet.
    pub fn warn(&self, what: &str) {
        if !self.global.quiet {
            // Standard error may be closed; there is nobody left to tell then.
            let _ = writeln!(std::io::stderr(), "chronoscope: {what}");
        }
    }

    /// The budget asked for, or the command's own.
    pub fn budget(&self, default: Duration) -> Duration {
        self.global.budget.unwrap_or(default)
    }

    /// What is left of a budget for the measuring itself: what it took to look at the machine and
    /// to get ready is part of it, but never more than half.
    pub fn left_of(&self, budget: Duration) -> Duration {
        budget.saturating_sub(self.elapsed()).max(budget / 2)
    }

    /// The time since the tool was started.
    pub fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    /// A report with the machine in it, and nothing measured yet.
    pub fn report(&self) -> Report {
        Report {
            schema: SCHEMA.into(),
            run: Run {
                id: format!("{:016x}", fastrand::u64(..)),
                started: self.started.to_string(),
                argv: std::env::args_os()
                    .map(|arg| arg.to_string_lossy().into_owned())
                    .collect(),
                tool_version: env!("CARGO_PKG_VERSION").into(),
                order_seed: self.seed,
                ..Run::default()
            },
            environment: machine::environment(&Root::host()),
            ..Report::default()
        }
    }

    /// Writes down how the run ended.
    pub fn close(&self, report: &mut Report) {
        report.run.finished = jiff::Timestamp::now().to_string();
        report.run.seconds = self.elapsed().as_secs_f64();
        report.run.complete = !self.interrupted();
    }
}

/// Nothing could be measured: exit code 3.
#[derive(Debug)]
pub struct NothingToMeasure(pub String);

impl std::fmt::Display for NothingToMeasure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NothingToMeasure {}

/// The width of a screen that goes to a file or a pipe.
const WIDTH_ELSEWHERE: usize = 100;
/// The narrowest and the widest screens that are drawn.
const WIDTHS: (usize, usize) = (60, 160);

/// A console of Windows is given UTF-16 by the standard library, whatever its code page is. A pipe
/// or a file gets bytes, and who reads them may take them for that code page: ASCII is safe there.
const CONSOLE_TAKES_UNICODE: bool = cfg!(windows);

fn style(global: &Global) -> Style {
    let terminal = std::io::stdout().is_terminal();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    // A console of Windows takes escape sequences when it is told to, and before Windows 10 1511 not
    // at all; there is nothing to tell elsewhere.
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
    let unicode = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .is_some_and(|value| value.to_ascii_lowercase().replace('-', "").contains("utf8"))
        || (terminal && CONSOLE_TAKES_UNICODE);
    Style {
        width: width.unwrap_or(WIDTH_ELSEWHERE).clamp(WIDTHS.0, WIDTHS.1),
        color,
        unicode,
        verbose: global.verbose,
    }
}
