//! The timed loops for clocks that are read in Rust. Those of C and C++ are in
//! `native/reader.h`; the two have one shape, so that one is not favoured over the other: eight
//! reads to a turn, each given to a sink that costs no instruction.

use super::entry::{Range, Reader, Unit};
use crate::order::fence;

/// A clock that is read in Rust.
pub(crate) trait Read {
    /// Reads the clock and hands what it gave to [`sink`], or to `std::hint::black_box` where it
    /// does not fit a register.
    fn read();

    /// The raw value, in the entry's unit.
    fn value() -> u64;
}

/// Makes the compiler believe that the value is used, in a register, at no cost. Clobbers
/// nothing and orders nothing but itself against other volatile assembly.
#[inline(always)]
pub(crate) fn sink(value: u64) {
    #[cfg(target_pointer_width = "64")]
    // SAFETY: an empty template touches nothing.
    unsafe {
        core::arch::asm!("/* {0} */", in(reg) value, options(nomem, nostack, preserves_flags));
    }
    #[cfg(not(target_pointer_width = "64"))]
    core::hint::black_box(value);
}

macro_rules! turns {
    ($n:expr, $body:block) => {
        for _ in 0..$n / 8 {
            $body $body $body $body $body $body $body $body
        }
        for _ in 0..$n % 8 {
            $body
        }
    };
}

#[inline(never)]
extern "C" fn throughput<R: Read>(n: u64) {
    turns!(n, { R::read() });
}

#[inline(never)]
extern "C" fn latency<R: Read>(n: u64) {
    turns!(n, {
        R::read();
        fence();
    });
}

#[inline(never)]
unsafe extern "C" fn fill<R: Read>(out: *mut u64, n: usize) {
    for i in 0..n {
        // SAFETY: `i` is below `n`, and the caller vouches for `n` places.
        unsafe { out.add(i).write(R::value()) };
    }
}

/// The reader for `R`.
pub(crate) fn reader<R: Read>(unit: Unit, nominal_ns: Option<f64>, range: Range) -> Reader {
    Reader {
        throughput: throughput::<R>,
        latency: latency::<R>,
        fill: fill::<R>,
        unit,
        nominal_ns,
        range,
    }
}

/// The loop without a read.
pub(crate) struct Empty;

impl Read for Empty {
    #[inline(always)]
    fn read() {
        sink(0);
    }

    #[inline(always)]
    fn value() -> u64 {
        0
    }
}
