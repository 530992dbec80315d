//! The clocks of the C++ library.

clocks! {
    steady_clock,
    steady_clock_nocast,
    system_clock,
    system_clock_nocast,
    high_resolution_clock,
}
