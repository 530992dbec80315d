//! Progress on standard error: only on a terminal, and rarely, because drawing disturbs what is
//! measured.

use chronoscope_model::units::human_ns;
use chronoscope_model::waits::Load;
use chronoscope_probes::time::Instant;
use chronoscope_survey::{Progress as State, WaitsProgress};
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
            State::Waits(waits) => self.draw(waits.share, waits.left_s, waits_line(waits)),
            State::Expected(..) | State::Done(_) | State::SoFar(_) => {}
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
            Some(left) => format!("{} left: {what}", whole_time(left)),
            None if done.is_some() => what,
            None => format!("{} so far: {what}", whole_time(seconds)),
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

/// The state of a run behind the bar, the most important first: a narrow terminal cuts off the end.
fn waits_line(progress: &WaitsProgress) -> String {
    let mut text = String::new();
    if progress.load != Load::None {
        text += &format!("load {}, ", progress.load.name());
    }
    text += &progress.samples.to_string();
    if let Some(wanted) = progress.wanted {
        text += &format!(" of {wanted}");
    }
    text += " waits";
    if progress.missed > 0 {
        text += &format!(", {} missed", progress.missed);
    }
    text += &format!(", max {}", human_ns(progress.max_ns as f64));
    for (name, ns) in [("p99", progress.p99_ns), ("p50", progress.p50_ns)] {
        text += &ns.map_or(String::new(), |ns| format!(" {name} {}", human_ns(ns as f64)));
    }
    let now = progress.now_ns.map(|ns| format!(" now {}", human_ns(ns as f64)));
    text + &now.unwrap_or_default()
}

/// A time of seconds or longer, without more digits than a glance needs.
pub fn whole_time(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round();
    match seconds {
        ..120.0 => format!("{seconds} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_hours_shows_the_largest_wait_before_the_usual_ones() {
        let progress = WaitsProgress {
            samples: 7_200_000,
            missed: 12_345,
            now_ns: Some(55_300),
            p50_ns: Some(55_300),
            p99_ns: Some(123_000),
            max_ns: 12_300_000,
            ..WaitsProgress::default()
        };
        let all = "7200000 waits, 12345 missed, max 12.3 ms p99 123 us p50 55.3 us now 55.3 us";
        assert_eq!(waits_line(&progress), all);
    }

    #[test]
    fn a_run_under_a_load_names_it_first() {
        let progress = WaitsProgress {
            load: Load::Normal,
            samples: 3,
            wanted: Some(10_000),
            ..WaitsProgress::default()
        };
        assert!(waits_line(&progress).starts_with("load normal, 3 of 10000 waits"));
        assert_eq!([119.0, 120.0, 9000.0].map(whole_time), ["119 s", "2 min", "2.5 h"]);
    }
}
