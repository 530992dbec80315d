//! Linux: two marks in a thread, one of which the kernel removes, and the other the processor.

use core::ffi::c_void;
use std::ptr::NonNull;
#[cfg(target_arch = "x86_64")]
use std::sync::atomic::AtomicU8;
use std::sync::atomic::{AtomicIsize, Ordering, compiler_fence};

/// The beginning of `struct rseq` (`include/uapi/linux/rseq.h`).
#[repr(C)]
struct Area {
    cpu_id_start: u32,
    cpu_id: u32,
    critical_section: u64,
}

/// `struct rseq_cs`: a section that is aborted if its thread is interrupted inside it. If the
/// thread is elsewhere, the kernel only removes the pointer to it.
#[repr(C, align(32))]
struct Section {
    version: u32,
    flags: u32,
    start: *const u8,
    length: u64,
    abort: *const u8,
}

// SAFETY: nothing writes to it, or to what it points to.
unsafe impl Sync for Section {}

/// A place that no thread executes. The kernel ends a thread unless the signature that the C
/// library registered precedes the address to abort to.
#[repr(C)]
struct Nowhere {
    start: [u8; 4],
    signature: u32,
    abort: [u8; 8],
}

/// `RSEQ_SIG` of glibc (`sysdeps/unix/sysv/linux/{x86,aarch64}/bits/rseq.h`).
const SIGNATURE: u32 = if cfg!(target_arch = "aarch64") { 0xd428_bc00 } else { 0x5305_3053 };

static NOWHERE: Nowhere = Nowhere { start: [0; 4], signature: SIGNATURE, abort: [0; 8] };

static SECTION: Section = Section {
    version: 0,
    flags: 0,
    start: (&raw const NOWHERE.start).cast(),
    length: 1,
    abort: (&raw const NOWHERE.abort).cast(),
};

/// Where `struct rseq` is relative to the thread pointer, plus [`KNOWN`]; 0 before it was asked
/// for.
static OFFSET: AtomicIsize = AtomicIsize::new(0);
const KNOWN: isize = 1;
/// There is no such area: offsets are multiples of 32.
const NONE: isize = 2;

/// A pointer to a critical section that its thread is never in. The kernel removes it whenever the
/// thread has been preempted, moved to another CPU or given a signal (`kernel/rseq.c`). It belongs
/// to the thread that made it.
#[derive(Debug)]
pub struct Mark(NonNull<Area>);

impl Mark {
    /// `None` if the C library has registered no area for this thread: before glibc 2.35, with
    /// another C library, or where `glibc.pthread.rseq=0` or an emulator prevents it.
    pub fn of_this_thread() -> Option<Self> {
        let offset = match OFFSET.load(Ordering::Relaxed) {
            0 => {
                let found = registered().map_or(NONE, |offset| offset | KNOWN);
                OFFSET.store(found, Ordering::Relaxed);
                found
            }
            known => known,
        };
        if offset == NONE {
            return None;
        }
        let place = thread_pointer().wrapping_add_signed(offset & !KNOWN);
        let area = NonNull::new(core::ptr::with_exposed_provenance_mut::<Area>(place))?;
        // SAFETY: the C library keeps the area at that offset in each of its threads. The number
        // of the CPU is negative if this thread was not registered.
        let cpu = unsafe { (&raw const (*area.as_ptr()).cpu_id).read_volatile() };
        (cpu as i32 >= 0).then_some(Self(area))
    }

    /// Sets the mark, and returns the number of the CPU.
    #[inline(always)]
    pub fn set(&self) -> u32 {
        let area = self.0.as_ptr();
        let section = (&raw const SECTION).expose_provenance() as u64;
        // SAFETY: the area exists as long as its thread, which is the only one to use it. The
        // section is static, and the kernel reads what it names only to compare.
        let cpu = unsafe {
            (&raw mut (*area).critical_section).write_volatile(section);
            (&raw const (*area).cpu_id).read_volatile()
        };
        compiler_fence(Ordering::SeqCst);
        cpu
    }

