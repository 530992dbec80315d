//! Progress on standard error: only on a terminal, and rarely, because drawing disturbs what is
//! measured.

use crate::commands::waits::line;
use chronoscope_survey::Progress as State;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line with the phase and how much is done, or with the state of a run of waits.
pub struct Progress(ProgressBar);

/// The most times per second that the line is drawn.
const RATE: u8 = 2;
/// The steps of the whole that the line distinguishes.
const PARTS: u64 = 100;

impl Progress {
    /// Makes a line, which is invisible if standard error is not a terminal or the user asked for
    /// quiet.
    pub fn new(quiet: bool) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(RATE)
        };
        Self(ProgressBar::with_draw_target(None, target).with_style(style("{wide_msg}")))
    }

    /// Shows what is being measured, and how much is done.
    pub fn show(&self, state: State) {
        match state {
            State::Phase(phase, done) => self.phase(phase, done),
            // Nothing but waits is measured.
            State::Waits(waits) if self.0.length().is_none() => {
                self.0.set_message(line::text(waits));
            }
            State::Waits(waits) => self.phase("waits", waits.share.unwrap_or(0.0)),
            State::Expected(..) => {}
        }
    }

    fn phase(&self, phase: &'static str, done: f64) {
        if self.0.length().is_none() {
            self.0.set_length(PARTS);
            self.0.set_style(style("measuring {msg:12} [{bar:30}] {percent:>3} %  {elapsed}"));
        }
        if self.0.message() != phase {
            self.0.set_message(phase);
        }
        self.0.set_position((done * PARTS as f64) as u64);
    }

    pub fn suspend(&self, write: impl FnOnce()) {
        self.0.suspend(write);
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ")
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
