//! A thread that maintains the calibration.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread::JoinHandle;
use std::time::Duration;

use super::{COUNTER, Clock};
use crate::sys::process;

/// The shortest period of a keeper. A bound shrinks with the time it spans, not with the number of
/// checks, and a thousand checks per second take a thousandth of a CPU.
const SHORTEST_PERIOD: Duration = Duration::from_millis(1);

impl Clock {
    /// Starts a thread that calls [`Clock::sync`] every `period` until the keeper is dropped.
    ///
    /// A period below a millisecond is raised to one: the bound shrinks with the time observed, not
    /// with the number of checks. The thread first calls [`Clock::calibrate`].
    ///
    /// A forked child does not have the thread. Its copy of the keeper does nothing when dropped,
    /// and [`Keeper::is_alone`] returns `true`.
    ///
    /// # Errors
    /// The thread could not be started.
    ///
    /// ```
    /// use std::time::Duration;
    /// let keeper = chronoscope::Clock::global().keep(Duration::from_secs(1))?;
    /// drop(keeper);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn keep(&'static self, period: Duration) -> std::io::Result<Keeper> {
        let period = period.max(SHORTEST_PERIOD);
        let (stop, stopped) = mpsc::sync_channel(0);
        let thread = std::thread::Builder::new().name("chronoscope".into()).spawn(move || {
            self.calibrate();
            // Without a counter there is nothing to check, and where it is forbidden a wait with a
            // limit would read it.
            while self.mode.load(Ordering::Acquire) & COUNTER != 0 {
                if stopped.recv_timeout(period) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                self.sync();
            }
            // It ends without a message.
            let _ = stopped.recv();
        })?;
        Ok(Keeper { process: process::number(), running: Some((stop, thread)) })
    }
}

/// A background calibration, which ends when this is dropped.
///
/// ```
/// use chronoscope::{Clock, Keeper};
/// use std::time::Duration;
/// struct Server {
///     _keeper: Keeper,
/// }
/// let keeper = Clock::global().keep(Duration::from_secs(10))?;
/// let server = Server { _keeper: keeper };
/// // The clock is kept calibrated as long as the server lives.
/// drop(server);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "the calibration ends as soon as the keeper is dropped"]
pub struct Keeper {
    /// The process that has the thread.
    process: u64,
    running: Option<(SyncSender<()>, JoinHandle<()>)>,
}

impl Keeper {
    /// Whether this is the copy of a keeper in a forked child, which does not have its thread.
    ///
    /// ```
    /// use std::time::Duration;
    /// let keeper = chronoscope::Clock::global().keep(Duration::from_secs(1))?;
    /// assert!(!keeper.is_alone());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn is_alone(&self) -> bool {
        self.process != process::number()
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let running = self.running.take();
        // In a forked child there is no thread to end, and what it held must not be touched: it may
        // have been in the middle of something when the process was forked.
        if self.is_alone() {
            std::mem::forget(running);
            return;
        }
        if let Some((stop, thread)) = running {
            // Without a sender, the thread's wait ends at once.
            drop(stop);
            // A panic in that thread does not matter here: the calibration is as it was.
            let _ = thread.join();
        }
    }
}
