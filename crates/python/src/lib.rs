//! The native part of the Python module `chronoscope_clock`: the library's clock and its wait.
//! `python/chronoscope_clock/_native.pyi` says what each item does.

mod event_loop;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chronoscope::wait::{Due, Grid};
use chronoscope::wall::BoundBy;
use chronoscope::witness::{Disturbance, Level};
use chronoscope::{Clock, Ticks};
use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// A longer wait looks for signals while it sleeps, this often, so that Ctrl-C ends it.
const PATIENCE: Duration = Duration::from_millis(50);

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<event_loop::Alarm>()?;
    module.add_class::<event_loop::Pause>()?;
    module.add_class::<Bounded>()?;
    module.add_class::<Instant>()?;
    module.add_class::<Stopwatch>()?;
    module.add_class::<Tick>()?;
    module.add_class::<Ticker>()?;
    module.add_class::<Timer>()?;
    module.add_class::<Waited>()?;
    module.add_class::<Verdict>()?;
    module.add_class::<Wall>()?;
    module.add_class::<WallInterval>()?;
    module.add_class::<Witness>()?;
    module.add_function(wrap_pyfunction!(source, module)?)?;
    module.add_function(wrap_pyfunction!(wait, module)?)?;
    module.add_function(wrap_pyfunction!(wait_until, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}

fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds).map_err(|_| match seconds > 0.0 {
        true => beyond(seconds),
        false => PyValueError::new_err(format!("{} is not a duration in seconds", number(seconds))),
    })
}

fn beyond(seconds: f64) -> PyErr {
    PyOverflowError::new_err(format!("{} s is beyond what the clock counts", number(seconds)))
}

/// Without an exponent, unless the digits would fill the line.
fn number(value: f64) -> String {
    if value.abs() < 1e16 { format!("{value}") } else { format!("{value:e}") }
}

/// As Python writes it.
fn truth(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// Python's `time` counts in seconds.
fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

#[pyfunction]
fn source() -> &'static str {
    Clock::global().describe().name
}

#[pyfunction]
fn wait(py: Python<'_>, seconds: f64) -> PyResult<Waited> {
    let time = duration(seconds)?;
    if time < 2 * PATIENCE {
        return Ok(py.detach(|| chronoscope::wait::sleep(time)).into());
    }
    until(py, Instant::now().__add__(seconds)?.0)
}

#[pyfunction]
fn wait_until(py: Python<'_>, deadline: &Instant) -> PyResult<Waited> {
    until(py, deadline.0)
}

fn until(py: Python<'_>, deadline: chronoscope::Instant) -> PyResult<Waited> {
    let now = chronoscope::Instant::now;
    let (mut slept_ns, mut wakes) = (0, 0);
    while deadline.saturating_duration_since(now()) >= 2 * PATIENCE {
        slept_ns += py.detach(|| {
            let begin = now();
            std::thread::sleep(PATIENCE);
            begin.elapsed_ns()
        });
        wakes += 1;
        py.check_signals()?;
    }
    let mut waited = Waited::from(py.detach(|| chronoscope::wait::sleep_until(deadline)));
    waited.slept_ns += slept_ns;
    waited.wakes += wakes;
    Ok(waited)
}

#[pyclass(frozen, get_all, module = "chronoscope_clock")]
struct Waited {
    late_ns: u64,
    slept_ns: u64,
    spun_ns: u64,
    wakes: u32,
    preempted: u32,
    cause: Option<String>,
}

impl From<chronoscope::wait::Waited> for Waited {
    fn from(it: chronoscope::wait::Waited) -> Self {
        let chronoscope::wait::Waited { late_ns, slept_ns, spun_ns, wakes, preempted, .. } = it;
        let cause = it.cause.map(|cause| format!("{cause:?}").to_lowercase());
        Self { late_ns, slept_ns, spun_ns, wakes, preempted, cause }
    }
}

#[pymethods]
impl Waited {
    fn __repr__(&self) -> String {
        let Self { late_ns, slept_ns, spun_ns, wakes, preempted, cause } = self;
        let cause = cause.as_ref().map_or("None".into(), |cause| format!("'{cause}'"));
        format!(
            "Waited(late_ns={late_ns}, slept_ns={slept_ns}, spun_ns={spun_ns}, wakes={wakes}, \
             preempted={preempted}, cause={cause})"
        )
    }
}

