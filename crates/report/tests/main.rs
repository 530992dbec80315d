//! The integration tests of this crate, as one program: linking takes longer than compiling one.

#[path = "../../diagnose/tests/machines/mod.rs"]
mod machines;
mod samples;

mod brief;
mod calls_table;
mod charts;
mod compare;
mod findings;
mod formats;
mod headings;
mod machine;
mod narrow_screens;
mod page;
mod scales;
mod screens;
mod sections_page;
mod terms;
mod trust;
mod wait_advice;
mod waits_hdr;
mod waits_page;
mod waits_percentiles;
mod waits_screen;
mod waits_why;
