//! The request of a survey, how it is run, what a program must do first so that a survey can start
//! it again as a child, and why there is no report.

use crate::select::Chosen;
use crate::waits::{self, Resumed};
use crate::{Summary, doctor, select};
use chronoscope_diagnose as diagnose;
use chronoscope_measure::engine::Interrupt;
use chronoscope_measure::engine::children::Children;
use chronoscope_measure::engine::serve::serve;
use chronoscope_measure::loops::{calls, overhead};
use chronoscope_measure::run::measurement::{self, Checkpoint, Measurement, Progress, Setting};
use chronoscope_measure::{clocks, deltas, runtimes, sweep, trust};
use chronoscope_model::environment::CpuQuota;
use chronoscope_model::run::Run;
use chronoscope_model::spec::{
    CallSpec, ClockSpec, DeltaSpec, OverheadSpec, RuntimeSpec, Spec, SweepSpec, TrustSpec,
};
use chronoscope_model::{Environment, Report, SCHEMA, change};
use chronoscope_probes::clocks::loop_addresses;
use chronoscope_probes::load;
use chronoscope_probes::machine::{self, Root, source_switch, tsc_permitted};
use chronoscope_probes::time::Instant;
use chronoscope_probes::waits::os;
use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A survey of this machine.
pub struct Survey<'a> {
    measurement: Box<dyn Measurement + 'a>,
    setting: Setting<'a>,
    judge: fn(&mut Report),
    root: fn() -> Root,
    spec: Option<Box<Spec>>,
    screen: Option<String>,
}

impl<'a> Survey<'a> {
    /// A survey of anything that can be measured: a request of this crate, or one of the program's
    /// own.
    pub fn new(measurement: impl Measurement + 'a) -> Self {
        Self {
            measurement: Box::new(measurement),
            setting: Setting::default(),
            judge: diagnose::judge,
            root: Root::host,
            spec: None,
            screen: None,
        }
    }

    /// A survey of the clocks that matter and a few waits, as the tool measures without a command,
    /// in 5 s.
    pub fn summary() -> Self {
        Self::new(Summary { clocks: None, waits: true })
    }

    /// A survey of the clocks that these ids, globs or prefixes name, or of all clocks, in 9 s.
    ///
    /// # Errors
    /// An id matches no clock.
    pub fn clocks<T: Into<String>>(ids: impl IntoIterator<Item = T>) -> Result<Self, Error> {
        let ids: Vec<String> = ids.into_iter().map(Into::into).collect();
        Self::of(Spec::Clocks(ClockSpec { ids, ..ClockSpec::default() }))
    }

    /// A survey of what a spec asks for. The report keeps the spec.
    ///
    /// # Errors
    /// An id matches nothing, or several clocks where one is measured; there is no such preset.
    pub fn of(spec: Spec) -> Result<Self, Error> {
        let asked = Some(Box::new(spec.clone()));
        let survey = match spec {
            Spec::Clocks(ClockSpec { ids, calls, peers, disturbance }) => {
                let entries = select::clocks(&ids, peers)?;
                Self::new(clocks::Request { entries, calls, disturbance, for_advice: false })
            }
            Spec::Deltas(DeltaSpec { id, reads, disturbance }) => {
                match select::clock_of_any(&id)? {
                    Chosen::Native(entry) => {
                        Self::new(deltas::Request { entry, reads, disturbance })
                    }
                    Chosen::Runtime(..) if disturbance.priority.is_some() => {
                        return Err(Error::Invalid(format!(
                            "{id}: a runtime reads its clocks in its own process, without \
                             --priority"
                        )));
                    }
                    Chosen::Runtime(wanted, clock) => {
                        Self::new(runtimes::Series { wanted, clock, reads, disturbance })
                    }
                }
            }
            Spec::Calls(CallSpec { id, disturbance }) => {
                Self::new(calls::Request { entry: select::native(&id)?, disturbance })
            }
            Spec::Overhead(OverheadSpec { id, samples, n, m, disturbance }) => {
                let shape = [samples, n, m];
                Self::new(overhead::Request { entry: select::native(&id)?, shape, disturbance })
            }
            Spec::Waits(spec) => Self::new(waits::Request::of(spec)?),
            Spec::Runtimes(RuntimeSpec { ids, runtime }) => {
                Self::new(runtimes::Request { wanted: select::runtimes(&ids, &runtime)? })
            }
            Spec::Trust(TrustSpec { ids, duration }) => {
                Self::new(trust::Request { entries: select::some_clocks(&ids)?, time: duration })
            }
            Spec::Sweep(SweepSpec { ids, runtimes }) => {
                let entries = select::some_clocks(&ids)?;
                let wanted = runtimes.map(|ids| select::runtimes(&ids, &[])).transpose()?;
                Self::new(sweep::Request::of(entries, wanted.unwrap_or_default()))
            }
        };
        Ok(Self { spec: asked, ..survey })
    }