#[pyclass(frozen, get_all, module = "chronoscope_clock")]
#[derive(Clone)]
struct Bounded {
    ns: u64,
    bound_ns: u64,
    disturbed: bool,
    unchecked_ns: u64,
    clock: &'static str,
}

impl From<chronoscope::Bounded> for Bounded {
    fn from(it: chronoscope::Bounded) -> Self {
        let chronoscope::Bounded { ns, bound_ns, disturbed, unchecked_ns, clock, .. } = it;
        Self { ns, bound_ns, disturbed, unchecked_ns, clock }
    }
}

#[pymethods]
impl Bounded {
    fn __repr__(&self) -> String {
        let Self { ns, bound_ns, disturbed, unchecked_ns, clock } = self;
        let disturbed = truth(*disturbed);
        format!(
            "Bounded(ns={ns}, bound_ns={bound_ns}, disturbed={disturbed}, \
             unchecked_ns={unchecked_ns}, clock='{clock}')"
        )
    }
}

#[pyclass(frozen, eq, ord, hash, module = "chronoscope_clock")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Instant(chronoscope::Instant);

#[pymethods]
impl Instant {
    /// In order, because threads may compare moments.
    #[staticmethod]
    fn now() -> Self {
        Self(chronoscope::Instant::now_ordered())
    }

    fn elapsed(&self) -> f64 {
        seconds(self.elapsed_ns())
    }

    fn elapsed_ns(&self) -> u64 {
        self.0.elapsed_ns()
    }

    fn elapsed_bounded(&self) -> Bounded {
        self.0.elapsed_bounded().into()
    }

    fn ns_since(&self, earlier: &Self) -> i128 {
        let [ours, theirs] = [self.0, earlier.0];
        i128::from(ours.ns_since(theirs)) - i128::from(theirs.ns_since(ours))
    }

    fn __add__(&self, seconds: f64) -> PyResult<Self> {
        let sum = self.0.checked_add(duration(seconds)?);
        sum.map(Self).ok_or_else(|| beyond(seconds))
    }

    fn __sub__(&self, earlier: &Self) -> f64 {
        self.ns_since(earlier) as f64 / 1e9
    }

    fn __repr__(&self) -> String {
        format!("<Instant at {} ticks of {}>", self.0.ticks(), source())
    }
}

#[pyclass(module = "chronoscope_clock")]
struct Stopwatch(chronoscope::Instant);

#[pymethods]
impl Stopwatch {
    #[new]
    fn new() -> Self {
        Self(chronoscope::Instant::now())
    }

    fn start(&mut self) {
        self.0 = chronoscope::Instant::now();
    }

    fn elapsed(&self) -> f64 {
        seconds(self.elapsed_ns())
    }

    fn elapsed_ns(&self) -> u64 {
        self.0.elapsed_ns()
    }

    fn elapsed_bounded(&self) -> Bounded {
        self.0.elapsed_bounded().into()
    }

    fn lap_ns(&mut self) -> u64 {
        let now = chronoscope::Instant::now();
        let before = std::mem::replace(&mut self.0, now);
        now.ns_since(before)
    }

    fn __repr__(&self) -> String {
        format!("<Stopwatch: {} ns>", self.elapsed_ns())
    }
}

#[pyclass(name = "timer", module = "chronoscope_clock")]
struct Timer {
    begin: chronoscope::Instant,
    wants_bound: bool,
    ended: Option<(u64, Option<Bounded>)>,
}

#[pymethods]
impl Timer {
    #[new]
    #[pyo3(signature = (*, bounded = false))]
    fn new(bounded: bool) -> Self {
        Self { begin: chronoscope::Instant::now(), wants_bound: bounded, ended: None }
    }

