//! Progress on standard error: only on a terminal, and rarely, because drawing disturbs what is
//! measured.

use crate::context::Context;
use chronoscope_survey::Progress as State;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line with the phase and how much is done.
pub struct Progress {
    bar: ProgressBar,
}

/// The most times per second that the line is drawn.
const RATE: u8 = 4;
/// The steps of the whole that the line distinguishes.
const PARTS: u64 = 100;

impl Progress {
    /// Makes a line, which is invisible if standard error is not a terminal or the user asked for
    /// quiet.
    pub fn new(context: &Context) -> Self {
        let target = if context.global.quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(RATE)
        };
        let bar = ProgressBar::with_draw_target(Some(PARTS), target);
        let style =
            ProgressStyle::with_template("measuring {msg:12} [{bar:30}] {percent:>3} %  {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
        Self { bar }
    }

    /// Shows what is being measured, and how much is done.
    pub fn show(&self, state: State) {
        let (phase, done) = match state {
            State::Phase(phase, done) => (phase, done),
            State::Waits(waits) => ("waits", waits.share.unwrap_or(0.0)),
        };
        if self.bar.message() != phase {
            self.bar.set_message(phase);
        }
        self.bar.set_position((done * PARTS as f64) as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
