//! The wait of Rust's standard library.

waits! {
    thread_sleep,
}
