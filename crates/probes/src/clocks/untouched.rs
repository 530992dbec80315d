//! Opening a clock without reading it, for the first read in a new process.

use super::{Entry, Reader, Unavailable};
use std::sync::atomic::{AtomicBool, Ordering};

static WANTED: AtomicBool = AtomicBool::new(false);

/// Whether checks that would read the clock are to be left out.
pub(super) fn wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}

/// Opens a clock that is known to be readable here, without reading it: neither its check nor its
/// resolution is asked for, so that the next read is the first of the process.
///
/// # Errors
/// The clock does not exist on this system.
pub fn open(entry: &Entry) -> Result<Reader, Unavailable> {
    WANTED.store(true, Ordering::Relaxed);
    let reader = (entry.open)();
    WANTED.store(false, Ordering::Relaxed);
    reader
}
