//! The clocks of the C++ library.

pub(crate) mod steady_clock;

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
