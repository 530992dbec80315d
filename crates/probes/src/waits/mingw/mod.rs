//! The wait calls that mingw-w64 adds to Windows.

waits! {
    usleep,
    nanosleep,
}
