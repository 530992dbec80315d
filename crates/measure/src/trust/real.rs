//! The tests of trust on this machine.

use super::host::{Compared, Host, Played};
use crate::engine::RulerKind;
use crate::engine::order::{Home, between, between_at};
use crate::engine::time::{Interrupt, RunClock, Time};
use crate::trust::across::{Desk, answer, ask};
use chronoscope_model::trust::Contended;
use chronoscope_probes::clocks::{Entry, Opening, Reader};
use chronoscope_probes::machine::affinity;
use chronoscope_probes::order::{Handed, Turns};
use chronoscope_probes::time::Instant;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

/// The turns before those that are timed: the second thread has to wake up first.
const WARM_UP: u64 = 64;
/// The exchanges in one comparison. The shortest round trip of this many is nearly that of
/// thousands.
const EXCHANGES: u64 = 500;
/// The approximate duration of a batch of reads, in nanoseconds: long enough for its ends not to
/// matter, and short enough to be spared by most interrupts.
const BATCH_NS: f64 = 20e3;
/// The most batches of one thread.
const MOST_BATCHES: usize = 1 << 14;

pub(super) struct Real {
    pub(super) clocks: Vec<(&'static Entry, Reader)>,
    /// The clock of each sandwich, and the reader of its system call.
    pub(super) sandwiches: Vec<(usize, Reader)>,
    /// How the counter is read.
    pub(super) kind: RulerKind,
    /// Nanoseconds per tick of the counter.
    pub(super) tick_ns: f64,
    /// The clock for time limits.
    pub(super) clock: RunClock,
    /// Set when the user asks to stop.
    pub(super) interrupt: Interrupt,
}

impl Time for Real {
    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    fn sleep(&mut self, duration: Duration) {
        chronoscope_probes::time::sleep(duration);
    }

    fn interrupted(&self) -> bool {
        self.interrupt.is_set()
    }
}

fn pin(cpu: usize) -> Result<affinity::PinGuard, String> {
    affinity::pin(cpu).map_err(|error| error.to_string())
}

/// Plays a few turns before those that are timed.
fn timed(mut play: impl FnMut(u64) -> Handed, turns: u64) -> (Handed, Duration) {
    let early = play(WARM_UP);
    let start = Instant::now();
    let mut seen = play(turns);
    let time = start.elapsed();
    seen.backwards += early.backwards;
    seen.worst = seen.worst.max(early.worst);
    (seen, time)
}

fn played([first, second]: [(Handed, Duration); 2]) -> Played {
    Played { players: [first.0, second.0], time: first.1.max(second.1) }
}

impl Host for Real {
    fn fill(&mut self, clock: usize, out: &mut [u64]) {
        self.clocks[clock].1.fill(out);
    }

    fn moved(
        &mut self,
        clock: usize,
        cpus: [usize; 2],
        out: &mut [[u64; 2]],
    ) -> Result<(), String> {
        let reader = &mut self.clocks[clock].1;
        let _home = pin(cpus[0])?;
        for two in out.chunks_mut(2) {
            let before = reader.value();
            let there = pin(cpus[1])?;
            two[0] = [before, reader.value()];
            if let Some(back) = two.get_mut(1) {
                let before = reader.value();
                drop(there);
                *back = [before, reader.value()];
            }
        }
        Ok(())
    }

    fn hand(&mut self, clock: usize, cpus: [usize; 2], turns: u64) -> Result<Played, String> {
        let (entry, reader) = &mut self.clocks[clock];
        let mut second = entry.open(Opening::Checked).map_err(|why| why.0)?;
        let _home = pin(cpus[0])?;
        let both = between(
            cpus[1],
            |table: &Turns| timed(|turns| reader.hand(table, 0, turns), turns),
            move |table: &Turns| timed(|turns| second.hand(table, 1, turns), turns),
        )?;
        Ok(played(both))
    }

