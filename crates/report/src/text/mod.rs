//! The screens: one file each. A screen is a function of a report and of a [`Style`], so it can be
//! tested to the character.

pub mod advise;
pub mod calls;
pub mod clocks;
pub mod deltas;
pub mod explain;
pub mod glance;
pub mod hardware;
pub mod list;
pub mod number;
pub mod overhead;
pub mod table;
pub mod terms;
pub mod waits;
pub mod waits_seed;

mod bulk;
mod counter;
mod details;
mod facts;
mod groups;
mod header;
mod rdtsc_table;
mod screen;
mod style;
mod verdicts;
mod waits_glance;

pub use explain::Page;
pub use list::ListRow;
pub use style::{Style, Tone, clean};
