//! Recordings of `watch`: writing them, keeping the last minute of one, reading them, and making a
//! report of one.

mod file;
mod keep;
#[cfg(test)]
mod keep_tests;
#[cfg(test)]
#[path = "../../tests/samples/recording.rs"]
mod samples;
#[cfg(test)]
mod tests;

use chronoscope_model::deltas::{Counts, Deltas};
use chronoscope_model::histogram::{Decoded, empty, missed};
use chronoscope_model::recording::{Event, Machine, Row, Start, WhySince};
use chronoscope_model::units::{count, short_ns};
use chronoscope_model::waits::{Load, Overshoots, StoppedBy};
use chronoscope_model::why::Why;
use chronoscope_model::{Note, Report, Run, SCHEMA, Wait};
use std::collections::BTreeMap;
use std::io::{self, BufRead};

pub use file::{FIRST, Reader, Writer, is_recording};
pub use keep::{Breach, Keep, Keeper, Status};

/// The most rows of a report: each has a histogram of a quarter of a megabyte.
const MOST_ROWS: usize = 512;
/// The most rows of deltas.
const MOST_CLOCKS: usize = 64;
/// The most notes that are taken over.
const MOST_NOTES: usize = 100;

/// Makes a report of a recording: a row of waits for each of its rows and loads, and a row of
/// deltas for each of its clocks and loads.
///
/// # Errors
/// The recording cannot be read.
pub fn report<R: BufRead>(mut reader: Reader<R>) -> io::Result<Report> {
    let mut sum = Sum::default();
    while let Some(event) = reader.next()? {
        sum.add(&reader.start, event);
    }
    let (left_out, cut, start) = (reader.left_out, reader.cut, reader.start);
    if left_out > 0 {
        let lines = count(left_out);
        let text = format!("{lines} lines of the recording are damaged or unknown, and left out");
        sum.note("recording-damaged", text);
    }
    if cut {
        sum.note("recording-cut", "the last line of the recording is incomplete".into());
    }
    Ok(sum.report(start))
}

/// The sum of the events so far.
#[derive(Default)]
struct Sum {
    load: Load,
    rows: BTreeMap<(usize, Load), Waits>,
    /// The first and the last time, in nanoseconds.
    span: Option<(u64, u64)>,
    notes: Vec<Note>,
    steps: u64,
    gaps_ns: u64,
    deltas: BTreeMap<(Load, String), Differences>,
    left_out: u64,
}

/// The differences between successive reads of a clock under a load.
#[derive(Default)]
struct Differences {
    counts: Counts,
    backwards: u64,
    /// That of the last of them.
    ns_per_tick: f64,
}

/// The waits of a row under a load.
struct Waits {
    overshoots: Overshoots,
    /// The deadlines that were missed, with how late each was.
    missed: Decoded,
    /// The time that was waited, in nanoseconds.
    ns: u64,
    /// The shares of a CPU of each second, and how many there were.
    cpu: (f64, u64),
    dropped: u64,
    why: Why,
}

impl Default for Waits {
    fn default() -> Self {
        Self {
            overshoots: Overshoots::default(),
            missed: empty(),
            ns: 0,
            cpu: (0.0, 0),
            dropped: 0,
            why: Why::default(),
        }
    }
}

impl Waits {
    fn add(&mut self, late_ns: i64, row: &Row) {
        self.overshoots.add(late_ns, row.tolerance_ns, 1);
        let late = u64::try_from(late_ns).unwrap_or(0);
        let (wide, all) = (&self.overshoots.histogram, &mut self.missed);
        let lowest = |ns| wide.lowest_equivalent(ns);
        missed(late, row.requested_ns, lowest, |ns, n| all.saturating_record_n(ns, n));
        self.ns = self.ns.saturating_add(row.requested_ns).saturating_add_signed(late_ns);
    }

    fn row(self, row: Row, load: Load) -> Wait {
        let samples = self.overshoots.spread.samples;
        let blank = Wait {
            id: row.id,
            requested_ns: Some(row.requested_ns),
            cpu: row.cpu,
            available: row.unavailable_reason.is_none(),
            unavailable_reason: row.unavailable_reason,
            load,
            stopped_by: StoppedBy::Interrupt,
            ..*row.wait
        };
        if samples == 0 {
            let reason = blank.unavailable_reason.or(Some("no wait of it was recorded".into()));
            return Wait { available: false, unavailable_reason: reason, ..blank };
        }
        let grid = blank.period_ns.map(|period_ns| {
            let mut corrected = self.overshoots.histogram.clone();
            // Of the same range, so it holds them.
            let _ = corrected.add(&self.missed);
            self.overshoots.grid(&corrected, period_ns)
        });
        let mut notes = Vec::new();
        if self.dropped > 0 {
            let waits = count(self.dropped);
            notes.push(format!("{waits} more waits were measured and not recorded"));
        }
        let mut why = self.why;
        why.later.sort_by_key(|later| later.than_ns);
        Wait {
            available: true,
            unavailable_reason: None,
            cpu_share: (self.cpu.1 > 0).then(|| self.cpu.0 / self.cpu.1 as f64),
            grid,
            seconds: self.ns as f64 / 1e9,
            why: (why != Why::default()).then_some(why),
            notes,
            ..self.overshoots.fill(0, blank)
        }
    }
}

