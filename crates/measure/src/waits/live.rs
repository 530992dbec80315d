//! Waits that go on until they are stopped, for `watch`: the threads of a run under one load, and
//! what they have to show for a reader that takes it away.

use super::host::{Clocks, Scale};
use super::live_row::{LiveRow, locked};
use super::plan::Plan;
use super::row::{self, Common};
use super::start_load;
use super::threads::Threads;
use crate::engine::{Interrupt, Ruler, notes};
use crate::runtimes::waiting::Waiters;
use chronoscope_model::Note;
use chronoscope_model::recording::{Dropped, Event, Late, Pause, Row, Waits, WhySince};
use chronoscope_model::waits::{Gap, Load, LoadRun, StoppedBy};
use chronoscope_model::why::{Cause, EXAMINED_NS, WORST, Why, Worst};
use chronoscope_probes::blame::hidden;
use chronoscope_probes::load::Running;
use chronoscope_probes::waits::{moment, os};
use std::sync::Arc;
use std::thread::JoinHandle;

/// The threads that wait under one load, and that load.
pub struct Live {
    plan: Arc<Plan>,
    load: Load,
    threads: Arc<Threads>,
    running: Option<Running>,
}

impl Live {
    /// Starts load and threads. Must be called from a thread that lives until [`Live::stop`]: the
    /// kernel ends the processes of a load together with the thread that started them.
    ///
    /// # Errors
    /// The plan cannot be carried out, or the load not be started: one line with the reason.
    pub fn start(plan: &Arc<Plan>, load: Load, ruler: &Ruler) -> Result<Self, String> {
        plan.check()?;
        os::hold_signals();
        let running = start_load(plan, load)?;
        let waiters = Arc::new(Waiters::of(&plan.methods, &Interrupt::default()));
        let threads = Arc::new(Threads::start(plan, load, ruler, None, &waiters)?);
        Ok(Self { plan: plan.clone(), load, threads, running })
    }

    /// The rows of a recording.
    pub fn rows(&self, ruler: &Ruler) -> Vec<Row> {
        let common = Common {
            plan: &self.plan,
            load: self.load,
            counter_hz: ruler.hz(),
            load_run: None,
            power: None,
            kept_awake: false,
            stopped_by: StoppedBy::Interrupt,
            throttled: None,
            meter: Err(String::new()),
            notes: Vec::new(),
            course: None,
        };
        let clocks = Clocks::new(Scale::of(ruler), os::step());
        let row = |live: &Arc<LiveRow>| Row {
            id: live.spec.entry.id.into(),
            requested_ns: live.spec.ns,
            cpu: live.cpu,
            unavailable_reason: live.failure().map(str::to_owned),
            tolerance_ns: u64::try_from(clocks.tolerance_ns(live.spec.ns)).unwrap_or(0),
            wait: Box::new(row::report_row(live, &common)),
        };
        self.threads.rows.iter().map(row).collect()
    }

    /// What the explanation of late wake-ups lacks here.
    pub fn notes(&self) -> Vec<Note> {
        let job = &self.threads.job;
        let missing = job.missing.get().map_or(&[][..], Vec::as_slice);
        let likely = job.unrecorded.get().map(|why| notes::likely(why));
        let hidden = hidden().filter(|_| job.names.is_some()).map(notes::names_hidden);
        missing.iter().map(notes::not_separated).chain(likely).chain(hidden).collect()
    }

    /// The reader of these waits, for times since `origin`, by the clock that timers run on. There
    /// must be only one.
    pub fn tap(&self, origin: u64) -> Tap {
        // The job began some time ago, by a clock that runs like this one.
        let began = os::monotonic().saturating_sub((self.threads.job.seconds() * 1e9) as u64);
        Tap {
            threads: self.threads.clone(),
            origin,
            began: began.saturating_sub(origin),
            shown: self.threads.rows.iter().map(|_| Shown::default()).collect(),
            counted: os::monotonic(),
        }
    }

    /// Looks for stops of the process, for processes of the load that ended, and for the names of
    /// those that made waits late. Call it some ten times a second, and whenever the thread is
    /// unparked that called [`Live::start`].
    pub fn look(&mut self) {
        self.threads.gaps.look();
        self.threads.job.read_names();
        if let Some(running) = &mut self.running {
            running.look();
        }
    }

