//! A running probe: requests with typed answers, and batches that are checked against the ruler.

use super::answer::{self, Batch, Checked, Hello, NoAnswer};
use crate::engine::children::Child;
use crate::engine::{Interrupt, RulerKind};
use crate::grown;
use chronoscope_probes::blame::Task;
use std::fs::File;
use std::io::{Read, Seek};
use std::process::Command;
use std::time::Duration;

/// How long a probe may take for anything except the work that a request names.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest line that a probe may write.
const LONGEST: u64 = 1 << 20;

/// A probe that has introduced itself.
pub(super) struct Probe {
    child: Child,
    pub hello: Hello,
    ruler: RulerKind,
    /// The first comparison of the stopwatch with the ruler.
    origin: Option<Mark>,
    /// The ruler around the last batch.
    last: Option<[u64; 2]>,
    /// The account of the thread that reads, if the system keeps one.
    account: Option<Account>,
    /// The number of batches that were longer than their requests.
    impossible: u32,
    /// Why it will not answer any more: it is waited for only once.
    gone: Option<String>,
    /// Whether to give up waiting for an answer.
    pub stop: Box<dyn Fn() -> bool + Send>,
}

/// A value of the stopwatch, and the values of the ruler between which it was read.
#[derive(Clone, Copy, Debug)]
struct Mark {
    start: f64,
    ruler: [u64; 2],
}

impl Mark {
    fn width(self) -> f64 {
        self.ruler[1].saturating_sub(self.ruler[0]) as f64
    }

    fn middle(self) -> f64 {
        self.ruler[0] as f64 + self.width() / 2.0
    }
}

/// How often a long batch is tried until no interruption hides which thread makes it.
const TRIES: usize = 10;

/// The requests of which the shortest compares the stopwatch with the ruler.
const COMPARED: usize = 30;

#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    /// The stopwatch at the start of the batch.
    start: f64,
    /// In units of the stopwatch.
    pub ticks: f64,
    /// Whether the probe's thread was off the CPU meanwhile.
    pub disturbed: bool,
}

impl Made {
    /// The units of the stopwatch over which the length of a batch has to be spread, so that a
    /// coarse stopwatch leaves no steps: one, if it counts whole units. A stopwatch that counts
    /// fractions of a unit, such as seconds, leaves no steps.
    pub fn step(&self) -> f64 {
        let whole = self.start.fract() == 0.0 && self.ticks.fract() == 0.0;
        if whole { 1.0 } else { 0.0 }
    }
}

/// The most batches that may be longer than their requests, because of a tick of the stopwatch or
/// because the clock was set during a request.
const MOST_IMPOSSIBLE: u32 = 20;

impl Probe {
    /// Starts a probe, which is given up at this interrupt.
    ///
    /// # Errors
    /// The reason why the probe cannot be used.
    pub fn start(
        command: &mut Command,
        ruler: RulerKind,
        interrupt: &Interrupt,
    ) -> Result<Self, String> {
        let interrupt = interrupt.clone();
        let stop = Box::new(move || interrupt.is_set());
        let mut child = Child::start(command, LONGEST)?;
        let line = child.ask("hello", PATIENCE, &stop)?;
        let hello = answer::read::<Hello>(&line).map_err(|why| match why {
            NoAnswer::Refused(why) | NoAnswer::Invalid(why) => why,
        })?;
        let (origin, last, account, gone) = (None, None, None, None);
        Ok(Self { child, hello, ruler, origin, last, account, impossible: 0, gone, stop })
    }

    /// Returns the answer to a request that itself needs this much time; `None` if the probe cannot
    /// serve it.
    ///
    /// # Errors
    /// The probe is of no further use, for the reason given.
    pub fn ask<T: Checked>(&mut self, request: &str, work: Duration) -> Result<Option<T>, String> {
        match answer::read(&self.child.ask(request, PATIENCE + work, &self.stop)?) {
            Ok(answer) => Ok(Some(answer)),
            Err(NoAnswer::Refused(_)) => Ok(None),
            Err(NoAnswer::Invalid(why)) => Err(why),
        }
    }

    /// Returns the answer to a request that the probe must be able to serve.
    ///
    /// # Errors
    /// The reason why there is no answer.
    pub fn demand<T: Checked>(&mut self, request: &str, work: Duration) -> Result<T, String> {
        let line = match self.gone.clone() {
            Some(why) => Err(why),
            None => self.child.ask(request, PATIENCE + work, &self.stop),
        };
        answered(request, &line.inspect_err(|why| self.gone = Some(why.clone()))?)
    }

    /// The request for a batch: `clock` is an id or `empty`.
    pub fn batch(clock: &str, mode: &str, reads: u64) -> String {
        format!("batch {clock} {mode} {reads} {}", reads / WARM + 1)
    }

