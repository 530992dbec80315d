//! Reads a recording event by event. The file is untrusted.

use chronoscope_model::recording::{Event, Start};
use std::io::{self, BufRead};

/// Whether a file that begins with these bytes may be a recording.
pub fn is_recording(_first: &[u8]) -> bool {
    false
}

/// The events of a recording after its start, in the order of the file. Lines that are no event, or
/// name a row that does not exist, are left out and counted.
pub struct Reader<R> {
    /// What was recorded, and where.
    pub start: Start,
    /// The lines that were left out so far.
    pub left_out: u64,
    /// Whether the last line is incomplete, as after a crash; known at the end.
    pub cut: bool,
    from: R,
}

impl<R: BufRead> Reader<R> {
    /// Reads the start of a recording.
    ///
    /// # Errors
    /// It cannot be read, or is not a recording of this version.
    pub fn new(_from: R) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Reads the next event; `None` at the end.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn next(&mut self) -> io::Result<Option<Event>> {
        let _ = &mut self.from;
        Ok(None)
    }
}