impl Sum {
    fn add(&mut self, start: &Start, event: Event) {
        let (from, to) = (event.at_ns(), event.until_ns());
        match event {
            // A load may have begun before the rest of a recording.
            Event::Load(since) => return self.load = since.load,
            Event::Waits(waits) => {
                let Some(row) = start.rows.get(waits.row) else { return };
                if let Some(sum) = self.of(waits.row) {
                    waits.late_ns.iter().for_each(|late_ns| sum.add(*late_ns, row));
                }
            }
            Event::Late(late) => {
                if let Some(sum) = self.of(late.row) {
                    sum.why.add_worst(&late.wake);
                }
            }
            Event::Why(WhySince { row, why, .. }) => {
                if let Some(sum) = self.of(row) {
                    sum.why.join(&why);
                }
            }
            Event::Machine(machine) => self.machine(&machine),
            Event::Deltas(seen) => {
                let key = (self.load, seen.clock.clone());
                if self.deltas.len() < MOST_CLOCKS || self.deltas.contains_key(&key) {
                    let sum = self.deltas.entry(key).or_default();
                    sum.ns_per_tick = seen.ns_per_tick;
                    sum.backwards = sum.backwards.saturating_add(seen.backwards);
                    for (ns, times) in seen.counts.iter().filter(|(_, times)| *times > 0) {
                        sum.counts.add(*ns, *times);
                    }
                } else {
                    self.left_out += 1;
                }
            }
            Event::Pause(pause) if pause.is_gap => {
                self.gaps_ns = self.gaps_ns.saturating_add(to - from);
            }
            Event::Dropped(dropped) => {
                if let Some(sum) = self.of(dropped.row) {
                    sum.dropped = sum.dropped.saturating_add(dropped.waits);
                }
            }
            Event::Note(at) if self.notes.len() < MOST_NOTES && !self.notes.contains(&at.note) => {
                self.notes.push(at.note);
            }
            Event::Start(_) | Event::Pause(_) | Event::Note(_) => {}
        }
        let (first, last) = self.span.unwrap_or((from, to));
        self.span = Some((first.min(from), last.max(to)));
    }

    /// The sum of a row under the current load; `None` if there are too many.
    fn of(&mut self, row: usize) -> Option<&mut Waits> {
        let key = (row, self.load);
        if self.rows.len() >= MOST_ROWS && !self.rows.contains_key(&key) {
            self.left_out += 1;
            return None;
        }
        Some(self.rows.entry(key).or_default())
    }

    fn machine(&mut self, machine: &Machine) {
        self.steps = self.steps.saturating_add(machine.steps);
        for (row, share) in machine.cpu.iter().enumerate() {
            if let (Some(share), Some(sum)) = (share, self.rows.get_mut(&(row, self.load))) {
                sum.cpu = (sum.cpu.0 + share, sum.cpu.1 + 1);
            }
        }
    }

    fn note(&mut self, id: &str, text: String) {
        self.notes.push(Note { id: id.into(), text, ..Note::default() });
    }

    /// Adds notes on what a report does not hold.
    fn notes(&mut self) {
        if self.steps > 0 {
            let steps = count(self.steps);
            self.note("wall-clock-stepped", format!("steps of the wall clock: {steps}"));
        }
        if self.gaps_ns > 0 {
            let time = short_ns(self.gaps_ns as f64);
            self.note(
                "gaps",
                format!("the process could not run for {time}; no wait includes that"),
            );
        }
        if self.left_out > 0 {
            let text =
                format!("the recording has more than {MOST_ROWS} rows or {MOST_CLOCKS} clocks");
            self.note("rows-left-out", text);
        }
    }

    fn report(mut self, start: Start) -> Report {
        self.notes();
        for row in 0..start.rows.len() {
            // A row without waits is there, with its reason.
            if !self.rows.keys().any(|(known, _)| *known == row) && self.rows.len() < MOST_ROWS {
                self.rows.insert((row, self.load), Waits::default());
            }
        }
        let deltas = self.deltas.into_iter().map(|((load, id), seen)| Deltas {
            id,
            load: (load != Load::None).then_some(load),
            ..seen.counts.deltas(seen.ns_per_tick, seen.backwards)
        });
        let deltas = deltas.collect();
        let rows = self.rows.into_iter().filter_map(|((row, load), sum)| {
            let row = start.rows.get(row)?.clone();
            Some((load, sum.row(row, load)))
        });
        let mut rows: Vec<(Load, Wait)> = rows.collect();
        rows.sort_by_key(|(load, _)| *load);
        let (first, last) = self.span.unwrap_or_default();
        Report {
            schema: SCHEMA.into(),
            run: Run {
                id: format!("{:016x}", start.wall_ns),
                started: time(start.wall_ns.saturating_add(first)),
                finished: time(start.wall_ns.saturating_add(last)),
                argv: start.argv,
                screen: Some("waits".into()),
                tool_version: start.tool_version,
                complete: true,
                seconds: (last - first) as f64 / 1e9,
                ..Run::default()
            },
            environment: start.environment,
            ruler: start.ruler,
            deltas,
            waits: rows.into_iter().map(|(_, wait)| wait).collect(),
            notes: start.notes.into_iter().chain(self.notes).collect(),
            ..Report::default()
        }
    }
}

/// A time in UTC, from nanoseconds since 1970.
fn time(wall_ns: u64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(wall_ns)).unwrap_or_default().to_string()
}