    /// The times in which the process could not run since the last call, since `origin`.
    pub fn take_pauses(&self, origin: u64) -> Vec<Pause> {
        let rows = self.threads.rows.iter();
        let now = os::monotonic();
        let ago = |at_s: f64| ((self.threads.job.seconds() - at_s).max(0.0) * 1e9) as u64;
        let pause = |gap: Gap| {
            let until_ns = now.saturating_sub(ago(gap.at_s)).saturating_sub(origin);
            let at_ns = until_ns.saturating_sub(gap.late_ns);
            Pause { at_ns, until_ns, is_gap: true }
        };
        rows.flat_map(|row| row.take_gaps()).map(pause).collect()
    }

    /// How often threads were found on another CPU than before since the last call.
    pub fn take_moved(&self) -> u64 {
        let records = self.threads.rows.iter().filter_map(|row| row.records.as_ref());
        records.map(|records| records.take_moved()).sum()
    }

    /// The time that each row has waited so far, and its CPU time if known, in nanoseconds.
    pub fn spent(&self) -> Vec<(u64, Option<u64>)> {
        let spent = self.threads.rows.iter().map(|row| row.spent());
        spent.map(|spent| (spent.ns, spent.cpu_ns)).collect()
    }

    /// The rows that failed, each with the reason.
    pub fn failures(&self) -> Vec<Option<String>> {
        self.threads.rows.iter().map(|row| row.failure().map(str::to_owned)).collect()
    }

    /// What the load has lost so far, in words.
    pub fn loss(&mut self) -> Option<String> {
        self.running.as_mut()?.so_far().loss()
    }

    /// Whether no thread is left, because each of them failed.
    pub fn is_over(&self) -> bool {
        self.threads.handles.iter().all(JoinHandle::is_finished)
    }

    /// Ends threads and load. A thread in the middle of a wait has a moment to finish it.
    pub fn stop(self) -> Option<LoadRun> {
        self.threads.stop();
        self.running.map(Running::stop)
    }
}

/// Takes away what waits have to show.
pub struct Tap {
    threads: Arc<Threads>,
    origin: u64,
    /// When the job of the threads began, since the origin.
    began: u64,
    shown: Vec<Shown>,
    /// When the reasons were last passed on.
    counted: u64,
}

/// What was shown of a row.
#[derive(Default)]
struct Shown {
    /// The late wake-ups that were taken the last time. They are shown now, when the names of those
    /// who ran have been read.
    late: Vec<Late>,
    /// The lateness of the latest wake-ups so far, the latest first.
    latest: Vec<u64>,
    /// Whether one of those is among `late`.
    has_latest: bool,
}

/// How many late wake-ups of a row are shown each time, besides the latest so far.
const FEW: usize = 2;
/// How often the reasons are passed on, in nanoseconds.
const COUNTED: u64 = 1_000_000_000;
/// For how long a late wake-up may wait until it is known who ran, in seconds: longer than the
/// waiting threads take to look between bursts.
const PATIENCE_S: f64 = 1.5;

