//! The library `chronoscope` for C, C++ and all that can call C.
//!
//! `include/chronoscope.h` is made of this by `cargo xtask generate`: what is documented here is
//! what a C programmer reads. Three rules hold for all of it.
//!
//! - No panic crosses the border. What only reads and converts does not panic (`cargo xtask disasm`
//!   looks at its paths that are taken more than once; the choice at the first read would end the
//!   program, as `extern "C"` never unwinds); everything else runs in `guarded`, which turns a panic
//!   into [`CHRONOSCOPE_INTERNAL`](status::CHRONOSCOPE_INTERNAL).
//! - A null pointer is an answer, and never followed: it is the global clock, an answer that is not
//!   wanted, or [`CHRONOSCOPE_NULL`](status::CHRONOSCOPE_NULL), as each function says.
//! - Numbers that stand for one of several things are taken as numbers and checked: a C program can
//!   pass any, and a Rust `enum` of no known value would be undefined behaviour.
#![allow(
    non_camel_case_types,
    reason = "types have the names that they have in C"
)]

mod border;
pub mod clock;
pub mod instant;
pub mod status;
pub mod ticker;
pub mod wait;
pub mod wall;
