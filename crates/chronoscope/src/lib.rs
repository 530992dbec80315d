//! A clock at the cost of one instruction, which says how far it can be off.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(missing_docs)]

#[cfg(feature = "std")]
mod bracket;
#[cfg(feature = "std")]
mod calibrate;
#[cfg(feature = "std")]
mod choose;
#[cfg(feature = "std")]
mod clock;
pub mod convert;
#[cfg(any(feature = "std", target_arch = "x86_64", target_arch = "aarch64"))]
pub mod counter;
#[cfg(feature = "std")]
mod instant;
#[cfg(feature = "std")]
pub mod machine;
#[cfg(feature = "std")]
pub mod mock;
#[cfg(feature = "std")]
mod seqlock;
#[cfg(feature = "std")]
mod sync;
#[cfg(any(feature = "std", target_arch = "x86_64", target_arch = "aarch64"))]
mod sys;
#[cfg(feature = "std")]
pub mod wait;
#[cfg(feature = "std")]
pub mod wall;

#[cfg(feature = "std")]
pub use choose::Source;
#[cfg(feature = "std")]
pub use clock::{AlreadyChosen, Bounded, Clock, Description, Keeper, Synced, Ticks};
#[cfg(feature = "std")]
pub use instant::Instant;
#[cfg(feature = "std")]
pub use machine::Wanted;
#[cfg(feature = "std")]
pub use wall::{Wall, WallInterval};
