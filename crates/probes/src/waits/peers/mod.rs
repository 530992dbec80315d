//! The waits of other libraries, for comparison.

waits! {
    spin_sleep,
}
