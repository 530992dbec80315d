//! The library `chronoscope` for C, C++ and every language that can call C.
//!
//! `cargo xtask generate` makes `include/chronoscope.h` from this source: what is documented here
//! is what a C programmer reads. Four rules apply to all of it.
//!
//! - No panic crosses the boundary. Functions that only read and convert do not panic (`cargo xtask
//!   disasm` checks the paths that are taken more than once; the choice at the first read would end
//!   the program, because `extern "C"` never unwinds). Everything else runs in `guarded`, which
//!   turns a panic into [`CHRONOSCOPE_INTERNAL`](status::CHRONOSCOPE_INTERNAL).
//! - A thread may be cancelled during any call (see the module `cancel`). The functions that wait
//!   are `extern "C-unwind"`, because that unwinds through them.
//! - A null pointer is never dereferenced. It stands for the global clock or for a result that is
//!   not wanted, or leads to [`CHRONOSCOPE_NULL`](status::CHRONOSCOPE_NULL), as each function
//!   states.
//! - Numbers that stand for one of several choices are taken as numbers and checked: a C program
//!   can pass any number, and a Rust `enum` with an unknown value would be undefined behaviour.
#![deny(missing_docs)]
#![allow(non_camel_case_types, reason = "types have the names that they have in C")]

mod border;
mod cancel;
pub mod clock;
pub mod instant;
pub mod status;
pub mod ticker;
pub mod wait;
pub mod wall;
pub mod witness;
