//! The waits of this project's library.

waits! {
    wait,
    wait_economy,
    wait_precise,
}