    /// A survey of the remaining waits of an interrupted run. The report has the run's plan and the
    /// waits that were measured. The CPU, the seed and the times are those of the interrupted run.
    ///
    /// # Errors
    /// The report is not the checkpoint of a run of waits.
    pub fn resume(report: Report) -> Result<Self, Error> {
        Ok(Self::new(Resumed::of(report)?))
    }

    /// A survey that continues to watch clocks after a run of `trust` on the same boot of this
    /// machine: for this time, or for the rest of the time that was asked for, or, if that is over,
    /// for as long again. The figures of both runs are added.
    ///
    /// # Errors
    /// The report is not one of `trust`, or cannot be continued here.
    pub fn watch_on(report: Report, time: Option<Duration>) -> Result<Self, Error> {
        let refused = |why: &str| Error::Invalid(format!("the report cannot be resumed: {why}"));
        let Report { spec, trust, .. } = report;
        let (Some(Spec::Trust(spec)), Some(trust)) = (spec, trust) else {
            return Err(refused("it is not the report of a run of `trust`"));
        };
        let entries = select::some_clocks(&spec.ids)?;
        let resumed = trust::Resumed::of(entries, trust, time, spec.duration);
        let resumed = resumed.map_err(|why| refused(&why))?;
        Ok(Self { spec: Some(Box::new(Spec::Trust(spec))), ..Self::new(resumed) })
    }

    /// A survey of what is wrong with time on this machine, in 10 s: the short measurements by
    /// which faults are judged, every finding, and the result of the search for each fault.
    pub fn doctor() -> Self {
        Self { judge: diagnose::examine, ..Self::new(doctor::Request) }
    }

    /// The same at a glance, in a fraction of a second: facts, and the costs of a few clocks. What
    /// only a longer measurement shows is not known then.
    pub fn quick_doctor() -> Self {
        Self { judge: diagnose::examine, root: Root::hurried, ..Self::new(doctor::quick()) }
    }

    /// Sets the screen that the report names.
    #[must_use]
    pub fn screen(mut self, name: String) -> Self {
        self.screen = Some(name);
        self
    }

    /// Sets the time for measuring.
    #[must_use]
    pub fn budget(mut self, budget: impl Into<Option<Duration>>) -> Self {
        self.setting.budget = budget.into();
        self
    }

    /// Sets the CPU to measure on; without one, the survey uses the quietest.
    #[must_use]
    pub fn cpu(mut self, cpu: impl Into<Option<usize>>) -> Self {
        self.setting.cpu = cpu.into();
        self
    }

    /// Sets the seed of all random order; without one, the survey draws a random seed.
    #[must_use]
    pub fn seed(mut self, seed: impl Into<Option<u64>>) -> Self {
        let setting = &mut self.setting;
        setting.seed = seed.into().unwrap_or(setting.seed);
        self
    }