    /// Makes a request whose work the stopwatch times: a batch, or loops around sums.
    ///
    /// # Errors
    /// The probe is of no further use, for the reason given.
    pub fn timed(&mut self, request: &str) -> Result<Made, String> {
        let before = self.account.as_ref().and_then(Account::cpu_ns);
        let start = self.ruler.start();
        let line = self.child.ask(request, PATIENCE, &self.stop)?;
        let stop = self.ruler.stop();
        let made: Batch = answered(request, &line)?;
        self.last = Some([start, stop]);
        let spent = grown(before, self.account.as_ref().and_then(Account::cpu_ns));
        let ns = self.ns(made.ticks);
        Ok(Made {
            start: made.start,
            ticks: made.ticks,
            disturbed: spent.is_some_and(|spent| (spent as f64) < ns),
        })
    }

    /// Makes a batch without timing it; `None` if that fails.
    pub fn batch_of(&mut self, clock: &str, reads: u64) -> Option<()> {
        let request = format!("batch {clock} throughput {reads} 0");
        // Under strace, each of its system calls takes some 100 us.
        let work = Duration::from_secs(20);
        self.ask::<Batch>(&request, work).ok()?.map(drop)
    }

    /// Checks that a batch is not longer than its request, both in ticks of the ruler.
    ///
    /// # Errors
    /// Too many batches were longer than their requests.
    pub fn check_length(&mut self, ticks: f64) -> Result<(), String> {
        let is_longer = |[start, stop]: [u64; 2]| ticks > stop.saturating_sub(start) as f64 * 1.01;
        self.impossible += u32::from(self.last.is_some_and(is_longer));
        if self.impossible > MOST_IMPOSSIBLE {
            return Err("its batches are longer than its requests: its stopwatch is wrong".into());
        }
        Ok(())
    }

    /// Compares the stopwatch with the ruler for the first time. [`Probe::rate`] compares again.
    ///
    /// # Errors
    /// The probe is of no further use, for the reason given.
    pub fn begin(&mut self) -> Result<(), String> {
        self.origin = self.compare()?;
        Ok(())
    }

    /// Returns the stopwatch's rate in units per tick of the ruler since [`Probe::begin`], with
    /// the largest relative error that the rate can have if the stopwatch advances by this many
    /// units at a time.
    ///
    /// # Errors
    /// The probe is of no further use, for the reason given.
    pub fn rate(&mut self, step: f64) -> Result<Option<(f64, f64)>, String> {
        let now = self.compare()?;
        Ok(self.origin.zip(now).and_then(|(first, last)| rate(first, last, step)))
    }

    /// Reads the stopwatch between two reads of the ruler, by a batch without reads; `None` if the
    /// probe cannot serve that.
    fn compare(&mut self) -> Result<Option<Mark>, String> {
        let mut best: Option<Mark> = None;
        for _ in 0..COMPARED {
            let before = self.ruler.start();
            let made = self.ask::<Batch>("batch empty throughput 0 0", Duration::ZERO)?;
            let ruler = [before, self.ruler.stop()];
            let mark = made.map(|made| Mark { start: made.start, ruler });
            best = best.into_iter().chain(mark).min_by(|a, b| a.width().total_cmp(&b.width()));
        }
        Ok(best)
    }

    /// Finds the thread that makes the batches: the one that was busy during this long batch, and
    /// little longer. A thread that compiles meanwhile may be busy for longer.
    pub fn find_thread(&mut self, request: &str) {
        for _ in 0..TRIES {
            let before = Account::all(self.child.id());
            // A failure shows in the next batch.
            let Ok(made) = self.timed(request) else { return };
            let least = self.ns(made.ticks) as u64;
            let after = Account::all(self.child.id());
            let grown = after.into_iter().map(|(thread, ns)| {
                let earlier = before.iter().find(|(known, _)| *known == thread);
                (ns.saturating_sub(earlier.map_or(0, |(_, ns)| *ns)), thread)
            });
            let busy = grown.filter(|(ns, _)| *ns > 0 && *ns >= least).min();
            self.account = busy.and_then(|(_, thread)| Account::of(self.child.id(), thread));
            if self.account.is_some() {
                return;
            }
        }
    }

    /// A time of the stopwatch in nanoseconds, at the rate that the runtime claims.
    fn ns(&self, ticks: f64) -> f64 {
        ticks * 1e9 / self.hello.stopwatch.hz
    }

    /// A thread of the probe's process.
    pub fn task(&self, tid: u32) -> Task {
        Task { pid: self.child.id(), tid }
    }

