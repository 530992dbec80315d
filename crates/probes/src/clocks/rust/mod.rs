//! The clocks of Rust's standard library.

clocks! {
    instant,
    system_time,
}
