//! The wait of Mach.

waits! {
    wait_until,
}