    /// Removes the mark. Returns whether it still stood, unless other code of this thread used the
    /// same pointer meanwhile, and the number of the CPU.
    #[inline(always)]
    pub fn take(&self) -> (Option<bool>, u32) {
        compiler_fence(Ordering::SeqCst);
        let area = self.0.as_ptr();
        let section = (&raw const SECTION).expose_provenance() as u64;
        // SAFETY: as above. The pointer of somebody else is left alone.
        let (found, cpu) = unsafe {
            let place = &raw mut (*area).critical_section;
            let found = place.read_volatile();
            if found == section {
                place.write_volatile(0);
            }
            (found, (&raw const (*area).cpu_id).read_volatile())
        };
        let stood = match found {
            0 => Some(false),
            found => (found == section).then_some(true),
        };
        (stood, cpu)
    }
}

/// The offset of the area, if glibc has registered one. Both symbols are from glibc 2.35, and are
/// looked up so that programs start with an older one, too.
fn registered() -> Option<isize> {
    // SAFETY: the names end with NUL; looks through the libraries that are loaded.
    let symbol = |name: &core::ffi::CStr| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    let size = NonNull::<c_void>::new(symbol(c"__rseq_size"))?.cast::<u32>();
    let offset = NonNull::<c_void>::new(symbol(c"__rseq_offset"))?.cast::<isize>();
    // SAFETY: `const unsigned int __rseq_size` and `const ptrdiff_t __rseq_offset` of
    // `<sys/rseq.h>`.
    unsafe { (size.read() != 0).then(|| offset.read()) }
}

fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: reads a register, or the word at the thread pointer, which holds its own address (the
    // ABI of thread-local storage on x86-64).
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!("mov {}, fs:0", out(reg) pointer, options(nostack, readonly));
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nostack, nomem));
    }
    pointer
}

/// A null selector in the segment register ES, which a return from an interrupt or a fault replaces
/// by 0 ([`witness::Entries`](crate::witness::Entries) has the sources).
#[derive(Debug)]
pub struct Entries(());

/// Whether entries show: 0 before it was tested, then [`SHOWN`] or [`HIDDEN`].
#[cfg(target_arch = "x86_64")]
static SHOW: AtomicU8 = AtomicU8::new(0);
#[cfg(target_arch = "x86_64")]
const SHOWN: u8 = 1;
#[cfg(target_arch = "x86_64")]
const HIDDEN: u8 = 2;

#[cfg(target_arch = "x86_64")]
impl Entries {
    /// `None` if this processor keeps the selector when it returns from an interrupt, as with
    /// Intel's FRED, or an emulator runs the process. Tests it the first time, by a page fault.
    pub fn shown() -> Option<Self> {
        let shown = match SHOW.load(Ordering::Relaxed) {
            0 => {
                let found = if !in_valgrind() && fault_removes() { SHOWN } else { HIDDEN };
                SHOW.store(found, Ordering::Relaxed);
                found
            }
            known => known,
        };
        // Not `then_some`: one that is made and dropped loads the selector that must not be loaded.
        (shown == SHOWN).then(|| Self(()))
    }

    #[inline(always)]
    pub fn set(&self) {
        select(1);
    }

    #[inline(always)]
    pub fn stood(&self) -> bool {
        selected() != 0
    }
}

