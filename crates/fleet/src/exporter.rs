//! The two threads of the exporter. One measures: a look each second, and
//! rounds of measurements as far as the budget allows. The other one answers from what the first
//! has put up.

use crate::http::Server;
use crate::look::{Seen, Watch};
use crate::process::{self, Meter};
use crate::rounds::{Board, Notice, Rounds};
use crate::schedule::{Budget, Round, Schedule, fraction_of_machine};
use chronoscope_probes::machine::{self, Root};
use chronoscope_probes::waits::os;
use chronoscope_report::json;
use chronoscope_report::metrics::{self, Metrics};
use chronoscope_survey::Interrupt;
use chronoscope_survey::against::{Following, Source};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{io, thread};

/// The time between two looks.
const PERIOD: Duration = Duration::from_secs(1);
/// The longest time for which the metrics stay as they are: Prometheus scrapes every 15 s or less
/// often.
const SHOWN: Duration = Duration::from_secs(15);

/// How to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The share of one CPU that measuring may take, 0 to 1: usually 0.005. Rounds that do not fit
    /// are skipped. The looks are not: with less than about 0.0005, they take more than the share.
    pub budget: f64,
    /// Whether the first measurement begins at once, rather than within five minutes at a time that
    /// differs from machine to machine.
    pub start_now: bool,
    /// Whether notices hold the last report.
    pub keep_report: bool,
    /// Other clocks that are asked all the time, as `trust --against` has them.
    pub against: Vec<Source>,
}

/// Measures and answers until it is interrupted. The measuring thread is not waited for: it may be
/// in the middle of a measurement, which then nobody asks for.
///
/// # Errors
/// The system refuses a thread, or measuring ended by itself.
pub fn run(server: Server, settings: Settings, interrupt: &Interrupt) -> io::Result<()> {
    let board = Arc::new(Board::default());
    let has_report = settings.keep_report;
    let measuring = {
        let (board, interrupt) = (Arc::clone(&board), interrupt.clone());
        let thread = thread::Builder::new().name("measure".into());
        thread.spawn(move || measure(&settings, &board, &interrupt))?
    };
    server.answer(&board, has_report, || interrupt.is_set() || measuring.is_finished())?;
    if interrupt.is_set() {
        return Ok(());
    }
    Err(io::Error::other("the thread that measures has ended"))
}

/// Measures until it is interrupted, and puts up what it finds. Takes up to two seconds to end.
///
/// The program must have been prepared by [`chronoscope_survey::start_up()`].
pub fn measure(settings: &Settings, board: &Board, interrupt: &Interrupt) {
    let mut worker = Worker::new(settings, board, interrupt);
    worker.show();
    while !interrupt.is_set() {
        let seen = worker.watch.sleep(worker.until_next_look());
        worker.count(&seen);
        if seen.is_event() || worker.shown.elapsed() >= SHOWN {
            worker.show();
        }
        if let Some(round) = worker.next()
            && !interrupt.is_set()
        {
            worker.make(round, interrupt);
            worker.show();
        }
    }
}

struct Worker<'a> {
    board: &'a Board,
    keep_report: bool,
    began: Instant,
    shown: Instant,
    metrics: Metrics,
    watch: Watch,
    following: Option<Following>,
    rounds: Rounds,
    report: Arc<Vec<u8>>,
    schedule: Schedule,
    budget: Budget,
    meter: Meter,
}

impl<'a> Worker<'a> {
    fn new(settings: &Settings, board: &'a Board, interrupt: &Interrupt) -> Self {
        os::hold_signals();
        let environment = machine::environment(&Root::host());
        let metrics = Metrics::new(&environment);
        let sources = &settings.against;
        let following = (!sources.is_empty()).then(|| {
            let guest = environment.hypervisor.is_some();
            Following::start(sources, guest, Duration::MAX, interrupt)
        });
        metrics.set(&metrics::BUDGET, settings.budget);
        Round::ALL.iter().for_each(|round| metrics.pending(round.name()));
        let fraction = if settings.start_now { 0.0 } else { fraction_of_machine() };
        let now = Instant::now();
        Self {
            board,
            keep_report: settings.keep_report,
            began: now,
            shown: now,
            metrics,
            watch: Watch::new(),
            following,
            rounds: Rounds::default(),
            report: Arc::default(),
            schedule: Schedule::new(fraction),
            budget: Budget::new(settings.budget, 0.0),
            meter: Meter::start(),
        }
    }

    fn now_s(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// The time until the next whole period since the start that has not begun.
    fn until_next_look(&self) -> Duration {
        let into = self.began.elapsed().as_nanos() % PERIOD.as_nanos();
        PERIOD.saturating_sub(Duration::from_nanos(into as u64))
    }

    fn count(&mut self, seen: &Seen) {
        if let Some(following) = &mut self.following {
            following.look();
        }
        if let Some(forward) = seen.stepped_forward {
            self.metrics.stepped(forward);
        }
        self.metrics.add(&metrics::STALL, seen.stalled_s);
        self.metrics.add(&metrics::SUSPEND, seen.suspended_s);
        self.metrics.add(&metrics::THROTTLED, seen.throttled_s);
    }

    /// Settles the account, and returns the round that is to be made now.
    fn next(&mut self) -> Option<Round> {
        let now_s = self.now_s();
        self.budget.credit(now_s);
        self.budget.charge(self.meter.thread());
        for _ in 0..self.schedule.skip(now_s) {
            self.metrics.skipped("budget");
        }
        self.schedule.next(now_s, &self.budget)
    }

    fn make(&mut self, round: Round, interrupt: &Interrupt) {
        let (found, cpu_s) = self.meter.round(|| self.rounds.make(round, interrupt));
        self.budget.charge(cpu_s);
        self.schedule.done(round, cpu_s);
        let Some(found) = found else { return };
        self.metrics.report(&found);
        self.metrics.last(round.name(), os::wall() as f64 / 1e9);
        let whole =
            self.rounds.whole.as_ref().filter(|_| self.keep_report && round == Round::Machine);
        if let Some(whole) = whole {
            let mut text = Vec::new();
            // A report with a figure that cannot be written leaves the last one.
            if json::write(whole, &mut text).is_ok() {
                self.report = Arc::new(text);
            }
        }
    }

    fn show(&mut self) {
        if let Some(following) = &self.following {
            self.metrics.against(&following.known());
        }
        self.metrics.set(&metrics::MEASURING, self.meter.all_s);
        for (family, value) in process::process().iter().flatten() {
            self.metrics.set(family, *value);
        }
        self.board.put(Notice {
            answers: Arc::new(self.metrics.answers()),
            report: Arc::clone(&self.report),
            health: self.rounds.health(self.watch.absent()),
        });
        self.shown = Instant::now();
    }
}