    fn compare(&mut self, cpus: [usize; 2], home: usize, turns: u64) -> Result<Compared, String> {
        let kind = self.kind;
        let home = if home == 0 { Home::First } else { Home::Second };
        let _here = pin(cpus[0])?;
        let player = |me: u32| {
            move |table: &Turns| timed(|turns| table.play(me, turns, || kind.start()), turns)
        };
        let both = between_at(cpus[1], home, player(0), player(1))?;
        let [brackets, _] = between_at(
            cpus[1],
            home,
            |desk: &Desk| ask(desk, EXCHANGES, || kind.start()),
            |desk: &Desk| answer(desk, EXCHANGES, || kind.start()),
        )?;
        Ok(Compared { played: played(both), brackets })
    }

    fn sandwich(&mut self, which: usize, out: &mut [[u64; 3]]) {
        let (clock, call) = &mut self.sandwiches[which];
        let vdso = &mut self.clocks[*clock].1;
        for one in out {
            *one = [call.value(), vdso.value(), call.value()];
        }
    }

    fn contend(
        &mut self,
        clock: usize,
        cpus: &[usize],
        time: Duration,
    ) -> Result<Contended, String> {
        let entry = self.clocks[clock].0;
        let (kind, tick_ns) = (self.kind, self.tick_ns);
        // Threads that are ready wait for the gate, which opens once all of them are.
        let (gate, stop) = (RwLock::new(()), AtomicBool::new(false));
        let (say, ready) = channel();
        let found: Result<Vec<Contended>, String> = std::thread::scope(|scope| {
            let (gate, stop) = (&gate, &stop);
            let closed = gate.write();
            let start = move |cpu: &usize| {
                let (cpu, say) = (*cpu, say.clone());
                let thread = std::thread::Builder::new().name("contention".into());
                thread.spawn_scoped(scope, move || {
                    let pinned = pin(cpu);
                    let reader = entry.open(Opening::Checked).map_err(|why| why.0);
                    let _ = say.send(());
                    drop(gate.read());
                    let _guard = pinned?;
                    batches(reader?, kind, tick_ns, stop)
                })
            };
            let threads = cpus.iter().map(start).collect::<std::io::Result<Vec<_>>>();
            if let Ok(threads) = &threads {
                let _ = ready.iter().take(threads.len()).count();
            }
            drop(closed);
            chronoscope_probes::time::sleep(if threads.is_ok() { time } else { Duration::ZERO });
            stop.store(true, Ordering::Relaxed);
            let threads = threads.map_err(|error| format!("cannot start a thread: {error}"))?;
            let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
            joined.map(|found| found.map_err(|_| "a thread failed".to_owned())?).collect()
        });
        let slowest = found?.into_iter().max_by(|a, b| a.ns.total_cmp(&b.ns));
        let slowest = slowest.ok_or("no thread read it")?;
        Ok(Contended { threads: cpus.len(), ..slowest })
    }
}

/// Times batches of reads until `stop` is set.
fn batches(
    mut reader: Reader,
    kind: RulerKind,
    tick_ns: f64,
    stop: &AtomicBool,
) -> Result<Contended, String> {
    let mut time = |reads: u64| {
        let start = kind.start();
        reader.throughput(0, reads);
        kind.stop().wrapping_sub(start) as f64 * tick_ns
    };
    let empty = (0..8).map(|_| time(0)).fold(f64::INFINITY, f64::min);
    let each = (0..8).map(|_| time(8) / 8.0).fold(f64::INFINITY, f64::min);
    let reads = (BATCH_NS / each.max(0.1)).clamp(1.0, 10_000.0) as u64;
    let mut costs = Vec::with_capacity(MOST_BATCHES);
    while !stop.load(Ordering::Relaxed) {
        let cost = (time(reads) - empty) / reads as f64;
        if costs.len() < MOST_BATCHES {
            costs.push(cost);
        }
    }
    costs.sort_by(f64::total_cmp);
    let last = costs.len().checked_sub(1).ok_or("a thread had no time to read")?;
    let [low_ns, ns, high_ns] = [1, 2, 3].map(|share| costs[last * share / 4]);
    Ok(Contended { threads: 1, ns, low_ns, high_ns })
}
