//! Ticks on an absolute grid, which lateness does not shift.

use std::time::Duration;

use chronoscope::wait::{Ticker, Waiter};

use crate::border::{guarded, hand_out, offer, own, take_back};
use crate::cancel;
use crate::status::{CHRONOSCOPE_INVALID, chronoscope_status};
use crate::wait::{chronoscope_waited, effort};

/// One tick of a ticker.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct chronoscope_tick {
    /// The number of this point of the grid; the first is 1.
    pub number: u64,
    /// Points of the grid that had passed since the last call and were skipped.
    pub missed: u64,
    /// What happened during the wait.
    pub waited: chronoscope_waited,
}

/// Returns at every point of a grid, however late one of them was. One thread at a time may use it.
pub struct chronoscope_ticker(Ticker<'static>);

/// Makes a ticker whose grid begins now, with waits of the given effort (see
/// `chronoscope_waiter_new`). Free it with `chronoscope_ticker_free`. Returns `CHRONOSCOPE_INVALID`
/// for a period of zero.
///
/// # Safety
/// `ticker` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_ticker_new(
    period_ns: u64,
    effort: u32,
    ticker: *mut *mut chronoscope_ticker,
) -> chronoscope_status {
    guarded(|| {
        let make = || {
            let waiter = Waiter::new(self::effort(effort)?);
            let made = Ticker::with(waiter, Duration::from_nanos(period_ns));
            made.map(chronoscope_ticker).map_err(|_| CHRONOSCOPE_INVALID)
        };
        // SAFETY: guaranteed by the caller.
        unsafe { hand_out(ticker, make) }
    })
}

/// Waits for the next point of the grid that has not passed. If the thread is cancelled, it ends
/// after that.
///
/// # Safety
/// `ticker` is null (`CHRONOSCOPE_NULL`), or came from `chronoscope_ticker_new` and is used only by
/// this thread; `tick` is null if the result is not wanted, or points to memory for it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_ticker_tick(
    ticker: *mut chronoscope_ticker,
    tick: *mut chronoscope_tick,
) -> chronoscope_status {
    let status = guarded(|| {
        // SAFETY: guaranteed by the caller.
        let found = unsafe { own(ticker) }?.0.tick();
        let answer = chronoscope_tick {
            number: found.number,
            missed: found.missed,
            waited: chronoscope_waited::after_pause(0, found.waited),
        };
        // SAFETY: guaranteed by the caller.
        unsafe { offer(tick, answer) };
        Ok(())
    });
    cancel::cancel_if_asked();
    status
}

/// Frees a ticker; does nothing for null.
///
/// # Safety
/// `ticker` is null, or came from `chronoscope_ticker_new` and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_ticker_free(ticker: *mut chronoscope_ticker) {
    // SAFETY: guaranteed by the caller.
    unsafe { take_back(ticker) };
}
