//! The clocks of the C library.

pub(crate) mod clock;
pub(crate) mod ftime;
pub(crate) mod getrusage;
pub(crate) mod gettimeofday;
pub(crate) mod time;
pub(crate) mod times;
pub(crate) mod timespec_get;

use super::{Range, Reader, Unavailable};

/// C's loop without a read.
pub(crate) fn empty() -> Result<Reader, Unavailable> {
    native!(
        native_c,
        all(),
        "every system",
        cs_c_empty,
        "the empty loop",
        Range::bits(64)
    )()
}
