//! What every measurement of a survey works with.

use crate::error::Error;
use crate::start_up;
use chronoscope_measure::engine::Interrupt;
use chronoscope_measure::session::{self, Session};
use chronoscope_measure::waits::Progress as WaitsProgress;
use chronoscope_model::environment::{Rate, RateKind};
use chronoscope_model::run::Run;
use chronoscope_model::{Environment, Report, Ruler, SCHEMA};
use chronoscope_probes::clocks::Entry;
use chronoscope_probes::machine::{self, Root};
use std::time::{Duration, Instant};

/// How far a survey has come.
pub enum Progress<'a> {
    /// The phase, and the share of the whole that is done, 0 to 1.
    Phase(&'static str, f64),
    /// The state of a run of waits.
    Waits(&'a WaitsProgress),
}

/// A function that receives every state of the report that may be kept.
pub(crate) type Checkpoint<'a> = Box<dyn FnMut(&Report) + 'a>;

/// What every measurement of a survey works with.
pub(crate) struct Setting<'a> {
    /// The CPU to measure on; absent: the quietest.
    pub(crate) cpu: Option<usize>,
    /// The time for measuring; absent: the measurement's own.
    pub(crate) budget: Option<Duration>,
    /// The seed of all random order.
    pub(crate) seed: u64,
    /// Set when the user asks to stop.
    pub(crate) interrupt: Interrupt,
    /// Called with the progress.
    pub(crate) progress: Box<dyn FnMut(Progress) + 'a>,
    /// Called with every state of the report that may be kept.
    pub(crate) checkpoint: Option<Checkpoint<'a>>,
}

impl Setting<'_> {
    /// A session with these clocks.
    pub(crate) fn session(
        &self,
        environment: &Environment,
        entries: &[&'static Entry],
    ) -> Result<Session, Error> {
        let options = session::Options {
            cpu: self.cpu,
            interrupt: self.interrupt.clone(),
            children: start_up::children(),
        };
        Session::open(entries, environment, options).map_err(|error| match error {
            session::Error::NoSuchCpu { .. } => Error::Invalid(error.to_string()),
            session::Error::NothingAvailable(_) => Error::Nothing(error.to_string()),
        })
    }
}

/// A report with the machine in it, and nothing measured yet.
pub(crate) fn blank(clock: &Clock, seed: u64) -> Report {
    Report {
        schema: SCHEMA.into(),
        run: Run {
            id: format!("{:016x}", fastrand::u64(..)),
            started: clock.started.to_string(),
            argv: std::env::args_os()
                .map(|arg| arg.to_string_lossy().into_owned())
                .collect(),
            tool_version: env!("CARGO_PKG_VERSION").into(),
            order_seed: seed,
            ..Run::default()
        },
        environment: machine::environment(&Root::host()),
        ..Report::default()
    }
}

/// The time of the whole survey.
pub(crate) struct Clock {
    started: jiff::Timestamp,
    clock: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            started: jiff::Timestamp::now(),
            clock: Instant::now(),
        }
    }

    /// What is left of a budget for measuring: preparation is part of it, but takes at most half.
    pub(crate) fn left_of(&self, budget: Duration) -> Duration {
        budget.saturating_sub(self.clock.elapsed()).max(budget / 2)
    }

    /// Records how the run ended.
    pub(crate) fn close(&self, report: &mut Report, interrupt: &Interrupt) {
        report.run.finished = jiff::Timestamp::now().to_string();
        report.run.seconds = self.clock.elapsed().as_secs_f64();
        report.run.complete = !interrupt.is_set();
    }
}

/// Adds the counter's rate, as determined by the ruler's calibration, to those from other sources.
pub(crate) fn add_measured_rate(environment: &mut Environment, ruler: &Ruler) {
    if !ruler.is_counter {
        return;
    }
    if let Some(rates) = environment.counter_rates_mut() {
        rates.push(Rate {
            source: "measured".into(),
            kind: RateKind::Measured,
            hz: Some(ruler.hz),
            error_ppm: Some(ruler.hz_error_ppm),
            note: format!("against {}", ruler.reference),
        });
    }
}
