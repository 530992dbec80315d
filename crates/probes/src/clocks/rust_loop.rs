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

    /// Runs `work` between two reads and takes their difference, as a user would.
    #[inline(always)]
    fn around(work: impl FnOnce()) {
        let start = Self::value();
        work();
        sink(Self::value().wrapping_sub(start));
    }
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

#[inline(never)]
unsafe extern "C" fn around<R: Read>(n: u64, v: *const u64, m: usize) -> u64 {
    // SAFETY: the caller vouches for `m` values.
    let values = unsafe { std::slice::from_raw_parts(v, m) };
    let mut sum = 0u64;
    for _ in 0..n {
        let values = std::hint::black_box(values);
        R::around(|| sum = sum.wrapping_add(values.iter().fold(0, |a: u64, b| a.wrapping_add(*b))));
    }
    sum
}

/// The reader for `R`.
pub(crate) fn reader<R: Read>(unit: Unit, nominal_ns: Option<f64>, range: Range) -> Reader {
    Reader {
        throughput: throughput::<R>,
        latency: latency::<R>,
        fill: fill::<R>,
        around: around::<R>,
        kind: None,
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
