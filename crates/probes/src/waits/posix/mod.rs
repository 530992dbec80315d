//! The wait calls of POSIX.

waits! {
    usleep,
    cond_timedwait,
}
