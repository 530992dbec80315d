//! The clocks of the C++ library.

pub(crate) mod high_resolution_clock;
pub(crate) mod steady_clock;
pub(crate) mod steady_clock_nocast;
pub(crate) mod system_clock;
pub(crate) mod system_clock_nocast;

use super::{Range, Reader, Unavailable};

/// C++'s loop without a read.
pub(crate) fn empty() -> Result<Reader, Unavailable> {
    native!(
        native_cxx,
        all(),
        "every system",
        cs_cxx_empty,
        "the empty loop",
        Range::bits(64)
    )()
}