    /// Spares the rest of the machine, for a survey that is made again and again: no clock is read
    /// cold, no process is started, and the order of reads is not tested. CPUs are compared for
    /// some milliseconds, however short the time is.
    #[must_use]
    pub fn gentle(mut self) -> Self {
        self.setting.gentle = true;
        self
    }

    /// Sets the interrupt that ends the run early. The report then holds the results so far.
    #[must_use]
    pub fn interrupt(mut self, interrupt: &Interrupt) -> Self {
        self.setting.interrupt = interrupt.clone();
        self
    }

    /// Reports progress to this function, which must be quick: it is called while nothing is timed,
    /// but it can disturb the measurements that follow.
    #[must_use]
    pub fn progress(mut self, progress: impl FnMut(Progress) + 'a) -> Self {
        self.setting.progress = Box::new(progress);
        self
    }

    /// Passes the current report to this function about once per second, if waits are measured or
    /// clocks are watched.
    #[must_use]
    pub fn checkpoint(mut self, keep: impl FnMut(&Report) + 'a) -> Self {
        self.setting.checkpoint = Some(Box::new(keep));
        self
    }

    /// Runs the survey.
    ///
    /// # Errors
    /// The program was not prepared by [`start_up`](crate::start_up()); what was asked for is
    /// impossible here; nothing could be measured.
    pub fn run(self) -> Result<Report, Error> {
        check_started()?;
        let (judge, began) = (self.judge, Instant::now());
        let children = if self.setting.gentle { None } else { children() };
        let mut setting = Setting { began, children, ..self.setting };
        let keep = setting.checkpoint.take().map(|keep| Rc::new(RefCell::new(keep)));
        if let Some(keep) = keep.clone() {
            setting.checkpoint = Some(Box::new(move |report| match report.waits_plan {
                // A run of waits completes its states itself. Judging them would disturb the run.
                Some(_) => give(&keep, report),
                None => give(&keep, &unfinished(report, began, judge)),
            }));
        }
        let root = (self.root)();
        let before = machine::state(&root);
        let mut report = begin_run(setting.seed, &root);
        report.run.screen = self.screen;
        report.spec = self.spec.map(|spec| *spec);
        self.measurement.measure(&mut setting, &mut report)?;
        end_run(&mut report, began, &setting.interrupt);
        let after = machine::state(&(self.root)());
        report.run.changed = change::between(&before, &after);
        let distances = |state: &Environment| state.keeping.as_ref()?.distances;
        report.run.moved =
            distances(&before).zip(distances(&after)).map(|(before, after)| before.moved(&after));
        if let (Some(before), Some(after)) = (before.cpu_quota, after.cpu_quota) {
            let periods = after.throttled_periods.saturating_sub(before.throttled_periods);
            report.environment.cpu_quota = Some(CpuQuota { run_periods: Some(periods), ..after });
        }
        judge(&mut report);
        if let Some(keep) = keep {
            give(&keep, &report);
        }
        Ok(report)
    }
}

/// Returns a state that is worth keeping, as a report of its own.
fn unfinished(report: &Report, began: Instant, judge: fn(&mut Report)) -> Report {
    let mut report = report.clone();
    end_run(&mut report, began, &Interrupt::default());
    report.run.complete = false;
    judge(&mut report);
    report
}

fn give(keep: &RefCell<Checkpoint>, report: &Report) {
    if let Ok(mut keep) = keep.try_borrow_mut() {
        keep(report);
    }
}

/// Returns a report that describes the machine behind `root`, without any measurements.
pub(crate) fn begin_run(seed: u64, root: &Root) -> Report {
    Report {
        schema: SCHEMA.into(),
        run: Run {
            id: format!("{:016x}", fastrand::u64(..)),
            started: jiff::Timestamp::now().to_string(),
            argv: std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
            tool_version: env!("CARGO_PKG_VERSION").into(),
            compilers: chronoscope_probes::compilers(),
            order_seed: seed,
            ..Run::default()
        },
        environment: machine::environment(root),
        ..Report::default()
    }
}

