//! The wait calls of Darwin.

waits! {
    nanosleep,
    kevent,
}