impl Tap {
    /// Adds what has happened since the last call to `events`; never blocks for longer than a row
    /// takes to record a wait. `last`: no more will happen.
    pub fn take(&mut self, events: &mut Vec<Event>, last: bool) {
        let now = os::monotonic();
        let is_due = last || now.saturating_sub(self.counted) >= COUNTED;
        if is_due {
            self.counted = now;
        }
        let at_ns = now.saturating_sub(self.origin);
        let seconds = self.threads.job.seconds();
        for (nth, (row, shown)) in self.threads.rows.iter().zip(&mut self.shown).enumerate() {
            waits(nth, row, self.origin, events);
            if let Some(records) = &row.records
                && let dropped @ 1.. = records.take_dropped()
            {
                events.push(Event::Dropped(Dropped { at_ns, row: nth, waits: dropped }));
            }
            let Some(reasons) = &row.why else { continue };
            // The latest wake-ups come with the sums that they are part of.
            let is_due = is_due || std::mem::take(&mut shown.has_latest);
            let patient_s = if last { f64::INFINITY } else { seconds - PATIENCE_S };
            let (worst, taken) = {
                let mut reasons = locked(reasons);
                (reasons.take_worst(patient_s), is_due.then(|| reasons.take()))
            };
            let began = self.began;
            let late = worst.into_iter().enumerate();
            let late = late.filter_map(|(place, wake)| shown.late(nth, began, place, wake));
            let mut late: Vec<Late> = late.collect();
            if last {
                shown.late.append(&mut late);
            }
            let names = self.threads.job.names.as_ref().map(locked);
            for mut late in std::mem::replace(&mut shown.late, late) {
                if let Some(names) = &names {
                    late.wake.culprits.iter_mut().for_each(|culprit| names.name(culprit));
                }
                events.push(Event::Late(late));
            }
            if let Some(taken) = taken {
                let mut why = taken.report();
                if let Some(names) = &names {
                    names.name_all(&mut why);
                }
                if why != Why::default() {
                    events.push(Event::Why(WhySince { row: nth, at_ns, why }));
                }
            }
        }
    }
}

impl Shown {
    /// Makes an event of a late wake-up, the one at this place among the latest of the last time,
    /// if it is worth one.
    fn late(&mut self, row: usize, began: u64, place: usize, wake: Worst) -> Option<Late> {
        let stopped = wake.parts.iter().any(|part| part.cause == Cause::Stopped);
        if wake.late_ns < EXAMINED_NS || stopped {
            return None;
        }
        let at = self.latest.partition_point(|late_ns| *late_ns >= wake.late_ns);
        let is_latest = at < WORST;
        if is_latest {
            self.has_latest = true;
            self.latest.truncate(WORST - 1);
            self.latest.insert(at, wake.late_ns);
        }
        (is_latest || place < FEW).then(|| {
            let at_ns = began.saturating_add((wake.at_s * 1e9) as u64);
            // To read it costs the system something, so it is read for few.
            let khz = wake.cpu.filter(|_| is_latest).and_then(moment::khz);
            let hz = khz.map(|khz| khz as f64 * 1e3);
            let wake = Worst { at_s: at_ns as f64 / 1e9, ..wake };
            Late { row, at_ns, hz, wake }
        })
    }
}

/// Adds the waits of a row that have ended.
fn waits(nth: usize, row: &LiveRow, origin: u64, events: &mut Vec<Event>) {
    let Some(records) = &row.records else { return };
    let mut waits = Waits { row: nth, ..Waits::default() };
    let mut before = 0;
    records.take(|record| {
        let end = record.end.saturating_sub(origin).max(before);
        if waits.late_ns.is_empty() {
            (waits.at_ns, before) = (end, end);
        }
        waits.after_ns.push(end - before);
        waits.late_ns.push(record.late);
        before = end;
    });
    if !waits.late_ns.is_empty() {
        events.push(Event::Waits(waits));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::why::Part;

    #[test]
    fn the_latest_few_of_each_time_and_the_latest_of_all_are_shown() {
        let mut shown = Shown::default();
        let mut take = |late_ns: &[u64]| -> Vec<u64> {
            let wake = |late_ns| Worst { at_s: 0.5, late_ns, ..Worst::default() };
            let late = late_ns.iter().enumerate();
            let late = late.filter_map(|(place, ns)| shown.late(0, 1_000, place, wake(*ns)));
            late.inspect(|late| assert_eq!(late.at_ns, 500_001_000))
                .map(|it| it.wake.late_ns)
                .collect()
        };
        let many: Vec<u64> = (0..WORST as u64).rev().map(|n| 50_000 + n).collect();
        assert_eq!(take(&many), many);
        let lower: Vec<u64> = (0..10).rev().map(|n| 20_000 + n).collect();
        assert_eq!(take(&lower), lower[..FEW]);
        assert!(take(&[EXAMINED_NS - 1]).is_empty());
        let parts = vec![Part { cause: Cause::Stopped, ns: 90_000 }];
        let stopped = Worst { late_ns: 90_000, parts, ..Worst::default() };
        assert_eq!(shown.late(0, 0, 0, stopped), None);
    }
}