/// Records the end of a run that began at `began`.
pub(crate) fn end_run(report: &mut Report, began: Instant, interrupt: &Interrupt) {
    report.run.finished = jiff::Timestamp::now().to_string();
    report.run.seconds = began.elapsed().as_secs_f64();
    report.run.complete = !interrupt.is_set();
    if report.run.quick {
        return;
    }
    // The log now contains what happened during the run.
    let log = machine::kernel_log(&Root::host());
    if !log.is_empty() {
        report.environment.kernel_log = log;
    }
}

/// The argument that makes the program a child that reads one clock. The clock's id and the ruler's
/// name follow it.
const CHILD: &str = "--chronoscope-reads";

static STARTED: AtomicBool = AtomicBool::new(false);

/// Prepares this program for surveys. Call it first in `main`, before any thread is started and any
/// clock is read.
///
/// Some measurements start the program again: for the first read of a clock in a new process, and
/// for load on Windows. In such a child, this function does the child's work and ends the process.
///
/// On Linux it also blocks SIGCONT and SIGXFSZ for this thread and those it starts. Without that, a
/// process that was stopped looks like a wait that ended very late, and a file size limit kills the
/// process. SIGCONT still continues a stopped process.
pub fn start_up() {
    let requested = as_child().or_else(load::requested).or_else(source_switch::requested);
    if let Some(code) = requested.or_else(loop_addresses::requested) {
        std::process::exit(code);
    }
    os::hold_signals();
    STARTED.store(true, Ordering::Relaxed);
}

/// Whether this process may read its clocks: a process that may not read the TSC
/// (`PR_SET_TSC`) is killed when it reads the time through the vDSO.
///
/// # Errors
/// The process may not read its clocks.
pub fn may_measure() -> Result<(), Error> {
    if tsc_permitted() == Some(false) {
        return Err(Error::Nothing(
            "this process may not read the TSC (PR_SET_TSC), which the system's own clocks also \
             read: start it without that restriction"
                .into(),
        ));
    }
    Ok(())
}

/// Whether this program is prepared.
pub(crate) fn check_started() -> Result<(), Error> {
    if STARTED.load(Ordering::Relaxed) { may_measure() } else { Err(Error::NotStarted) }
}

/// How to start this program as a child that reads a clock; `None` if it cannot find itself.
fn children() -> Option<Children> {
    Some(Children { program: std::env::current_exe().ok()?, args: vec![OsString::from(CHILD)] })
}

/// Does the work of a child that reads a clock, and returns its exit code; `None` if this process
/// is not one.
fn as_child() -> Option<i32> {
    // An argument that is not Unicode is not one of these arguments.
    let mut args = std::env::args_os().skip(1).map_while(|arg| arg.into_string().ok());
    if args.next()? != CHILD {
        return None;
    }
    let (id, ruler) = (args.next()?, args.next()?);
    let served = serve(&id, &ruler, io::stdin().lock(), io::stdout().lock());
    Some(if served.is_ok() { 0 } else { 3 })
}

/// Why there is no report.
#[derive(Debug)]
pub enum Error {
    /// [`start_up`](crate::start_up) was not called.
    NotStarted,
    /// An id does not exist. The text is one line with the most similar ids.
    Unknown(String),
    /// What was asked for is impossible here, or contradicts itself. The text is one line with the
    /// reason.
    Invalid(String),
    /// Nothing could be measured. The text is one line with the reason.
    Nothing(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted => f.write_str(
                "this program starts itself to measure: call chronoscope_survey::start_up() first \
                 in main",
            ),
            Self::Unknown(why) | Self::Invalid(why) | Self::Nothing(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Error {}

impl From<measurement::Error> for Error {
    fn from(error: measurement::Error) -> Self {
        match error {
            measurement::Error::Invalid(why) => Self::Invalid(why),
            measurement::Error::Nothing(why) => Self::Nothing(why),
        }
    }
}
