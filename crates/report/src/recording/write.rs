//! Writes a recording: one event a line.

/// A recording in progress.
pub struct Writer {}
