//! Waits that sleep first and spin for the rest.

waits! {
    fixed,
}
