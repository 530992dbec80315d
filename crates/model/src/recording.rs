//! A recording of `watch`: what happened, in the order in which it was seen, as one JSON object per
//! line. The view of a run, and that of a recording of it, are made of the same events.

use crate::environment::Environment;
use crate::waits::{Load, Wait};
use crate::why::{Why, Worst};
use crate::{Note, Ruler};
use serde::{Deserialize, Serialize};

/// The value of [`Start::schema`].
pub const SCHEMA: &str = "chronoscope.recording/1";

/// Something that happened. All times are nanoseconds since the start of the recording.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The first event of every recording.
    Start(Box<Start>),
    /// A load has begun to run.
    Load(LoadSince),
    /// Waits of a row have ended.
    Waits(Waits),
    /// A wait ended late, and why. Of each row, these are the latest few of each tenth of a second
    /// and the latest of all: [`Event::Why`] counts all of them.
    Late(Late),
    /// Why the waits of a row ended late, added up.
    Why(WhySince),
    /// What the machine did, about once a second.
    Machine(Machine),
    /// Reads of the watched clock, one after the other.
    Deltas(Deltas),
    /// Nothing was measured for some time, because it was asked for, the recording had ended and
    /// was resumed, the process was stopped, or the machine suspended.
    Pause(Pause),
    /// Something could not be done as asked, or did not go on.
    Note(NoteAt),
    /// Waits that were measured and could not be kept.
    Dropped(Dropped),
}

impl Event {
    /// Reads a line of a recording. serde's own way reads into a tree first, and compiles each type
    /// in it a second time.
    ///
    /// # Errors
    /// The line is not an event.
    pub fn read(line: &[u8]) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        struct Named {
            event: String,
        }
        let Named { event } = serde_json::from_slice(line)?;
        macro_rules! named {
            ($($name:literal $variant:ident)*) => {
                match &*event {
                    $($name => Self::$variant(serde_json::from_slice(line)?),)*
                    _ => return Err(serde::de::Error::custom(format!("no event {event}"))),
                }
            };
        }
        Ok(named! {
            "start" Start "load" Load "waits" Waits "late" Late "why" Why
            "machine" Machine "deltas" Deltas "pause" Pause "note" Note "dropped" Dropped
        })
    }

    /// Adds the event to lines of JSON. A vector takes every byte, and the keys are strings.
    pub fn write(&self, lines: &mut Vec<u8>) {
        let _ = serde_json::to_writer(&mut *lines, self);
        lines.push(b'\n');
    }

    /// When it happened, or began: 0 for the start.
    pub fn at_ns(&self) -> u64 {
        match self {
            Self::Start(_) => 0,
            Self::Load(LoadSince { at_ns, .. })
            | Self::Waits(Waits { at_ns, .. })
            | Self::Late(Late { at_ns, .. })
            | Self::Why(WhySince { at_ns, .. })
            | Self::Machine(Machine { at_ns, .. })
            | Self::Deltas(Deltas { at_ns, .. })
            | Self::Pause(Pause { at_ns, .. })
            | Self::Note(NoteAt { at_ns, .. })
            | Self::Dropped(Dropped { at_ns, .. }) => *at_ns,
        }
    }

    /// Moves it to a time so much later.
    pub fn delay(&mut self, by_ns: u64) {
        let at_ns = match self {
            Self::Start(_) => return,
            Self::Late(Late { at_ns, wake, .. }) => {
                wake.at_s += by_ns as f64 / 1e9;
                at_ns
            }
            Self::Pause(Pause { at_ns, until_ns, .. }) => {
                *until_ns = until_ns.saturating_add(by_ns);
                at_ns
            }
            Self::Load(LoadSince { at_ns, .. })
            | Self::Waits(Waits { at_ns, .. })
            | Self::Why(WhySince { at_ns, .. })
            | Self::Machine(Machine { at_ns, .. })
            | Self::Deltas(Deltas { at_ns, .. })
            | Self::Note(NoteAt { at_ns, .. })
            | Self::Dropped(Dropped { at_ns, .. }) => at_ns,
        };
        *at_ns = at_ns.saturating_add(by_ns);
    }

    /// When it was over: that of waits is the end of the last of them.
    pub fn until_ns(&self) -> u64 {
        match self {
            Self::Waits(it) => it.ends().map(|(end, _)| end).last().unwrap_or(it.at_ns),
            Self::Pause(it) => it.until_ns,
            _ => self.at_ns(),
        }
    }

    /// The row that it names.
    pub fn row(&self) -> Option<usize> {
        match self {
            Self::Waits(it) => Some(it.row),
            Self::Late(it) => Some(it.row),
            Self::Why(it) => Some(it.row),
            Self::Dropped(it) => Some(it.row),
            _ => None,
        }
    }
}