    fn __enter__(mut slf: PyRefMut<'_, Self>) -> PyRefMut<'_, Self> {
        slf.ended = None;
        slf.begin = chronoscope::Instant::now();
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&mut self, _error: &Bound<'_, pyo3::types::PyTuple>) {
        let bounded = self.wants_bound.then(|| Bounded::from(self.begin.elapsed_bounded()));
        let ns = bounded.as_ref().map_or_else(|| self.begin.elapsed_ns(), |it| it.ns);
        self.ended = Some((ns, bounded));
    }

    #[getter]
    fn ns(&self) -> u64 {
        self.ended.as_ref().map_or_else(|| self.begin.elapsed_ns(), |(ns, _)| *ns)
    }

    #[getter]
    fn seconds(&self) -> f64 {
        seconds(self.ns())
    }

    #[getter]
    fn bounded(&self) -> Option<Bounded> {
        self.ended.as_ref()?.1.clone()
    }

    fn __repr__(&self) -> String {
        format!("<timer: {} ns>", self.ns())
    }
}

#[pyclass(frozen, get_all, module = "chronoscope_clock")]
struct Tick {
    number: u64,
    missed: u64,
    late_ns: u64,
}

#[pymethods]
impl Tick {
    fn __repr__(&self) -> String {
        let Self { number, missed, late_ns } = self;
        format!("Tick(number={number}, missed={missed}, late_ns={late_ns})")
    }
}

#[pyclass(module = "chronoscope_clock")]
struct Ticker {
    period: f64,
    grid: Grid,
    /// The point that an interrupted wait was for.
    due: Option<Due>,
}

#[pymethods]
impl Ticker {
    #[new]
    fn new(period: f64) -> PyResult<Self> {
        let time = duration(period)?;
        let grid = Grid::new(time, Clock::global().now());
        let none = || PyValueError::new_err("a period of zero has no ticks");
        let grid = grid.map_err(|_| if time.is_zero() { none() } else { beyond(period) })?;
        Ok(Self { period, grid, due: None })
    }

    fn tick(slf: &Bound<'_, Self>) -> PyResult<Tick> {
        let waiting = |_| PyRuntimeError::new_err("this Ticker is already being waited for");
        let mut ticker = slf.try_borrow_mut().map_err(waiting)?;
        let waited = until(slf.py(), ticker._due().0)?;
        Ok(ticker._reached(waited.late_ns))
    }

    /// The next point, or the one that an interrupted wait was for.
    fn _due(&mut self) -> Instant {
        let Ticks(ticks) = self.next().ticks;
        Instant(chronoscope::Instant::from_ticks(ticks))
    }

    /// That point was reached so late.
    fn _reached(&mut self, late_ns: u64) -> Tick {
        let due = self.next();
        self.due = None;
        let clock = Clock::global();
        self.grid.reached(clock.now(), clock);
        Tick { number: due.number, missed: due.missed, late_ns }
    }

    fn __repr__(&self) -> String {
        format!("Ticker({:?})", self.period)
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(slf: &Bound<'_, Self>) -> PyResult<Tick> {
        Self::tick(slf)
    }

    fn __aiter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    /// A coroutine.
    fn __anext__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("chronoscope_clock._asyncio")?;
        module.getattr("tick")?.call1((slf,))
    }
}

impl Ticker {
    fn next(&mut self) -> Due {
        *self.due.get_or_insert_with(|| self.grid.next_due(Clock::global()))
    }
}

#[pyclass(frozen, module = "chronoscope_clock")]
struct Wall;

#[pymethods]
impl Wall {
    #[staticmethod]
    fn now_ns() -> u64 {
        chronoscope::Wall::now()
    }

    #[staticmethod]
    fn bound_by(by: &str, path: std::path::PathBuf) -> PyResult<()> {
        let by = match by {
            "clockbound" => BoundBy::ClockBound(&path),
            "vmclock" => BoundBy::VmClock(&path),
            _ => {
                let error = format!("'{by}' is none of 'clockbound', 'vmclock'");
                return Err(PyValueError::new_err(error));
            }
        };
        Ok(chronoscope::Wall::bound_by(by)?)
    }

    #[staticmethod]
    fn now_bounded() -> WallInterval {
        chronoscope::Wall::now_bounded().into()
    }

