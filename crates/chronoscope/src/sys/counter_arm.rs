//! The virtual counter of the generic timer on 32-bit Arm Linux, if the kernel lets user code read
//! it; otherwise the operating system's clock.
//!
//! Every direct test would risk an illegal instruction, and a library cannot take that risk: the
//! handler that would catch it belongs to the whole process. But a kernel that drives the
//! processor's own timers opens the counter on each CPU that it brings up
//! (drivers/clocksource/arm_arch_timer.c, `arch_counter_set_user_access`), and then shows two
//! things: `arch_sys_counter` is among its clock sources, and the auxiliary vector has the event
//! stream of the same timers. The clock source alone could be the memory-mapped counter, and it is
//! all that is visible in QEMU's user mode on an Arm host, which has no counter for 32-bit
//! programs.

use core::arch::asm;
use core::sync::atomic::{AtomicU8, Ordering};

use super::cpu::CLOCK_SOURCES;
use super::{generic_timer, os};
use crate::machine::Kernel;

#[path = "counter_os.rs"]
mod instead;

/// `HWCAP_EVTSTRM` in arch/arm/include/uapi/asm/hwcap.h.
const EVENT_STREAM: libc::c_ulong = 1 << 21;

const UNKNOWN: u8 = 0;
const OPEN: u8 = 1;
const CLOSED: u8 = 2;

static ACCESS: AtomicU8 = AtomicU8::new(UNKNOWN);

#[inline(always)]
fn open() -> bool {
    match ACCESS.load(Ordering::Relaxed) {
        UNKNOWN => ask(),
        access => access == OPEN,
    }
}

#[cold]
fn ask() -> bool {
    // SAFETY: looks up a number in data that the kernel gave the process; returns zero if absent.
    let capabilities = unsafe { libc::getauxval(libc::AT_HWCAP) };
    let open = capabilities & EVENT_STREAM != 0
        && matches!(os::kernel_view(CLOCK_SOURCES), Kernel::Uses(_) | Kernel::Offers(_));
    ACCESS.store(if open { OPEN } else { CLOSED }, Ordering::Relaxed);
    open
}

pub fn name() -> &'static str {
    if open() { "cntvct" } else { instead::name() }
}

pub fn is_hardware() -> bool {
    open() || instead::is_hardware()
}

/// Reads the counter after `$before` and before `$after`. The assembler is set to ARMv7, which
/// knows `isb`, because the target may be an older architecture; a kernel that opens the counter
/// runs on ARMv7.
macro_rules! read {
    ($($before:literal)?, $($after:literal)?, $($option:ident),*) => {{
        let (low, high): (u32, u32);
        // SAFETY: reads a system register into two general ones, which the kernel permits, as was
        // checked before; touches no flags.
        unsafe {
            asm!(
                ".arch armv7-a", $($before,)? "mrrc p15, 1, {}, {}, c14", $($after,)?
                out(reg) low, out(reg) high, options($($option),*)
            );
        }
        u64::from(high) << 32 | u64::from(low)
    }};
}

#[inline(always)]
pub fn now() -> u64 {
    if open() { read!(,, nomem, nostack, preserves_flags) } else { instead::now() }
}

#[inline(always)]
pub fn now_ordered() -> u64 {
    if open() {
        // Without `nomem`, so that the compiler also orders memory around it.
        read!("isb",, nostack, preserves_flags)
    } else {
        instead::now_ordered()
    }
}

#[inline(always)]
pub fn start() -> u64 {
    if open() { read!("isb", "isb", nostack, preserves_flags) } else { instead::start() }
}

#[inline(always)]
pub fn stop() -> u64 {
    if open() { start() } else { instead::stop() }
}

pub fn step() -> u64 {
    if open() { generic_timer::step(start) } else { instead::step() }
}

pub const fn has_stop() -> bool {
    instead::has_stop()
}
