//! Progress on standard error: only on a terminal, and rarely, because drawing disturbs what is
//! measured.

use crate::waits_line;
use chronoscope_probes::time::Instant;
use chronoscope_survey::Progress as State;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;
use terminal_size::terminal_size_of;

/// A bar that only rises, with the time left and what is being measured.
pub struct Progress {
    bar: ProgressBar,
    began: Instant,
    /// How long the run takes by its budget or schedule, if it has one.
    whole: Cell<Option<Duration>>,
}

/// The most times per second that the line is drawn.
const RATE: u8 = 2;
/// The steps of the whole that the line distinguishes.
const PARTS: u64 = 100;
/// Narrower terminals get a shorter bar.
const NARROW: u16 = 60;
/// From this share on, the time left is estimated from the time so far.
const FORESEEABLE: f64 = 0.05;

impl Progress {
    /// Makes a line, which is invisible if standard error is not a terminal or the user asked for
    /// quiet.
    pub fn new(quiet: bool) -> Self {
        let target = if quiet || !io::stderr().is_terminal() {
            ProgressDrawTarget::hidden()
        } else if cfg!(unix) {
            ProgressDrawTarget::term_like_with_hz(Box::new(Line), RATE)
        } else {
            ProgressDrawTarget::stderr_with_hz(RATE)
        };
        let bar = ProgressBar::with_draw_target(None, target).with_style(style("{wide_msg}"));
        Self { bar, began: Instant::now(), whole: Cell::new(None) }
    }

    /// Shows what is being measured, how much is done, and the time left.
    pub fn show(&self, state: State) {
        match state {
            State::Time(whole) => self.whole.set(self.whole.get().or(Some(whole))),
            State::Phase(phase, done) => self.draw(Some(done), None, phase.into()),
            State::Waits(waits) => self.draw(waits.share, waits.left_s, waits_line::text(waits)),
            State::Expected(..) | State::Done(_) => {}
        }
    }

    fn draw(&self, done: Option<f64>, left_s: Option<f64>, what: String) {
        let seconds = self.began.elapsed().as_secs_f64();
        let (done, left_s) = match self.whole.get().map(|whole| whole.as_secs_f64()) {
            Some(whole) => (Some(seconds / whole), Some(whole - seconds)),
            None => {
                let known = done.filter(|done| *done >= FORESEEABLE);
                (done, left_s.or(known.map(|done| seconds * (1.0 / done - 1.0))))
            }
        };
        let message = match left_s {
            Some(left) => format!("{} left: {what}", waits_line::whole(left)),
            None if done.is_some() => what,
            None => format!("{} so far: {what}", waits_line::whole(seconds)),
        };
        if self.bar.message() != message {
            self.bar.set_message(message);
        }
        if let Some(done) = done {
            if self.bar.length().is_none() {
                let bar = if width() < NARROW { "[{bar:6}]" } else { "[{bar:20}]" };
                self.bar.set_length(PARTS);
                self.bar.set_style(style(&format!("{bar} {{percent:>2}} %, {{wide_msg}}")));
            }
            // The end of the bar is the end of the run.
            let at = ((done * PARTS as f64) as u64).min(PARTS - 1);
            self.bar.set_position(at.max(self.bar.position()));
        }
    }

    pub fn suspend(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }
}

/// The width of the terminal, in columns.
fn width() -> u16 {
    terminal_size_of(io::stderr()).map_or(80, |(width, _)| width.0)
}

/// A line of standard error that leaves the last columns free for the `^C` that terminals show at
/// Ctrl-C. It would otherwise begin a line of its own, and leave this one behind.
#[derive(Debug)]
struct Line;

impl TermLike for Line {
    fn width(&self) -> u16 {
        width().saturating_sub(3)
    }

    // There is only one line, so the cursor never leaves it.
    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        writeln!(io::stderr(), "{text}")
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        write!(io::stderr(), "{text}")
    }

    fn clear_line(&self) -> io::Result<()> {
        self.write_str("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        io::stderr().flush()
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ")
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
