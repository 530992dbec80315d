//! Windows: how long the thread ran, from its cycles. Its context switches and what interrupted it
//! are only in event traces (ETW), which need an administrator.

pub use super::unseen::{
    Record, Scan, has_slack, hidden, is_first_namespace, read_task, tasks_of, this_thread, times,
};
use super::{Missing, Seen, Task};
use crate::waits::os as system;
use std::hint::spin_loop;
use windows_sys::Win32::System::Threading::GetCurrentThread;
use windows_sys::Win32::System::WindowsProgramming::QueryThreadCycleTime;

#[derive(Debug)]
pub(super) struct Sources {
    /// Nanoseconds per cycle of the thread's cycle count; `None` if there is no such count.
    scale: Option<f64>,
}

/// The cycles that this thread has run for, by the processor's counter. Windows promises no rate,
/// so the rate is measured.
fn cycles() -> Option<u64> {
    let mut cycles = 0;
    // SAFETY: the pseudo handle is always valid, and `cycles` is a valid place for the result.
    let done = unsafe { QueryThreadCycleTime(GetCurrentThread(), &raw mut cycles) };
    (done != 0 && cycles > 0).then_some(cycles)
}

/// Nanoseconds per cycle: the least of a few spins, because an interruption only adds time.
fn scale() -> Option<f64> {
    const SPINS: usize = 8;
    const SPIN_NS: u64 = 250_000;
    let spin = |_| {
        let (began, from) = (system::monotonic(), cycles()?);
        for _ in 0..10_000_000 {
            if system::monotonic().wrapping_sub(began) >= SPIN_NS {
                break;
            }
            spin_loop();
        }
        let ran = cycles()?.checked_sub(from).filter(|ran| *ran > 0)?;
        Some(system::monotonic().wrapping_sub(began) as f64 / ran as f64)
    };
    (0..SPINS).filter_map(spin).min_by(f64::total_cmp)
}

impl Sources {
    pub(super) fn open() -> (Self, Vec<Missing>) {
        let mut missing = vec![Missing {
            id: "switches",
            loses: "timer, idle exit and run queue",
            reason: "Windows records context switches in event traces only, which need an \
                     administrator (ETW, CSwitch)"
                .into(),
        }];
        let scale = scale();
        if scale.is_none() {
            missing.push(Missing {
                id: "thread-cycles",
                loses: "other threads and interrupts in a spin",
                reason: "QueryThreadCycleTime reports nothing".into(),
            });
        }
        (Self { scale }, missing)
    }

    pub(super) fn of(_: Task) -> Result<Self, String> {
        Err("this system reports nothing about threads of other processes".into())
    }

    pub(super) fn look(&mut self, _: bool) -> Seen<'_> {
        Seen::default()
    }

    pub(super) fn ran(&self) -> Option<u64> {
        Some((cycles()? as f64 * self.scale?) as u64)
    }
}
