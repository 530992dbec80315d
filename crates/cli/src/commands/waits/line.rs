//! The live line of a run of waits.

use crate::context::Context;
use chronoscope_measure::waits::Progress;
use chronoscope_model::units;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;

/// The live line: where the run stands, drawn by the thread that watches and not by one that waits.
pub struct Line {
    bar: ProgressBar,
    quiet: bool,
}

impl Line {
    pub fn new(context: &Context) -> Self {
        let quiet = context.global.quiet;
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(2)
        };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        Self { bar, quiet }
    }

    pub fn show(&self, progress: &Progress) {
        let time = |ns: u64| units::human_ns(ns as f64);
        let mut text = format!("load {}: {} waits", progress.load.name(), progress.samples);
        if let Some(wanted) = progress.wanted {
            text += &format!(" of {wanted}");
        }
        if let Some(now) = progress.now_ns {
            text += &format!(", now {}", units::human_ns(now as f64));
        }
        if let (Some(p50), Some(p99)) = (progress.p50_ns, progress.p99_ns) {
            text += &format!(", p50 {}, p99 {}", time(p50), time(p99));
        }
        text += &format!(", max {}", units::human_ns(progress.max_ns as f64));
        if progress.missed > 0 {
            text += &format!(", missed {}", progress.missed);
        }
        self.bar.set_message(text);
    }

    pub fn say(&self, what: &str) {
        if !self.quiet {
            self.bar.suspend(|| {
                let _ = writeln!(std::io::stderr(), "chronoscope: {what}");
            });
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
