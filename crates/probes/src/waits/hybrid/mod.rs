//! Waits that sleep first and spin for the rest.

waits! {
    fixed,
    nanosleep,
    timerfd,
    sleep,
    waitable_timer,
    waitable_timer_high_resolution,
}
