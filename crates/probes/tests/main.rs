//! The integration tests of this crate, as one program: linking takes longer than compiling one.

mod clocks;
mod machines;
