//! The clocks of `clock_gettime` that POSIX names.

clocks! {
    realtime,
    monotonic,
    process_cputime,
    thread_cputime,
}
