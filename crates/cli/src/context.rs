//! What every command needs: the options of all groups, the style of the output, the signals that
//! ask a run to stop, errors of the command line itself, and the exit code of every error.

use crate::options::{Options, Output};
use anstyle_query::windows::enable_ansi_colors;
use chronoscope_probes::time::Instant;
use chronoscope_report::clean::escaped;
use chronoscope_report::section::Detail;
use chronoscope_report::text::{Style, message};
use chronoscope_survey::{Error, Interrupt};
use clap::ColorChoice;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
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
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let asked = asked.filter(|columns| *columns > 0);
    let width = terminal_size::terminal_size().filter(|_| terminal);
    let width = width.map(|(width, _)| usize::from(width.0)).or(asked);
    let is_utf8 = |value: String| value.to_ascii_lowercase().replace('-', "").contains("utf8");
    let utf8 = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .is_some_and(is_utf8)
        || (terminal && CONSOLE_TAKES_UNICODE);
    let unicode = utf8 && !output.ascii;
    Style { width: width.unwrap_or(WIDTH_ELSEWHERE).clamp(WIDTHS.0, WIDTHS.1), color, unicode }
}

/// Arguments that do not fit, or a file that cannot be used: exit code 2.
#[derive(Debug)]
pub struct Usage(pub String);

/// Returns such an error, with a text as `format!` takes it.
macro_rules! refuse {
    ($($text:tt)*) => { return Err($crate::context::Usage(format!($($text)*)).into()) };
}

impl Usage {
    /// Why --verbose is refused if there is nothing more to show.
    pub fn nothing_more() -> Self {
        Self("--verbose does not apply: there is nothing more to show".into())
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Writes one line to standard error, and returns the exit code of this error. Help and the version
/// are written as clap writes them.
pub fn failed(error: &anyhow::Error) -> ExitCode {
    if let Some(error) = error.downcast_ref::<clap::Error>() {
        let text = error.render().to_string();
        let safe: Vec<_> = text.lines().map(escaped).collect();
        let is_safe = !error.use_stderr() || safe.iter().eq(text.lines());
        let printed = if is_safe {
            error.print()
        } else {
            // Arguments may be names of files.
            writeln!(io::stderr(), "{}", safe.join("\n"))
        };
        return match printed {
            Err(io) if !error.use_stderr() && io.kind() != io::ErrorKind::BrokenPipe => {
                failed(&anyhow::anyhow!("cannot write to standard output: {io}"))
            }
            _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
        };
    }
    tell(&format!("{error:#}"));
    ExitCode::from(match error.downcast_ref() {
        Some(Error::Nothing(_)) => 3,
        Some(Error::Unknown(_) | Error::Invalid(_)) => 2,
        _ if error.is::<Usage>() => 2,
        Some(Error::NotStarted) | None => 1,
    })
}

/// Signals this close together count as one: timeout(1) sends one to the program and one to its
/// group.
const SAME: Duration = Duration::from_millis(300);

/// Whether the user, the system or a lost connection asked the run to stop, and by which signal.
#[derive(Clone, Default)]
pub struct Stop {
    /// Set at the first signal.
    pub interrupt: Interrupt,
    signal: Arc<AtomicU8>,
}

/// The number of SIGINT on every Unix, and of Ctrl-C on Windows in this tool's exit code.
const INT: u8 = 2;
/// The number of SIGHUP on every Unix.
const HUP: u8 = 1;

impl Stop {
    /// Handles Ctrl-C and, on Unix, SIGTERM and SIGHUP. A SIGHUP that is ignored stays ignored:
    /// nohup(1) asks for that.
    ///
    /// # Errors
    /// The system refuses, because too many files are open for example.
    pub fn on_signals() -> Result<Self, Error> {
        let stop = Self::default();
        listen(stop.clone()).map_err(|error| {
            let limit = match error.raw_os_error() {
                // EMFILE has this number on Linux, macOS and the BSDs.
                Some(24) if cfg!(unix) => ": allow more with `ulimit -n 64`",
                _ => "",
            };
            Error::Nothing(format!("cannot handle signals: {error}{limit}"))
        })?;
        Ok(stop)
    }

    /// The exit code of a run that was asked to stop: 128 and the number of the signal, as shells
    /// report it. 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP.
    pub fn exit_code(&self) -> Option<u8> {
        self.interrupt.is_set().then(|| 128 + self.signal.load(Ordering::Relaxed))
    }

    /// Whether the terminal is gone, so that nobody can read what is printed.
    pub fn hung_up(&self) -> bool {
        self.exit_code() == Some(128 + HUP)
    }

    /// Handles one signal; `first` is when the first arrived.
    fn receive(&self, signal: u8, first: &mut Option<Instant>) {
        match first {
            None => {
                self.signal.store(signal, Ordering::Relaxed);
                self.interrupt.set();
                *first = Some(Instant::now());
            }
            // A second signal ends the program at once, for users who do not want to wait.
            Some(at) if at.elapsed() > SAME => {
                #[cfg(feature = "watch")]
                chronoscope_watch::restore();
                #[cfg(feature = "watch")]
                let is_stuck = chronoscope_watch::is_stuck();
                #[cfg(not(feature = "watch"))]
                let is_stuck = false;
                // Whatever is left of the progress line.
                if io::stderr().is_terminal() && !is_stuck {
                    let _ = io::stderr().write_all(b"\r\x1b[2K");
                }
                std::process::exit(i32::from(128 + signal))
            }
            Some(_) => {}
        }
    }
}

#[cfg(unix)]
fn listen(stop: Stop) -> io::Result<()> {
    use chronoscope_probes::machine::ignores_hangup;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut handled = vec![SIGINT, SIGTERM];
    if !ignores_hangup() {
        handled.push(SIGHUP);
    }
    let mut signals = signal_hook::iterator::Signals::new(handled)?;
    let receive = move || {
        let mut first = None;
        for signal in signals.forever() {
            stop.receive(u8::try_from(signal).unwrap_or(INT), &mut first);
        }
    };
    let thread = std::thread::Builder::new().name("signals".into());
    thread.spawn(receive).map(drop)
}

#[cfg(not(unix))]
fn listen(stop: Stop) -> io::Result<()> {
    let mut first = None;
    ctrlc::set_handler(move || stop.receive(INT, &mut first)).map_err(io::Error::other)
}
