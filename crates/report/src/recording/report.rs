//! Makes a report of a recording.

use super::read::Reader;
use chronoscope_model::Report;
use std::io::{self, BufRead};

/// Adds up the events of a recording.
pub struct Summary {}

/// Makes a report of a recording: a row of waits for each of its rows and loads.
///
/// # Errors
/// The recording cannot be read.
pub fn report<R: BufRead>(_reader: Reader<R>) -> io::Result<Report> {
    Err(io::ErrorKind::Unsupported.into())
}
