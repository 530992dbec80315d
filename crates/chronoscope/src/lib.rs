//! A clock at the cost of one instruction.
#![deny(missing_docs)]

pub mod counter;
mod sys;
