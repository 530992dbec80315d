//! The tests of order on this machine.

use super::Machine;
use crate::engine::ordering::Order;
use chronoscope_probes::clocks::{self, Opening};
use chronoscope_probes::machine::affinity;
use chronoscope_probes::memory::Page;
use chronoscope_probes::order::{Handed, Lapse, Line, Turns, Work};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, OnceLock};

impl Order for Machine {
    fn after(&mut self, subject: usize, work: Work, fenced: bool, out: &mut [Lapse]) -> bool {
        let line = Line::default();
        let reader = self.reader(subject);
        reader.map(|reader| reader.after(work, fenced, &line, out)).is_some()
    }

    fn hand(&mut self, subject: usize, other: usize, turns: u64) -> Result<[Handed; 2], String> {
        let id = self.id(subject).to_owned();
        let entry = clocks::find(&id).ok_or("it is not in the catalogue")?;
        let second = entry.open(Opening::Checked).map_err(|why| why.0)?;
        let reader = self.reader(subject).ok_or("another process reads it")?;
        between(
            other,
            |table: &Turns| reader.hand(table, 0, turns),
            move |table: &Turns| {
                let mut second = second;
                second.hand(table, 1, turns)
            },
        )
    }
}

/// The player whose CPU is the home of the page of memory that both players share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    First,
    Second,
}

/// Runs both players at the same time, the second one on the CPU `other`, with a table on a page of
/// its own at the home of the first player.
///
/// # Errors
/// The reason why there is no second thread.
pub(crate) fn between<T: Default + Send + Sync, R: Send>(
    other: usize,
    first: impl FnOnce(&T) -> R,
    second: impl FnOnce(&T) -> R + Send,
) -> Result<[R; 2], String> {
    between_at(other, Home::First, first, second)
}

/// Runs both players as [`between`] does, with the page at either home. The measurement includes
/// the effects of a shared cache line or page, and of memory that is far from both players
/// (nviennot/core-to-core-latency, issues 97 and 156).
///
/// # Errors
/// The reason why there is no second thread.
pub(crate) fn between_at<T: Default + Send + Sync, R: Send>(
    other: usize,
    home: Home,
    first: impl FnOnce(&T) -> R,
    second: impl FnOnce(&T) -> R + Send,
) -> Result<[R; 2], String> {
    let (table, ready) = (OnceLock::<Page<T>>::new(), Barrier::new(2));
    let there = AtomicBool::new(false);
    let place = || {
        let page = Page::new(T::default()).map_err(|error| format!("no memory: {error}"))?;
        let _ = table.set(page);
        Ok::<(), String>(())
    };
    if home == Home::First {
        place()?;
    }
    std::thread::scope(|scope| {
        let player = std::thread::Builder::new().name("hand-over".into());
        let player = player.spawn_scoped(scope, || {
            let pinned = affinity::pin(other).map_err(|error| error.to_string());
            let placed = match home {
                Home::Second if pinned.is_ok() => place(),
                _ => Ok(()),
            };
            // Without a second player, the first one must not wait for it.
            there.store(pinned.is_ok() && placed.is_ok(), Ordering::Relaxed);
            ready.wait();
            let _guard = pinned?;
            placed?;
            table.get().map(|table| second(table)).ok_or_else(|| "no memory".to_owned())
        });
        let player = player.map_err(|error| format!("cannot start a second thread: {error}"))?;
        ready.wait();
        let table = table.get().filter(|_| there.load(Ordering::Relaxed));
        let first = table.map(|table| first(table));
        let second = player.join().map_err(|_| "the second thread failed")??;
        Ok([first.ok_or("there is no second thread")?, second])
    })
}
