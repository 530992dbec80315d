//! The tests of order on this machine.

use super::Machine;
use crate::ordering::Order;
use chronoscope_probes::clocks::{self, Opening};
use chronoscope_probes::machine::affinity;
use chronoscope_probes::order::{Handed, Lapse, Line, Turns, Work};
use std::sync::Barrier;

impl Order for Machine {
    fn after(&mut self, subject: usize, work: Work, fenced: bool, out: &mut [Lapse]) -> bool {
        let line = Line::default();
        let reader = self.reader(subject);
        reader
            .map(|reader| reader.after(work, fenced, &line, out))
            .is_some()
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

/// Runs both players at the same time, the second one on the CPU `other`.
///
/// # Errors
/// The reason why there is no second player.
pub(crate) fn between<T: Default + Sync, R: Send>(
    other: usize,
    first: impl FnOnce(&T) -> R,
    second: impl FnOnce(&T) -> R + Send,
) -> Result<[R; 2], String> {
    let (table, ready) = (T::default(), Barrier::new(2));
    std::thread::scope(|scope| {
        let player = std::thread::Builder::new().name("hand-over".into());
        let player = player.spawn_scoped(scope, || {
            let pinned = affinity::pin(other).map_err(|error| error.to_string());
            ready.wait();
            pinned.map(|_guard| second(&table))
        });
        let player = player.map_err(|error| format!("cannot start a second thread: {error}"))?;
        ready.wait();
        let first = first(&table);
        let second = player.join().map_err(|_| "the second thread failed")??;
        Ok([first, second])
    })
}
