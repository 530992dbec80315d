//! This project's own clock.

clocks! {
    instant,
    ordered,
}
