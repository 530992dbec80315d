//! What the sleeps of an event loop need besides Python: the margin, the timer and the last
//! microseconds. `_asyncio.py` has the rest.

use std::time::Duration;

use chronoscope::Clock;
use chronoscope::wait::{Effort, Margin};
use pyo3::prelude::*;

use crate::{Instant, Waited};

/// What a wait may spin on average. It is less than the 14 us of a thread's wait, because the turns
/// that a wait takes before its end cost time of their own, and enough for 20 us at the 90th
/// percentile (docs/asyncio.md).
const BUDGET: Duration = Duration::from_micros(10);

/// A turn of the loop takes this long or longer, so the rest of a wait is spun without one.
const LAST: Duration = Duration::from_micros(10);

/// After a wake, no more than this is left of a wait, unless its clock and the timer's differ.
const LEFT: Duration = Duration::from_millis(1);

/// The timer and the margin of one loop.
#[pyclass(module = "chronoscope_clock._native")]
pub struct Alarm {
    margin: Margin,
    timer: Option<timer::Timer>,
}

#[pymethods]
impl Alarm {
    #[new]
    fn new() -> Self {
        let mut margin = Margin::new(Effort::Balanced);
        margin.set_budget(BUDGET);
        Self { margin, timer: timer::Timer::new() }
    }

    /// What becomes readable when the timer expires, if the system has such timers.
    fn fileno(&self) -> Option<i32> {
        self.timer.as_ref().map(timer::Timer::number)
    }

    /// A wait that begins now.
    fn begin(&mut self, deadline: &Instant) -> Pause {
        let begin = chronoscope::Instant::now();
        let mut pause = Pause { begin, deadline: deadline.0, sleep: None, slept_ns: 0, wakes: 0 };
        self.plan(&mut pause, begin);
        pause
    }

    /// The sleep of a wait has ended. Learns from it, and returns when the next one ends.
    fn woke(&mut self, pause: &mut Pause) -> Option<u64> {
        let sleep = pause.sleep.take()?;
        let late = Duration::from_nanos(monotonic().saturating_sub(sleep.wake));
        self.margin.woke(sleep.wait, late);
        pause.slept_ns += nanos(sleep.time + late);
        pause.wakes += 1;
        let now = chronoscope::Instant::now();
        if pause.deadline.saturating_duration_since(now) >= LEFT {
            self.plan(pause, now);
        }
        pause.wake()
    }

    /// Sets the timer to a time of the monotonic clock, or disarms it. It is not readable then.
    fn set(&self, wake: Option<u64>) {
        if let Some(timer) = &self.timer {
            timer.set(wake.unwrap_or(0));
        }
    }
}

impl Alarm {
    fn plan(&mut self, pause: &mut Pause, now: chronoscope::Instant) {
        let wait = pause.deadline.saturating_duration_since(now);
        pause.sleep = self.margin.sleep(wait).map(|time| Sleep {
            wait,
            time,
            wake: monotonic().saturating_add(nanos(time)),
        });
    }
}

/// A sleep of `time` in a wait of `wait`, until the monotonic clock is at `wake`.
struct Sleep {
    wait: Duration,
    time: Duration,
    wake: u64,
}

/// A wait of a task.
#[pyclass(module = "chronoscope_clock._native")]
pub struct Pause {
    begin: chronoscope::Instant,
    deadline: chronoscope::Instant,
    sleep: Option<Sleep>,
    slept_ns: u64,
    wakes: u32,
}

#[pymethods]
impl Pause {
    /// When to wake it by the monotonic clock, in nanoseconds; `None` if it should not sleep.
    #[getter]
    fn wake(&self) -> Option<u64> {
        self.sleep.as_ref().map(|sleep| sleep.wake)
    }

    /// The seconds until then. A loop's own clock may count from another time, or in coarse steps.
    fn rest(&self) -> f64 {
        let wake = self.sleep.as_ref().map_or(0, |sleep| sleep.wake);
        wake.saturating_sub(monotonic()) as f64 / 1e9
    }

    /// Whether another turn of the loop would end after the deadline.
    fn near(&self) -> bool {
        self.deadline.saturating_duration_since(chronoscope::Instant::now()) <= LAST
    }

    /// Spins for the rest. Whoever gave up the interpreter's lock here might get it back late.
    fn finish(&self) -> Waited {
        let mut waited = Waited::from(chronoscope::wait::sleep_until(self.deadline));
        waited.slept_ns += self.slept_ns;
        waited.wakes += self.wakes;
        waited.spun_ns = self.begin.elapsed_ns().saturating_sub(waited.slept_ns);
        waited
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(target_os = "linux")]
mod timer {
    use std::os::fd::{AsRawFd, OwnedFd};

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };

    pub struct Timer(OwnedFd);

    impl Timer {
        pub fn new() -> Option<Self> {
            let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
            timerfd_create(TimerfdClockId::Monotonic, flags).ok().map(Self)
        }

        pub fn number(&self) -> i32 {
            self.0.as_raw_fd()
        }

        /// Setting it also takes back that it has expired, so nothing is ever read.
        pub fn set(&self, wake: u64) {
            let time = |ns: u64| Timespec {
                tv_sec: (ns / 1_000_000_000).try_into().unwrap_or(i64::MAX),
                tv_nsec: (ns % 1_000_000_000) as _,
            };
            let once = Itimerspec { it_interval: time(0), it_value: time(wake) };
            // The descriptor and the time are valid, so it cannot fail.
            let _ = timerfd_settime(&self.0, TimerfdTimerFlags::ABSTIME, &once);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod timer {
    /// No system but Linux has it.
    pub enum Timer {}

    impl Timer {
        pub fn new() -> Option<Self> {
            None
        }

        pub fn number(&self) -> i32 {
            match *self {}
        }

        pub fn set(&self, _wake: u64) {
            match *self {}
        }
    }
}

/// The monotonic clock of the system, in nanoseconds.
fn monotonic() -> u64 {
    use chronoscope::machine::Machine;
    Clock::global().machine().monotonic()
}
