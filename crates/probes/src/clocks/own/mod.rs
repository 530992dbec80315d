//! The clock of this project's library.

clocks! {
    instant,
    ordered,
}
