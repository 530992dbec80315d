//! The clock of this project's library.

mod instant;
mod ordered;

pub(super) const CLOCKS: &[super::Entry] = &[instant::ENTRY, ordered::ENTRY];
