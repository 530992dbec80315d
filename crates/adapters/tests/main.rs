//! The integration tests of this crate, as one program: linking takes longer than compiling one.

#[cfg(feature = "async-io")]
mod async_io;
#[cfg(feature = "criterion")]
mod criterion;
#[cfg(all(feature = "embassy", feature = "std"))]
mod embassy;
#[cfg(feature = "governor")]
mod governor;
#[cfg(feature = "tracing-subscriber")]
mod tracing_subscriber;
