//! What is kept of the events of `watch`, as it was asked for.

use super::past::{MOST, Past};
use super::write::Writer;
use chronoscope_model::recording::Event;
use chronoscope_model::units::human_ns;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The least limit of a file, in bytes, so that it can hold its start.
const LEAST_LIMIT: u64 = 1 << 20;

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
    /// `--names`: whether files hold the names of processes of other users.
    pub names: bool,
}

impl Default for Keep {
    fn default() -> Self {
        Self {
            hindsight: Duration::from_mins(1),
            stop_above: None,
            go_on: false,
            record: None,
            limit: 1 << 30,
            names: false,
        }
    }
}

impl Keep {
    /// The folder of files that are named by the time.
    fn folder(&self) -> &Path {
        self.record.as_deref().filter(|path| path.is_dir()).unwrap_or(Path::new("."))
    }

    /// Creates a file that is named by the time.
    fn create_named(&self) -> io::Result<Writer<File>> {
        let file = Writer::create_in(self.folder(), wall_ns(), self.limit)?;
        Ok(file.names(self.names))
    }

    /// Creates the file that was asked for, named by the time if that is a folder.
    fn create(&self) -> io::Result<Writer<File>> {
        match &self.record {
            Some(path) if !path.is_dir() => Ok(Writer::create(path, self.limit)?.names(self.names)),
            _ => self.create_named(),
        }
    }
}

fn wall_ns() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
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

impl fmt::Display for Breach {
    /// One line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ended {} late: ", self.id, human_ns(self.late_ns as f64))?;
        match &self.written {
            Ok(path) => write!(f, "the time before it is in {}", path.display()),
            Err(why) => f.write_str(why),
        }
    }
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
    /// Whether that is an error of the system.
    pub failed: bool,
}

/// A breach whose past is not written yet.
#[derive(Clone, Copy)]
struct Found {
    row: usize,
    at_ns: u64,
    late_ns: i64,
}

/// Keeps events. A breach whose past is not written when this is dropped is written then.
pub struct Keeper {
    keep: Keep,
    writer: Option<Writer<File>>,
    past: Past,
    /// A breach whose explanation has not come yet.
    found: Option<Found>,
    /// When the last breach was.
    last: Option<u64>,
}

impl Keeper {
    /// Begins to keep. Creates the file, if everything is recorded, and otherwise makes sure that
    /// one could be created.
    ///
    /// # Errors
    /// It exists, cannot be created, or would be too small: one line with the reason.
    pub fn new(keep: Keep) -> io::Result<Self> {
        let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, why.to_owned());
        if keep.limit < LEAST_LIMIT {
            return Err(invalid("--record-limit must be at least 1MiB"));
        }
        let folder = keep.record.as_deref().is_none_or(Path::is_dir);
        if keep.go_on && !folder {
            return Err(invalid("--go-on writes several files: --record must name a folder"));
        }
        let all = keep.record.is_some() && keep.stop_above.is_none();
        let mut writer = None;
        if all {
            writer = Some(keep.create()?);
        } else if keep.stop_above.is_some() {
            let tried = keep.create()?;
            fs::remove_file(tried.path())?;
        }
        let window = u64::try_from(keep.hindsight.as_nanos()).unwrap_or(u64::MAX);
        Ok(Self { keep, writer, past: Past::new(window, MOST), found: None, last: None })
    }

    /// Takes the events of one drain. Returns the first breach among them, or among those before,
    /// once its past is written, which waits for the reasons of the lateness. A breach within
    /// `hindsight` after another one belongs to that one. What goes wrong with the file of
    /// everything is in [`status`](Self::status).
    pub fn take(&mut self, events: &[Event]) -> Option<Breach> {
        if let Some(writer) = &mut self.writer {
            writer.write(events);
        }
        events.iter().for_each(|event| self.past.push(event));
        if let Some(found) = self.found.take() {
            return Some(self.written(found));
        }
        let found = self.breach(events)?;
        self.last = Some(found.at_ns);
        let explains = |event: &Event| match event {
            Event::Late(late) => {
                late.row == found.row && i64::try_from(late.wake.late_ns) == Ok(found.late_ns)
            }
            _ => false,
        };
        if events.iter().any(explains) {
            return Some(self.written(found));
        }
        self.found = Some(found);
        None
    }

    /// The first wait among these events that ended too late, and does not belong to the breach
    /// before.
    fn breach(&self, events: &[Event]) -> Option<Found> {
        let limit = i64::try_from(self.keep.stop_above?.as_nanos()).unwrap_or(i64::MAX);
        let window = u64::try_from(self.keep.hindsight.as_nanos()).unwrap_or(u64::MAX);
        let from = self.last.map_or(0, |last| last.saturating_add(window));
        let late = events.iter().filter_map(|event| match event {
            Event::Waits(waits) => Some(waits),
            _ => None,
        });
        let late = late.flat_map(|waits| {
            let late = waits.ends().filter(|(at_ns, late)| *late > limit && *at_ns >= from);
            late.map(|(at_ns, late_ns)| Found { row: waits.row, at_ns, late_ns })
        });
        late.min_by_key(|found| found.at_ns)
    }

    /// Writes the past of a breach.
    fn written(&self, found: Found) -> Breach {
        let row = self.past.start().and_then(|start| start.rows.get(found.row));
        Breach {
            id: row.map_or_else(String::new, |row| row.id.clone()),
            at_ns: found.at_ns,
            late_ns: found.late_ns,
            written: self
                .keep
                .create()
                .and_then(|file| self.write(file))
                .map_err(|e| e.to_string()),
        }
    }

    fn write(&self, mut file: Writer<File>) -> io::Result<PathBuf> {
        self.past.recording().for_each(|events| file.write(&events));
        file.finish()?;
        Ok(file.path().to_owned())
    }

    /// Writes the past to a new file that is named by the time, in the folder of `record`, or in
    /// the current one.
    ///
    /// # Errors
    /// The file cannot be written: one line with the path and the reason.
    pub fn save(&self) -> io::Result<PathBuf> {
        self.write(self.keep.create_named()?)
    }

    /// Whether a breach does not end the waits.
    pub fn goes_on(&self) -> bool {
        self.keep.go_on
    }

    /// What the recording of everything has come to.
    pub fn status(&self) -> Status {
        self.writer.as_ref().map_or_else(Status::default, |writer| Status {
            path: Some(writer.path().to_owned()),
            bytes: writer.bytes(),
            ended: writer.ended().map(str::to_owned),
            failed: writer.failed(),
        })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(found) = self.found.take() {
            // Nobody is left to be told.
            let _ = self.written(found);
        }
    }
}
