//! The clocks of Mach.

clocks! {
    clock_get_time_system,
    clock_get_time_calendar,
    absolute_time,
    continuous_time,
    approximate_time,
}