    /// The CPU time of the probe's process, in nanoseconds, if it may be read.
    pub fn cpu_ns(&self) -> Option<u64> {
        chronoscope_probes::waits::os::cpu_of(self.child.id())
    }

    /// Asks the probe to end.
    pub fn end(&mut self) {
        self.child.end();
    }
}

fn answered<T: Checked>(request: &str, line: &str) -> Result<T, String> {
    answer::read(line).map_err(|why| match why {
        NoAnswer::Refused(why) => format!("it refuses '{request}': {why}"),
        NoAnswer::Invalid(why) => why,
    })
}

/// The share of reads made before a batch, one in this many, so that the caches hold what the loop
/// needs.
const WARM: u64 = 8;

/// The rate between two marks, in units of the stopwatch per tick of the ruler, and its largest
/// relative error: the stopwatch was read anywhere between the two reads of the ruler, and its
/// value may be up to one step old.
fn rate(first: Mark, last: Mark, step: f64) -> Option<(f64, f64)> {
    let ticks = last.middle() - first.middle();
    let units = last.start - first.start;
    let error = (first.width() + last.width()) / 2.0 / ticks + step / units;
    (ticks > 0.0 && units > 0.0).then_some((units / ticks, error))
}

/// The CPU time of a thread, as Linux accounts it (the first number of `schedstat`, in
/// nanoseconds; Documentation/scheduler/sched-stats.rst). Other systems do not account for the
/// threads of another process.
struct Account(File);

impl Account {
    fn of(process: u32, thread: u32) -> Option<Self> {
        let path = format!("/proc/{process}/task/{thread}/schedstat");
        File::open(path).ok().filter(|_| cfg!(target_os = "linux")).map(Self)
    }

    fn cpu_ns(&self) -> Option<u64> {
        let mut text = [0; 64];
        (&self.0).rewind().ok()?;
        let read = (&self.0).read(&mut text).ok()?;
        let text = std::str::from_utf8(&text[..read]).ok()?;
        text.split(' ').next()?.parse().ok()
    }

    /// Returns the threads of a process with their CPU times.
    fn all(process: u32) -> Vec<(u32, u64)> {
        let tasks = std::fs::read_dir(format!("/proc/{process}/task"));
        let names = tasks.into_iter().flatten().flatten();
        let threads = names.filter_map(|task| task.file_name().to_str()?.parse().ok());
        threads.filter_map(|thread| Some((thread, Self::of(process, thread)?.cpu_ns()?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_units_are_spread() {
        let step = |start, ticks| {
            let disturbed = false;
            Made { start, ticks, disturbed }.step()
        };
        assert_eq!(step(15_734_000_123.0, 1000.0), 1.0);
        // Perl's stopwatch returns seconds: half a unit would be half a second.
        assert_eq!(step(15_734.25, 0.000_1), 0.0);
        assert_eq!(step(15_734.25, 0.0), 0.0);
    }

    /// A stopwatch that is read early or late within each request, and rounded down, has its true
    /// rate within the interval; the middle alone does not give it.
    #[test]
    fn the_true_rate_is_within_the_interval_however_the_requests_are_delayed() {
        let mut rng = fastrand::Rng::with_seed(25);
        let (mut biased, mut covered) = (0, 0);
        for _ in 0..1000 {
            let (step, rate_true) = (100.0, 0.5 * (1.0 + (rng.f64() - 0.5) * 1e-3));
            // Both requests may have most of their delay before the read, or after it.
            let mut mark = |at: f64| {
                let (before, after) = (rng.f64() * 30e3, rng.f64() * 300e3);
                let start = ((at + before) * rate_true / step).floor() * step;
                Mark { start, ruler: [at as u64, (at + before + after).ceil() as u64] }
            };
            let (first, last) = (mark(1e6), mark(1e6 + 2e9));
            let (found, error) = rate(first, last, step).expect("known");
            let off = (found / rate_true - 1.0).abs();
            covered += u32::from(off <= error * 1.001);
            biased += u32::from(off > 1e-6);
        }
        assert_eq!(covered, 1000);
        assert!(biased > 900, "{biased}");
    }

    #[test]
    fn a_stopwatch_that_did_not_advance_has_no_rate() {
        let mark = |start: f64, ruler| Mark { start, ruler };
        let (early, late) = (mark(5e9, [1000, 3000]), mark(6e9, [2_000_001_000, 2_000_003_000]));
        let (found, error) = rate(early, late, 0.0).expect("known");
        assert!((found - 0.5).abs() < 1e-9 && (error - 1e-6).abs() < 1e-9);
        assert!(rate(early, early, 1.0).is_none() && rate(late, early, 1.0).is_none());
    }
}
