//! The rate of the counter as the kernel itself uses it, from the page of a perf event.
//!
//! `perf_event_open(2)`: `time_mult` and `time_shift` convert ticks to nanoseconds, and are valid
//! if `cap_user_time` is set. The call is denied in most containers; nothing depends on it.

use core::ffi::c_long;
use core::ptr;
use core::sync::atomic::{Ordering, compiler_fence};

use crate::machine::Hint;

/// The first 64 bytes of `struct perf_event_attr` (PERF_ATTR_SIZE_VER0,
/// include/uapi/linux/perf_event.h), which is all that a counting event needs.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    breakpoint_address: u64,
}

const PERF_TYPE_SOFTWARE: u32 = 1;
const PERF_COUNT_SW_DUMMY: u64 = 9;
const EXCLUDE_KERNEL_AND_HYPERVISOR: u64 = (1 << 5) | (1 << 6);
const PERF_FLAG_FD_CLOEXEC: c_long = 1 << 3;

/// Offsets into `struct perf_event_mmap_page`, in the same file.
const LOCK: usize = 8;
const CAPABILITIES: usize = 40;
const TIME_SHIFT: usize = 50;
const TIME_MULT: usize = 52;
const CAP_USER_TIME: u64 = 1 << 3;

/// Number of bytes to map; a page may be larger, and the kernel rounds up to it.
const LENGTH: usize = 4096;

pub fn rate() -> Option<Hint> {
    let attributes = Attributes {
        kind: PERF_TYPE_SOFTWARE,
        size: size_of::<Attributes>() as u32,
        config: PERF_COUNT_SW_DUMMY,
        flags: EXCLUDE_KERNEL_AND_HYPERVISOR,
        ..Attributes::default()
    };
    // SAFETY: a valid attribute block of the size it states; this thread, any CPU, no group.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &attributes as *const Attributes,
            0 as c_long,
            -1 as c_long,
            -1 as c_long,
            PERF_FLAG_FD_CLOEXEC,
        )
    } as libc::c_int;
    if fd < 0 {
        return None;
    }
    // SAFETY: a new read-only mapping of the event's first page, at an address the kernel chooses.
    let page =
        unsafe { libc::mmap(ptr::null_mut(), LENGTH, libc::PROT_READ, libc::MAP_SHARED, fd, 0) };
    let mut found = None;
    if page != libc::MAP_FAILED {
        found = read(page.cast());
        // SAFETY: the mapping made above, from which nothing is borrowed any more.
        unsafe { libc::munmap(page, LENGTH) };
    }
    // SAFETY: the descriptor opened above. The C library's function would be a point at which the
    // thread can be cancelled.
    unsafe { libc::syscall(libc::SYS_close, fd) };
    let (mult, shift) = found?;
    Some(Hint {
        hz: 1e9 / (f64::from(mult) / (1u64 << shift) as f64),
        // The clock source has its own multiplier of some 23 bits for the same rate in kHz
        // (kernel/time/clocksource.c, clocks_calc_mult_shift), which differs by up to 0.1 ppm.
        bound_ppm: 0.2,
        from: "the kernel's perf page",
    })
}

/// Reads `time_mult` and `time_shift` as the comment in perf_event.h requires: again until the
/// sequence number stays the same.
fn read(page: *const u8) -> Option<(u32, u16)> {
    for _ in 0..100 {
        // SAFETY: the page has at least LENGTH bytes, with these fields at their natural
        // alignment; the kernel may write at any time, so the reads are volatile.
        let (before, capabilities, shift, mult, after) = unsafe {
            let lock = page.add(LOCK).cast::<u32>();
            let before = lock.read_volatile();
            compiler_fence(Ordering::SeqCst);
            let capabilities = page.add(CAPABILITIES).cast::<u64>().read_volatile();
            let shift = page.add(TIME_SHIFT).cast::<u16>().read_volatile();
            let mult = page.add(TIME_MULT).cast::<u32>().read_volatile();
            compiler_fence(Ordering::SeqCst);
            (before, capabilities, shift, mult, lock.read_volatile())
        };
        if before == after {
            let usable = capabilities & CAP_USER_TIME != 0 && mult != 0 && shift < 64;
            return usable.then_some((mult, shift));
        }
    }
    None
}
