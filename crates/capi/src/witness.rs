//! Whether a measured piece ran undisturbed.

use chronoscope::witness::{Level, Verdict, Witness};

use crate::border::{guarded, hand_out, own, put, take_back};
use crate::status::{CHRONOSCOPE_INVALID, chronoscope_status};

/// Look whether the thread lost its CPU, was moved or handled a signal: a few nanoseconds.
pub const CHRONOSCOPE_MARKS: u32 = 0;
/// Look for interrupts and faults, too.
pub const CHRONOSCOPE_ENTRIES: u32 = 1;
/// Look also whether the core was shared or changed its frequency, and how long the thread did not
/// run: microseconds.
pub const CHRONOSCOPE_GAUGES: u32 = 2;

/// The thread lost its CPU, because it waited, another one ran or it was moved, or it handled a
/// signal.
pub const CHRONOSCOPE_PREEMPTED: u32 = 1;
/// The thread ended on another CPU than it began on.
pub const CHRONOSCOPE_MOVED: u32 = 2;
/// An interrupt or a fault entered the kernel.
pub const CHRONOSCOPE_INTERRUPTED_BY_KERNEL: u32 = 4;
/// Something else used the core's execution units, just before or just after.
pub const CHRONOSCOPE_CORE_SHARED: u32 = 8;
/// The core's frequency changed.
pub const CHRONOSCOPE_FREQUENCY_CHANGED: u32 = 16;
/// Time passed that neither the kernel nor another thread took: the hypervisor did, and said so.
pub const CHRONOSCOPE_GAP_BELOW_KERNEL: u32 = 32;

/// What happened during a measured piece. It was clean if both sets are empty.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct chronoscope_verdict {
    /// What happened: a set of the numbers above.
    pub found: u32,
    /// What was looked for and cannot be seen here: a set of the same numbers.
    pub unknown: u32,
    /// For how long the thread did not run, in nanoseconds, to about a microsecond; only with
    /// `CHRONOSCOPE_GAUGES`, otherwise zero.
    pub taken_ns: u64,
}

impl From<Verdict> for chronoscope_verdict {
    fn from(verdict: Verdict) -> Self {
        Self {
            found: verdict.found_bits().into(),
            unknown: verdict.unknown_bits().into(),
            taken_ns: verdict.taken_ns().unwrap_or(0),
        }
    }
}

/// Watches over the pieces that one thread measures, from which it must not be moved to another.
/// A piece within a piece makes the outer one count as preempted.
pub struct chronoscope_witness(Witness);

/// Makes a witness for pieces of this thread, which looks for `CHRONOSCOPE_MARKS`,
/// `CHRONOSCOPE_ENTRIES` or `CHRONOSCOPE_GAUGES`. Free it with `chronoscope_witness_free`. Returns
/// `CHRONOSCOPE_INVALID` for another number.
///
/// # Safety
/// `witness` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_witness_new(
    level: u32,
    witness: *mut *mut chronoscope_witness,
) -> chronoscope_status {
    guarded(|| {
        let make = || match level {
            CHRONOSCOPE_MARKS => Ok(Level::Marks),
            CHRONOSCOPE_ENTRIES => Ok(Level::Entries),
            CHRONOSCOPE_GAUGES => Ok(Level::Gauges),
            _ => Err(CHRONOSCOPE_INVALID),
        };
        // SAFETY: guaranteed by the caller.
        unsafe { hand_out(witness, || Ok(chronoscope_witness(Witness::new(make()?)))) }
    })
}

/// A piece begins. Does nothing for null.
///
/// # Safety
/// `witness` is null, or came from `chronoscope_witness_new` in this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_witness_begin(witness: *mut chronoscope_witness) {
    // SAFETY: guaranteed by the caller.
    if let Ok(witness) = unsafe { own(witness) } {
        witness.0.begin();
    }
}

/// The piece ends. Everything is unknown if none has begun.
///
/// # Safety
/// `witness` is null (`CHRONOSCOPE_NULL`), or came from `chronoscope_witness_new` in this thread;
/// `verdict` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_witness_end(
    witness: *mut chronoscope_witness,
    verdict: *mut chronoscope_verdict,
) -> chronoscope_status {
    // SAFETY: guaranteed by the caller.
    let ended = unsafe { own(witness) }.map(|witness| witness.0.end());
    // SAFETY: as above.
    match ended.and_then(|ended| unsafe { put(verdict, ended.into()) }) {
        Ok(()) => crate::status::CHRONOSCOPE_OK,
        Err(status) => status,
    }
}

/// Frees a witness; does nothing for null.
///
/// # Safety
/// `witness` is null, or came from `chronoscope_witness_new` in this thread and is not used any
/// more.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_witness_free(witness: *mut chronoscope_witness) {
    // SAFETY: guaranteed by the caller.
    unsafe { take_back(witness) };
}
