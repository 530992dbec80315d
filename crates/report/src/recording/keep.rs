//! What is kept of the events of `watch`, as it was asked for.

use chronoscope_model::recording::Event;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// What to keep: the options of `watch` of these names.
#[derive(Clone, Debug)]
pub struct Keep {
    /// `--hindsight`: how much of the past is kept in memory.
    pub hindsight: Duration,
    /// `--stop-above`: the overshoot at which the past is written to a file.
    pub stop_above: Option<Duration>,
    /// `--go-on`: whether to go on after that, and write a file at each further one.
    pub go_on: bool,
    /// `--record`: a new file for everything that happens, or, with `stop_above`, for the past. In
    /// a folder, the file is named by the time. With `stop_above` the default is the current
    /// folder; otherwise nothing is recorded by default.
    pub record: Option<PathBuf>,
    /// `--record-limit`: the most bytes of a file.
    pub limit: u64,
}

impl Default for Keep {
    fn default() -> Self {
        Self {
            hindsight: Duration::from_mins(1),
            stop_above: None,
            go_on: false,
            record: None,
            limit: 1 << 30,
        }
    }
}

/// A wait that ended later than `stop_above`, with the past that was written because of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The id of the method.
    pub id: String,
    /// When the wait ended, in nanoseconds since the start.
    pub at_ns: u64,
    /// Its overshoot, in nanoseconds.
    pub late_ns: i64,
    /// The file with the past, or why it could not be written, in one line.
    pub written: Result<PathBuf, String>,
}

/// What a recording in progress has come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Its file, if everything is recorded.
    pub path: Option<PathBuf>,
    /// The bytes written so far.
    pub bytes: u64,
    /// Why it has ended before the end, in one line: the limit, or an error of the system.
    pub ended: Option<String>,
}

/// Keeps events.
pub struct Keeper {}

impl Keeper {
    /// Begins to keep. Creates the file, if everything is recorded.
    ///
    /// # Errors
    /// It exists, or cannot be created: one line with the path and the reason.
    pub fn new(_keep: Keep) -> io::Result<Self> {
        Ok(Self {})
    }

    /// Takes the events of one [drain]. Returns the first breach among them, once its past is
    /// written; a breach while the past of the one before is younger than `hindsight` belongs to
    /// that one. What goes wrong with the file is in [`status`](Self::status).
    ///
    /// [drain]: https://docs.rs/chronoscope-survey
    pub fn take(&mut self, _events: &[Event]) -> Option<Breach> {
        None
    }

    /// Writes the past to a new file that is named by the time, for the key `s`.
    ///
    /// # Errors
    /// The file cannot be written: one line with the path and the reason.
    pub fn save(&mut self) -> io::Result<PathBuf> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// What the recording has come to.
    pub fn status(&self) -> Status {
        Status::default()
    }
}
