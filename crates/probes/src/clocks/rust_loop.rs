//! The timed loops for clocks that are read in Rust; those for C and C++ are in `native/reader.h`.
//! All have the same shape, so that no language is favoured: eight reads per iteration, each passed
//! to a sink that costs no instruction.

use super::entry::{COPIES, Loops, Opened, Unit};
use crate::order::{FENCED, Handed, LATER, Lapse, Line, Turns, Work, counter, fence};

/// A clock that is read in Rust. It may own what it needs for that.
pub(crate) trait Read: Send + 'static {
    /// Reads the clock and passes the value to [`sink`], or to `std::hint::black_box` if it does
    /// not fit in a register.
    #[inline(always)]
    fn read(&mut self) {
        sink(self.value());
    }

    /// The raw value, in the entry's unit.
    fn value(&mut self) -> u64;

    /// Runs `work` between two reads and computes their difference, as a user would.
    #[inline(always)]
    fn around(&mut self, work: impl FnOnce()) {
        let start = self.value();
        work();
        sink(self.value().wrapping_sub(start));
    }
}

/// Makes the compiler assume that the value is used in a register, at no cost. It clobbers nothing,
/// and is ordered only against other volatile assembly.
#[inline(always)]
pub(crate) fn sink(value: u64) {
    #[cfg(target_pointer_width = "64")]
    // SAFETY: the template is empty, so it touches neither memory nor registers.
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

/// Moves what follows by 16 bytes for each copy before this one. Clobbers nothing.
#[inline(always)]
fn shift<const COPY: usize>() {
    const NOPS: usize = if cfg!(target_arch = "x86_64") { 16 } else { 4 };
    // SAFETY: the template consists of instructions that do nothing.
    unsafe {
        core::arch::asm!(
            ".rept {nops} * {copy}",
            "nop",
            ".endr",
            nops = const NOPS,
            copy = const COPY,
            options(nomem, nostack, preserves_flags)
        );
    }
}

#[inline(never)]
fn throughput<R: Read, const COPY: usize>(clock: &mut R, n: u64) {
    shift::<COPY>();
    turns!(n, { clock.read() });
}

#[inline(never)]
fn latency<R: Read, const COPY: usize>(clock: &mut R, n: u64) {
    shift::<COPY>();
    turns!(n, {
        clock.read();
        fence();
    });
}

/// The sum of the integers, one function for every clock and the empty loop: the loop of
/// `native/sum.c`, instruction by instruction.
#[inline(never)]
fn sum(v: &[u64]) -> u64 {
    if v.is_empty() {
        return 0;
    }
    #[cfg(target_arch = "x86_64")]
    {
        let mut sum = 0u64;
        // SAFETY: it reads the integers of the slice, of which there is at least one.
        unsafe {
            core::arch::asm!(
                ".p2align 6", "2:", "add {sum}, qword ptr [{at}]", "add {at}, 8", "dec {left}",
                "jnz 2b",
                sum = inout(reg) sum, at = inout(reg) v.as_ptr() => _,
                left = inout(reg) v.len() => _, options(nostack)
            );
        }
        sum
    }
    #[cfg(target_arch = "aarch64")]
    {
        let mut sum = 0u64;
        // SAFETY: it reads the integers of the slice, of which there is at least one.
        unsafe {
            core::arch::asm!(
                ".p2align 6", "2:", "ldr {next}, [{at}], #8", "add {sum}, {sum}, {next}",
                "subs {left}, {left}, #1", "b.ne 2b",
                sum = inout(reg) sum, at = inout(reg) v.as_ptr() => _,
                left = inout(reg) v.len() => _, next = out(reg) _, options(nostack)
            );
        }
        sum
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    std::hint::black_box(v).iter().fold(0, |sum: u64, value| sum.wrapping_add(*value))
}

#[inline(never)]
fn around<R: Read, const COPY: usize>(clock: &mut R, n: u64, v: &[u64]) -> u64 {
    let mut total = 0u64;
    shift::<COPY>();
    for _ in 0..n {
        clock.around(|| total = total.wrapping_add(sum(v)));
    }
    total
}

type Around<R> = fn(&mut R, u64, &[u64]) -> u64;

struct RustLoops<R>(R);

impl<R: Read> Loops for RustLoops<R> {
    fn throughput(&mut self, copy: usize, n: u64) {
        let copies: [fn(&mut R, u64); COPIES] =
            [throughput::<R, 0>, throughput::<R, 1>, throughput::<R, 2>, throughput::<R, 3>];
        copies[copy](&mut self.0, n);
    }

    fn latency(&mut self, copy: usize, n: u64) {
        let copies: [fn(&mut R, u64); COPIES] =
            [latency::<R, 0>, latency::<R, 1>, latency::<R, 2>, latency::<R, 3>];
        copies[copy](&mut self.0, n);
    }

    #[inline(never)]
    fn fill(&mut self, out: &mut [u64]) {
        for place in out {
            *place = self.0.value();
        }
    }

    #[inline(never)]
    fn span(&mut self, n: u64) -> u64 {
        let first = self.0.value();
        for _ in 1..n {
            self.0.read();
        }
        self.0.value().wrapping_sub(first)
    }

    fn around(&mut self, copy: usize, n: u64, v: &[u64]) -> u64 {
        let copies: [Around<R>; COPIES] =
            [around::<R, 0>, around::<R, 1>, around::<R, 2>, around::<R, 3>];
        copies[copy](&mut self.0, n, v)
    }

    #[inline(never)]
    fn after_work(&mut self, work: Work, how: u32, line: &Line, out: &mut [Lapse]) {
        for place in out {
            line.evict();
            let mut later = if how & LATER != 0 { counter() } else { 0 };
            fence();
            let mut own = self.0.value();
            fence();
            work.run(line);
            if how & FENCED != 0 {
                fence();
            }
            own = self.0.value().wrapping_sub(own);
            if how & LATER != 0 {
                later = counter().wrapping_sub(later);
            }
            fence();
            *place = Lapse { own, later };
        }
    }

    #[inline(never)]
    fn hand(&mut self, turns: &Turns, me: u32, n: u64) -> Handed {
        turns.play(me, n, || self.0.value())
    }

    fn loop_address(&self) -> usize {
        throughput::<R, 0> as fn(&mut R, u64) as usize
    }

    fn around_address(&self) -> usize {
        around::<R, 0> as fn(&mut R, u64, &[u64]) -> u64 as usize
    }
}

pub(crate) fn opened(clock: impl Read, unit: Unit, nominal_ns: Option<f64>) -> Opened {
    Opened { loops: Box::new(RustLoops(clock)), unit, nominal_ns, instead: None }
}

/// The loop without a read.
pub(crate) struct Empty;

impl Read for Empty {
    #[inline(always)]
    fn read(&mut self) {
        sink(0);
    }

    #[inline(always)]
    fn value(&mut self) -> u64 {
        0
    }
}
