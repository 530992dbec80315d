//! Progress on standard error, on a terminal only, and seldom: what is drawn disturbs what is
//! measured.

use crate::context::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line that tells the phase and how much is done.
pub struct Progress {
    bar: ProgressBar,
}

/// Times a second that the line is drawn at most.
const RATE: u8 = 4;
/// Parts of the whole that the line tells apart.
const PARTS: u64 = 100;

impl Progress {
    /// A line, invisible where standard error is no terminal or the user wants quiet.
    pub fn new(context: &Context) -> Self {
        let target = if context.global.quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(RATE)
        };
        let bar = ProgressBar::with_draw_target(Some(PARTS), target);
        let style =
            ProgressStyle::with_template("measuring {msg:12} [{bar:30}] {percent:>3} %  {elapsed}");
        bar.set_style(
            style
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("=> "),
        );
        Self { bar }
    }

    /// What is being measured, and how much is done, 0 to 1.
    pub fn show(&self, phase: &'static str, done: f64) {
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
