//! The wait calls of Windows.

waits! {
    sleep,
    waitable_timer,
    waitable_timer_high_resolution,
    ntdelayexecution,
}