    #[staticmethod]
    fn now_checked() -> WallInterval {
        chronoscope::Wall::now_checked().into()
    }
}

#[pyclass(frozen, get_all, module = "chronoscope_clock")]
struct WallInterval {
    earliest: u64,
    now: u64,
    latest: u64,
    tracking: u64,
    kernel: Option<u64>,
    age: u64,
    state: &'static str,
}

impl From<chronoscope::WallInterval> for WallInterval {
    fn from(it: chronoscope::WallInterval) -> Self {
        let chronoscope::WallInterval { earliest, now, latest, tracking, kernel, age, .. } = it;
        Self { earliest, now, latest, tracking, kernel, age, state: it.state.name() }
    }
}

#[pymethods]
impl WallInterval {
    fn __repr__(&self) -> String {
        let Self { earliest, now, latest, tracking, kernel, age, state } = self;
        let kernel = kernel.map_or("None".into(), |ns| ns.to_string());
        format!(
            "WallInterval(earliest={earliest}, now={now}, latest={latest}, tracking={tracking}, \
             kernel={kernel}, age={age}, state='{state}')"
        )
    }
}

#[pyclass(frozen, get_all, module = "chronoscope_clock")]
#[derive(Clone)]
struct Verdict {
    clean: Option<bool>,
    found: Vec<&'static str>,
    unknown: Vec<&'static str>,
    taken_ns: Option<u64>,
    text: String,
}

#[pymethods]
impl Verdict {
    fn __str__(&self) -> String {
        self.text.clone()
    }

    fn __repr__(&self) -> String {
        format!("<Verdict: {}>", self.text)
    }
}

impl From<chronoscope::witness::Verdict> for Verdict {
    fn from(it: chronoscope::witness::Verdict) -> Self {
        let named = |bits: u8| {
            let all = Disturbance::ALL.into_iter().enumerate();
            all.filter(|(nth, _)| bits >> nth & 1 != 0).map(|(_, what)| what.name()).collect()
        };
        Self {
            clean: it.is_clean(),
            found: named(it.found_bits()),
            unknown: named(it.unknown_bits()),
            taken_ns: it.taken_ns(),
            text: it.to_string(),
        }
    }
}

thread_local! {
    /// The witnesses of this thread, by number. One that is dropped elsewhere ends with the thread.
    static OWN: RefCell<BTreeMap<u64, chronoscope::witness::Witness>> = RefCell::default();
}

/// The marks are those of one thread, so it is used in no other.
#[pyclass(module = "chronoscope_clock")]
struct Witness {
    number: u64,
    level: &'static str,
    verdict: Option<Verdict>,
}

impl Witness {
    fn own<T>(&self, use_it: impl FnOnce(&mut chronoscope::witness::Witness) -> T) -> PyResult<T> {
        let used = OWN.with_borrow_mut(|own| own.get_mut(&self.number).map(use_it));
        used.ok_or_else(|| PyRuntimeError::new_err("this Witness belongs to another thread"))
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        let _ = OWN.try_with(|own| own.borrow_mut().remove(&self.number));
    }
}

#[pymethods]
impl Witness {
    #[new]
    #[pyo3(signature = (level = "marks"))]
    fn new(level: &str) -> PyResult<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let levels =
            [("marks", Level::Marks), ("entries", Level::Entries), ("gauges", Level::Gauges)];
        let Some((name, level)) = levels.into_iter().find(|(name, _)| *name == level) else {
            let error = format!("'{level}' is none of 'marks', 'entries', 'gauges'");
            return Err(PyValueError::new_err(error));
        };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let witness = chronoscope::witness::Witness::new(level);
        OWN.with_borrow_mut(|own| own.insert(number, witness));
        Ok(Self { number, level: name, verdict: None })
    }

    fn begin(&self) -> PyResult<()> {
        self.own(chronoscope::witness::Witness::begin)
    }

    fn end(&self) -> PyResult<Verdict> {
        self.own(|witness| witness.end().into())
    }

    #[getter]
    fn verdict(&self) -> Option<Verdict> {
        self.verdict.clone()
    }

    fn __enter__(mut slf: PyRefMut<'_, Self>) -> PyResult<PyRefMut<'_, Self>> {
        slf.verdict = None;
        slf.begin()?;
        Ok(slf)
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&mut self, _error: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.verdict = Some(self.end()?);
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("Witness('{}')", self.level)
    }
}
