//! A running probe: requests with typed answers, and batches that are checked against the ruler.

use super::answer::{self, Batch, Checked, Hello, NoAnswer};
use crate::child::{Child, Stop};
use crate::engine::RulerKind;
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
    /// The first and the last batch: the stopwatch at their starts, and the ruler around them.
    ends: Option<[Mark; 2]>,
    /// The account of the thread that reads, if the system keeps one.
    account: Option<Account>,
    /// The number of batches that were longer than their requests.
    impossible: u32,
}

/// A value of the stopwatch between two values of the ruler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub start: f64,
    pub ruler: [u64; 2],
}

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
    /// Starts a probe.
    ///
    /// # Errors
    /// The reason why the probe cannot be used.
    pub fn start(command: &mut Command, ruler: RulerKind, stop: Stop) -> Result<Self, String> {
        let mut child = Child::start(command, LONGEST)?;
        let line = child.ask("hello", PATIENCE, stop)?;
        let hello = answer::read::<Hello>(&line).map_err(|why| match why {
            NoAnswer::Refused(why) | NoAnswer::Invalid(why) => why,
        })?;
        Ok(Self { child, hello, ruler, ends: None, account: None, impossible: 0 })
    }

    /// Returns the answer to a request that itself needs this much time; `None` if the probe cannot
    /// serve it.
    ///
    /// # Errors
    /// The probe is of no further use, for the reason given.
    pub fn ask<T: Checked>(
        &mut self,
        request: &str,
        work: Duration,
        stop: Stop,
    ) -> Result<Option<T>, String> {
        match answer::read(&self.child.ask(request, PATIENCE + work, stop)?) {
            Ok(answer) => Ok(Some(answer)),
            Err(NoAnswer::Refused(_)) => Ok(None),
            Err(NoAnswer::Invalid(why)) => Err(why),
        }
    }

    /// Returns the answer to a request that the probe must be able to serve.
    ///
    /// # Errors
    /// The reason why there is no answer.
    pub fn demand<T: Checked>(
        &mut self,
        request: &str,
        work: Duration,
        stop: Stop,
    ) -> Result<T, String> {
        answered(request, &self.child.ask(request, PATIENCE + work, stop)?)
    }

    /// Makes a batch: `clock` is an id or `empty`.
    ///
    /// # Errors
    /// The probe is of no further use, for the reason given.
    pub fn batch(
        &mut self,
        clock: &str,
        mode: &str,
        reads: u64,
        stop: Stop,
    ) -> Result<Made, String> {
        let request = format!("batch {clock} {mode} {reads} {}", reads / WARM + 1);
        let before = self.account.as_ref().and_then(Account::cpu_ns);
        let start = self.ruler.start();
        let line = self.child.ask(&request, PATIENCE, stop)?;
        let stop = self.ruler.stop();
        let made: Batch = answered(&request, &line)?;
        let mark = Mark { start: made.start, ruler: [start, stop] };
        self.ends = Some(self.ends.map_or([mark, mark], |[first, _]| [first, mark]));
        let after = self.account.as_ref().and_then(Account::cpu_ns);
        let spent = before.zip(after).map(|(before, after)| after.saturating_sub(before) as f64);
        let ns = made.ticks * 1e9 / self.hello.stopwatch.hz;
        Ok(Made {
            start: made.start,
            ticks: made.ticks,
            disturbed: spent.is_some_and(|spent| spent < ns),
        })
    }

    /// Makes a batch without timing it; `None` if that fails.
    pub fn batch_of(&mut self, clock: &str, reads: u64, stop: Stop) -> Option<()> {
        let request = format!("batch {clock} throughput {reads} 0");
        // Under strace, each of its system calls takes some 100 us.
        let work = Duration::from_secs(20);
        self.ask::<Batch>(&request, work, stop).ok()?.map(drop)
    }

    /// Checks that a batch is not longer than its request, both in ticks of the ruler.
    ///
    /// # Errors
    /// Too many batches were longer than their requests.
    pub fn check_length(&mut self, ticks: f64) -> Result<(), String> {
        let Some([_, last]) = self.ends else {
            return Ok(());
        };
        if ticks > last.ruler[1].saturating_sub(last.ruler[0]) as f64 * 1.01 {
            self.impossible += 1;
        }
        if self.impossible > MOST_IMPOSSIBLE {
            Err("its batches are longer than its requests: its stopwatch is wrong".into())
        } else {
            Ok(())
        }
    }

    /// Returns the stopwatch's rate in units per tick of the ruler over all batches so far, with
    /// the largest relative error that the rate can have.
    pub fn rate(&self) -> Option<(f64, f64)> {
        rate(self.ends?)
    }

    /// Finds the thread that makes the batches: the one that a long batch kept busy.
    pub fn find_thread(&mut self, mut busy: impl FnMut(&mut Self)) {
        let before = Account::all(self.child.id());
        busy(self);
        let after = Account::all(self.child.id());
        let grown = after.into_iter().map(|(thread, ns)| {
            let earlier = before.iter().find(|(known, _)| *known == thread);
            (ns.saturating_sub(earlier.map_or(0, |(_, ns)| *ns)), thread)
        });
        let most = grown.max().filter(|(ns, _)| *ns > 0);
        self.account = most.and_then(|(_, thread)| Account::of(self.child.id(), thread));
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

fn rate([first, last]: [Mark; 2]) -> Option<(f64, f64)> {
    let middle = |mark: Mark| (mark.ruler[0] as f64 + mark.ruler[1] as f64) / 2.0;
    let width = |mark: Mark| mark.ruler[1].saturating_sub(mark.ruler[0]) as f64;
    let ticks = middle(last) - middle(first);
    let units = last.start - first.start;
    (ticks > 0.0 && units > 0.0)
        .then(|| (units / ticks, (width(first) + width(last)) / 2.0 / ticks))
}

/// The CPU time of a thread, as Linux accounts it (the first number of `schedstat`, in
/// nanoseconds; Documentation/scheduler/sched-stats.rst).
#[cfg(target_os = "linux")]
struct Account(std::fs::File);

#[cfg(target_os = "linux")]
impl Account {
    fn of(process: u32, thread: u32) -> Option<Self> {
        let path = format!("/proc/{process}/task/{thread}/schedstat");
        std::fs::File::open(path).ok().map(Self)
    }

    fn cpu_ns(&self) -> Option<u64> {
        use std::os::unix::fs::FileExt;
        let mut text = [0; 64];
        let read = self.0.read_at(&mut text, 0).ok()?;
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

/// Other systems do not account for the threads of another process.
#[cfg(not(target_os = "linux"))]
struct Account;

#[cfg(not(target_os = "linux"))]
impl Account {
    fn of(_: u32, _: u32) -> Option<Self> {
        None
    }

    fn cpu_ns(&self) -> Option<u64> {
        None
    }

    fn all(_: u32) -> Vec<(u32, u64)> {
        Vec::new()
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

    #[test]
    fn the_rate_of_a_stopwatch_follows_from_its_first_and_last_batch() {
        let mark = |start: f64, ruler| Mark { start, ruler };
        let ends = [mark(5e9, [1000, 3000]), mark(6e9, [2_000_001_000, 2_000_003_000])];
        let (rate, error) = rate(ends).expect("known");
        assert!((rate - 0.5).abs() < 1e-9);
        assert!((error - 1e-6).abs() < 1e-9);
        assert!(super::rate([ends[0], ends[0]]).is_none());
        assert!(super::rate([ends[1], ends[0]]).is_none());
    }
}
