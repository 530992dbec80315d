//! The live line of a run of waits.

use crate::context::Context;
use chronoscope_model::units;
use chronoscope_model::waits::Load;
use chronoscope_survey::WaitsProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;

/// The live line with the state of the run. The watching thread draws it, not a waiting one.
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

    pub fn show(&self, progress: &WaitsProgress) {
        self.bar.set_message(text(progress));
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

/// The state of a run in less than eighty columns, the most important first: a narrow terminal cuts
/// off the end.
fn text(progress: &WaitsProgress) -> String {
    let time = |ns: f64| units::human_ns(ns);
    let mut text = match progress.load {
        Load::None => String::new(),
        load => format!("load {}: ", load.name()),
    };
    text += &progress.samples.to_string();
    if let Some(wanted) = progress.wanted {
        text += &format!(" of {wanted}");
    }
    text += " waits";
    if progress.missed > 0 {
        text += &format!(", {} missed", progress.missed);
    }
    if let Some(now) = progress.now_ns {
        text += &format!(", now {}", time(now as f64));
    }
    if let (Some(p50), Some(p99)) = (progress.p50_ns, progress.p99_ns) {
        text += &format!(" p50 {} p99 {}", time(p50 as f64), time(p99 as f64));
    }
    text + &format!(" max {}", time(progress.max_ns as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_hours_fits_a_line() {
        let progress = WaitsProgress {
            samples: 7_200_000,
            missed: 12_345,
            now_ns: Some(55_300),
            p50_ns: Some(55_300),
            p99_ns: Some(123_000),
            max_ns: 12_300_000,
            ..WaitsProgress::default()
        };
        let line = text(&progress);
        // Including the time before it.
        assert!(line.len() <= 80 - "2h ".len(), "{line}");
        let all = "7200000 waits, 12345 missed, now 55.3 us p50 55.3 us p99 123 us max 12.3 ms";
        assert_eq!(line, all);
    }
}
