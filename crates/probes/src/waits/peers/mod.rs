//! The waits of other libraries, to compare with.

waits! {
    spin_sleep,
}
