//! This project's own wait.

waits! {
    wait,
    wait_economy,
    wait_precise,
}