/// What is measured, and where.
#[record]
pub struct Start {
    /// `chronoscope.recording/1`.
    pub schema: String,
    /// The version of the tool.
    pub tool_version: String,
    /// The wall clock at the start, in nanoseconds since 1970.
    pub wall_ns: u64,
    /// The rows, which events name by their place in this list.
    #[always]
    pub rows: Vec<Row>,
    /// The clock whose deltas are watched, if any.
    pub clock: Option<String>,
    /// What could not be done as asked.
    pub notes: Vec<Note>,
    /// The clock that the waits are measured with.
    pub ruler: Option<Ruler>,
    /// The arguments of the tool.
    pub argv: Vec<String>,
    /// The machine.
    pub environment: Environment,
}

/// A method that waits.
#[record]
pub struct Row {
    /// The id of the method.
    pub id: String,
    /// The duration of a wait, or the period of the grid, in nanoseconds.
    pub requested_ns: u64,
    /// The CPU of its thread.
    pub cpu: Option<usize>,
    /// Why it cannot be measured here.
    pub unavailable_reason: Option<String>,
    /// By how much a wait may seem early without being early, in nanoseconds.
    #[serde(default)]
    pub tolerance_ns: u64,
    /// Its row in a report, before the first wait.
    #[serde(default)]
    pub wait: Box<Wait>,
}

/// The load from a time on.
#[record(Copy, Eq)]
pub struct LoadSince {
    /// When it began.
    pub at_ns: u64,
    /// The load.
    pub load: Load,
}

/// Some waits of a row, one after the other.
#[record(Eq)]
pub struct Waits {
    /// The row.
    pub row: usize,
    /// When the first of them ended.
    pub at_ns: u64,
    /// The time from the end of the one before to the end of each; 0 for the first.
    #[always]
    pub after_ns: Vec<u64>,
    /// The overshoot of each, negative if it ended early.
    #[always]
    pub late_ns: Vec<i64>,
}

impl Waits {
    /// When each of them ended, and its overshoot.
    pub fn ends(&self) -> impl Iterator<Item = (u64, i64)> {
        let mut end = self.at_ns;
        self.after_ns.iter().zip(&self.late_ns).map(move |(after, late)| {
            end = end.saturating_add(*after);
            (end, *late)
        })
    }
}

/// A late wake-up.
#[record]
pub struct Late {
    /// The row.
    pub row: usize,
    /// When the wait ended.
    pub at_ns: u64,
    /// The frequency of the core around it, in Hz, if known.
    pub hz: Option<f64>,
    /// The lateness and its parts.
    pub wake: Worst,
}

/// Why waits of a row ended late, since the last such event.
#[record]
pub struct WhySince {
    /// The row.
    pub row: usize,
    /// When.
    pub at_ns: u64,
    /// All of its wake-ups, without the worst, which are events of their own.
    pub why: Why,
}

/// What the machine did since the last such event. What is absent is not known here.
#[record]
pub struct Machine {
    /// When.
    pub at_ns: u64,
    /// The rate of the wall clock against a clock that nothing slews (`CLOCK_MONOTONIC_RAW`), in
    /// parts per million, over the last minute or since the last step.
    pub drift_ppm: Option<f64>,
    /// Steps of the wall clock.
    pub steps: u64,
    /// What the hypervisor took from the CPU of the waits, in nanoseconds.
    pub steal_ns: Option<u64>,
    /// How often a waiting thread was found on another CPU than before, at the end of a burst.
    pub moved: u64,
    /// Times in which the process could not run at all, in nanoseconds: each is also a
    /// [`Event::Pause`].
    pub paused_ns: u64,
    /// The share of a CPU that each row took while it waited, 0 to 1, in the order of the rows.
    #[always]
    pub cpu: Vec<Option<f64>>,
}

/// Differences of successive reads of a clock.
#[record]
pub struct Deltas {
    /// When the last of them was read.
    pub at_ns: u64,
    /// The clock, which may be another one than before.
    pub clock: String,
    /// The differences in nanoseconds, each with how often it was seen, in ascending order.
    #[always]
    pub counts: Vec<(u64, u64)>,
    /// Nanoseconds per tick of the clock.
    pub ns_per_tick: f64,
    /// Reads that were earlier than the one before.
    pub backwards: u64,
}

/// A time in which nothing was measured.
#[record(Copy, Eq)]
pub struct Pause {
    /// Its start.
    pub at_ns: u64,
    /// Its end.
    pub until_ns: u64,
    /// Whether nobody asked for it: the process was stopped, or the machine suspended.
    pub is_gap: bool,
}

/// What could not be done as asked, or did not go on.
#[record(Eq)]
pub struct NoteAt {
    /// When.
    pub at_ns: u64,
    /// What.
    pub note: Note,
}

/// Waits that could not be kept.
#[record(Copy, Eq)]
pub struct Dropped {
    /// When that was noticed.
    pub at_ns: u64,
    /// The row.
    pub row: usize,
    /// How many.
    pub waits: u64,
}
