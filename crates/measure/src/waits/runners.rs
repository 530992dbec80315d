//! Who runs on the CPU of some waiting threads, which take turns: the record of its switches, or,
//! if that is not permitted, whose CPU time has grown; and the interrupts that it takes.
//!
//! The record is read after a wait, and `/proc` only between bursts, so neither makes a wait late.
//! The names of tasks are read by the thread that watches the others.

use super::job::Job;
use super::live_row::{LiveRow, locked};
use chronoscope_model::why::Interrupts;
use chronoscope_probes::blame::{Found, Ran, Record, Scan, Span, Task, this_thread};
use chronoscope_probes::time::Instant;
use chronoscope_probes::waits::moment::{Counts, interrupts, softirqs};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

pub(super) struct Runners {
    cpu: usize,
    how: How,
    /// Tasks that ran in this burst.
    ran: Vec<Task>,
    /// Threads of runtimes that wait, and are nobody's culprits.
    waiting: Vec<Task>,
    scanned: Instant,
    /// The interrupts as they were last counted, and when.
    interrupts: [Option<Counts>; 2],
    counted: Instant,
}

enum How {
    Seen(Record),
    Likely(Scan),
}

/// With late wake-ups that wait for it, `/proc` is read after this time, and otherwise after the
/// longer one, so that the figures are never older.
const SOON: Duration = Duration::from_millis(50);
const LATEST: Duration = Duration::from_secs(1);

impl Runners {
    /// Begins to watch a CPU, and returns why its switches cannot be recorded, if so.
    pub(super) fn open(cpu: usize) -> (Self, Option<String>) {
        let (how, refused) = match Record::open(cpu) {
            Ok(record) => (How::Seen(record), None),
            Err(why) => (How::Likely(Scan::new(cpu)), Some(why)),
        };
        let now = Instant::now();
        let mut runners = Self {
            cpu,
            how,
            ran: Vec::new(),
            waiting: Vec::new(),
            scanned: now,
            interrupts: [interrupts(), softirqs()],
            counted: now,
        };
        if let How::Likely(scan) = &mut runners.how {
            scan.look();
        }
        (runners, refused)
    }

    /// To be called after a wait that was on time.
    #[inline]
    pub(super) fn look(&mut self) {
        if let How::Seen(record) = &mut self.how {
            record.look();
        }
    }

    /// Who ran in the spans in which the calling thread or this one was ready to run, and the
    /// interrupts while it was `late`, if that is recorded; an error is the number of records that
    /// are missing.
    pub(super) fn ran(
        &mut self,
        thread: Option<Task>,
        spans: &[Span],
        late: Option<Span>,
    ) -> Option<Result<Found, u64>> {
        let How::Seen(record) = &mut self.how else {
            let new = thread.filter(|task| !self.waiting.contains(task));
            self.waiting.extend(new);
            return None;
        };
        let found = record.ran(thread.unwrap_or_else(this_thread), spans, late);
        self.ran.extend(found.iter().flat_map(|found| &found.ran).map(|ran| ran.task));
        Some(found)
    }

    /// To be called between bursts. `last`: whether no other burst follows. Returns whether that
    /// took long.
    pub(super) fn between(&mut self, rows: &[Arc<LiveRow>], job: &Job, last: bool) -> bool {
        self.tell(job);
        let reasons = || rows.iter().filter_map(|row| row.why.as_ref());
        let wanted = reasons().map(|reasons| locked(reasons).wanted());
        let (tasks, counts) = wanted.fold((false, false), |all, it| (all.0 | it.0, all.1 | it.1));
        let due = |wanted: bool, since: Instant| {
            let passed = since.elapsed();
            (wanted && (last || passed >= SOON)) || (!last && passed >= LATEST)
        };
        let (scans, counts) = (due(tasks, self.scanned), due(counts, self.counted));
        let mut read = counts;
        if scans && let How::Likely(scan) = &mut self.how {
            read = true;
            let scanned = scan.look();
            self.scanned = Instant::now();
            job.left_out.fetch_max(scanned.left_out, Relaxed);
            let ran = scanned.grown.iter().map(|(ran, _)| *ran);
            let ran: Vec<Ran> = ran.filter(|ran| !self.waiting.contains(&ran.task)).collect();
            reasons().for_each(|reasons| locked(reasons).likely(&ran));
            if let Some(names) = &job.names {
                let mut names = locked(names);
                scanned.grown.into_iter().for_each(|(ran, named)| names.saw(ran.task, named));
            }
        }
        if counts {
            let counted = self.count();
            reasons().for_each(|reasons| locked(reasons).interrupts(&counted));
        }
        read
    }

    /// Passes on what was heard of tasks, and asks for the names of those that ran.
    fn tell(&mut self, job: &Job) {
        let How::Seen(record) = &mut self.how else {
            return;
        };
        let heard = record.heard();
        let Some(names) = &job.names else {
            self.ran.clear();
            return;
        };
        // Whoever holds the lock does nothing else meanwhile.
        let mut names = locked(names);
        names.hear(heard);
        let mut unknown = false;
        for task in self.ran.drain(..) {
            unknown |= names.want(task);
        }
        drop(names);
        if unknown {
            // Before it ends.
            job.wake_watcher();
        }
    }

    /// Counts the interrupts of the CPU since the last time, the most frequent first.
    fn count(&mut self) -> Vec<Interrupts> {
        let now = [interrupts(), softirqs()];
        self.counted = Instant::now();
        let pairs = now.iter().zip(&self.interrupts);
        let since = pairs
            .filter_map(|(now, then)| Some(now.as_ref()?.since(then.as_ref()?, Some(self.cpu))));
        let mut all: Vec<Interrupts> = since.flatten().collect();
        all.sort_by_key(|it| std::cmp::Reverse(it.count));
        self.interrupts = now;
        all
    }
}