#[cfg(target_arch = "x86_64")]
impl Drop for Entries {
    fn drop(&mut self) {
        select(0);
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn select(selector: u16) {
    // SAFETY: 0 to 3 are null selectors, which may be loaded in 64-bit mode.
    unsafe {
        core::arch::asm!("mov es, {0:x}", in(reg) selector, options(nostack, preserves_flags));
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn selected() -> u16 {
    let selector: u16;
    // SAFETY: reads a register.
    unsafe {
        core::arch::asm!("mov {0:x}, es", out(reg) selector, options(nostack, preserves_flags));
    }
    selector
}

/// Pages of zeros that nothing has touched, each on a page of its own.
#[cfg(target_arch = "x86_64")]
#[repr(C, align(4096))]
struct Pages([[u8; 4096]; 16]);

/// Whether first writes to pages remove the selector, and nothing removes it without them. Takes
/// no system call. If all memory is locked, the pages are present, and interrupts of 20 ms decide,
/// which is two ticks of the slowest kernel.
#[cfg(target_arch = "x86_64")]
fn fault_removes() -> bool {
    static PAGES: std::sync::Mutex<Pages> = std::sync::Mutex::new(Pages([[0; 4096]; 16]));
    let entries = Entries(());
    let stands = (0..16).any(|_| {
        entries.set();
        std::hint::spin_loop();
        entries.stood()
    });
    let removed = PAGES.try_lock().is_ok_and(|mut pages| {
        pages.0.iter_mut().any(|page| {
            entries.set();
            let first = &raw mut page[0];
            // SAFETY: the lock is held; volatile, so that the write takes place.
            unsafe { first.write_volatile(1) };
            !entries.stood()
        })
    });
    let until = super::os::monotonic() + 20_000_000;
    let ticked = || {
        entries.set();
        while entries.stood() && super::os::monotonic() < until {}
        !entries.stood()
    };
    stands && (removed || ticked())
}

/// Valgrind ends a process that loads a null selector. It answers this sequence, which does nothing
/// on a processor, with its depth (`valgrind.h`, `RUNNING_ON_VALGRIND`).
#[cfg(target_arch = "x86_64")]
fn in_valgrind() -> bool {
    let request = [0x1001_u64, 0, 0, 0, 0, 0];
    let depth: u64;
    // SAFETY: four rotations by 128 bits in all restore RDI, and the exchange does nothing.
    unsafe {
        core::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") request.as_ptr(),
            inout("rdx") 0_u64 => depth,
            options(nostack)
        );
    }
    depth != 0
}

#[cfg(target_arch = "aarch64")]
impl Entries {
    /// Arm has no such register.
    pub fn shown() -> Option<Self> {
        None
    }

    pub fn set(&self) {}

    pub fn stood(&self) -> bool {
        false
    }
}

/// Additions that each wait for the one before.
pub const CHAIN: u64 = 1024;
/// Additions to eight registers in turn: more than a core makes per cycle. They take as long as
/// [`CHAIN`] on a core that makes four per cycle.
pub const INDEPENDENT: u64 = 4 * CHAIN;

/// The gauges of `measure/engine/gauges.rs`, eight times as short. A register is added to itself,
/// because newer cores perform additions of a small constant while they rename registers.
pub fn chain() {
    let rounds = CHAIN / 16;
    // SAFETY: adds to registers that are declared.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!(
            "2:", ".rept 16", "add r11, r11", ".endr", "sub {0}, 1", "jnz 2b",
            inout(reg) rounds => _, out("r11") _, options(nomem, nostack)
        );
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!(
            "2:", ".rept 16", "add x9, x9, x9", ".endr", "subs {0}, {0}, #1", "b.ne 2b",
            inout(reg) rounds => _, out("x9") _, options(nomem, nostack)
        );
    }
}

/// See [`INDEPENDENT`].
pub fn independent() {
    let rounds = INDEPENDENT / 32;
    // SAFETY: as above.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!(
            "2:", ".rept 4", "add rax, rax", "add rcx, rcx", "add rdx, rdx", "add rsi, rsi",
            "add r8, r8", "add r9, r9", "add r10, r10", "add r11, r11", ".endr",
            "sub {0}, 1", "jnz 2b",
            inout(reg) rounds => _, out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _, options(nomem, nostack)
        );
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!(
            "2:", ".rept 4", "add x8, x8, x8", "add x9, x9, x9", "add x10, x10, x10",
            "add x11, x11, x11", "add x12, x12, x12", "add x13, x13, x13", "add x14, x14, x14",
            "add x15, x15, x15", ".endr", "subs {0}, {0}, #1", "b.ne 2b",
            inout(reg) rounds => _, out("x8") _, out("x9") _, out("x10") _, out("x11") _,
            out("x12") _, out("x13") _, out("x14") _, out("x15") _, options(nomem, nostack)
        );
    }
}
