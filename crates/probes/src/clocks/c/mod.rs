//! The clocks of the C library.

clocks! {
    clock,
    time,
    timespec_get,
    gettimeofday,
    getrusage,
    times,
    ftime,
}
