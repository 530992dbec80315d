//! The clocks that Darwin adds to POSIX: `clock_gettime_nsec_np`.

clocks! {
    clock_gettime_nsec_np_realtime,
    clock_gettime_nsec_np_monotonic,
    clock_gettime_nsec_np_monotonic_raw,
    clock_gettime_nsec_np_monotonic_raw_approx,
    clock_gettime_nsec_np_uptime_raw,
    clock_gettime_nsec_np_uptime_raw_approx,
    clock_gettime_nsec_np_process_cputime,
    clock_gettime_nsec_np_thread_cputime,
}
