//! Memory: what happens when it runs out (one line and an exit code, not an abort with a
//! backtrace), how to need less of it, memory that one object has for itself, so that two threads
//! that exchange values through it disturb nobody, and what displaces the contents of the caches
//! and the branch predictor, so that the next read is cold.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::io::{self, Write};
use std::ops::Deref;
use std::ptr::NonNull;

/// The exit code of a program that ran out of memory.
pub const EXIT_CODE: i32 = 3;

/// The system's allocator, which ends the program if the system refuses memory.
pub struct Allocator;

// SAFETY: every call is passed on to the system's allocator with the same arguments, so it keeps
// the contract; and a program may end at any time.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        given(unsafe { System.realloc(at, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract, and System gave this memory.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Makes a process that runs for hours keep less memory than it needs at its peaks: glibc has one
/// arena for the first thread and one for all others, not eight per CPU, and gives large blocks
/// back. (`mallopt(3)`: a fixed threshold is not raised when such a block is freed.) Call it before
/// there are other threads. Other C libraries are left alone.
pub fn keep_little() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    for (what, value) in [(libc::M_ARENA_MAX, 2), (libc::M_MMAP_THRESHOLD, 64 << 10)] {
        // SAFETY: the function takes two numbers, and refuses those that it does not know.
        unsafe { libc::mallopt(what, value) };
    }
}

fn given(at: *mut u8, bytes: usize) -> *mut u8 {
    if at.is_null() {
        refused(bytes);
    }
    at
}

/// Writing to standard error needs no memory: it has no buffer.
#[cold]
fn refused(bytes: usize) -> ! {
    let limit = if cfg!(unix) { "; is there a limit, such as ulimit -v?" } else { "" };
    let _ =
        writeln!(io::stderr(), "chronoscope: the system refused {bytes} bytes of memory{limit}");
    std::process::exit(EXIT_CODE)
}

/// The size of the page: no system has larger pages by default (Arm, powerpc: 64 KiB).
const BYTES: usize = 64 << 10;

/// An object on a fresh page. The thread that makes it touches the page first, so the page belongs
/// to the memory node of the CPU on which that thread runs (Linux,
/// Documentation/admin-guide/mm/numa_memory_policy.rst, "Local allocation").
#[derive(Debug)]
pub struct Page<T> {
    object: NonNull<T>,
    _memory: Mapped,
}

// SAFETY: the page owns its object and has no other state, so it may go where the object may.
unsafe impl<T: Send> Send for Page<T> {}
// SAFETY: as above; a shared page gives out nothing but a shared object.
unsafe impl<T: Sync> Sync for Page<T> {}

impl<T> Page<T> {
    /// Puts an object on a page of its own.
    ///
    /// # Errors
    /// There is no memory, or the object does not fit.
    pub fn new(object: T) -> io::Result<Self> {
        if size_of::<T>() > BYTES || align_of::<T>() > 4096 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let memory = Mapped::new(BYTES)?;
        let place = memory.at.cast::<T>();
        // SAFETY: the memory is fresh, writable, large enough and aligned to a page.
        unsafe { place.write(object) };
        Ok(Self { object: place, _memory: memory })
    }
}

impl<T> Deref for Page<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the object was written by `new` and is dropped only with the page.
        unsafe { self.object.as_ref() }
    }
}

impl<T> Drop for Page<T> {
    fn drop(&mut self) {
        // SAFETY: the object is live, and nothing refers to it any more.
        unsafe { self.object.drop_in_place() };
    }
}

/// Fresh memory that can be written to, aligned to a page. It goes back when this is dropped.
#[derive(Debug)]
pub(crate) struct Mapped {
    pub(crate) at: NonNull<u8>,
    bytes: usize,
}

#[cfg(unix)]
impl Mapped {
    /// # Errors
    /// There is no memory.
    pub(crate) fn new(bytes: usize) -> io::Result<Self> {
        Self::by(bytes, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)
    }

    /// The memory that a file shares with the kernel.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(file: &std::fs::File, bytes: usize) -> io::Result<Self> {
        Self::by(bytes, libc::MAP_SHARED, std::os::fd::AsRawFd::as_raw_fd(file))
    }

    fn by(bytes: usize, kind: libc::c_int, file: libc::c_int) -> io::Result<Self> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice touches no other memory.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, kind, file, 0) };
        match NonNull::new(at.cast::<u8>()) {
            Some(at) if at.as_ptr().cast() != libc::MAP_FAILED => Ok(Self { at, bytes }),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[cfg(unix)]
impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and its owner does not use it any more.
        unsafe { libc::munmap(self.at.as_ptr().cast(), self.bytes) };
    }
}

#[cfg(not(unix))]
impl Mapped {
    /// # Errors
    /// There is no memory.
    pub(crate) fn new(bytes: usize) -> io::Result<Self> {
        // SAFETY: the size is not zero.
        let at = unsafe { System.alloc_zeroed(Self::layout(bytes)) };
        let at = NonNull::new(at).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { at, bytes })
    }

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes, 4096).expect("a few pages")
    }
}

#[cfg(not(unix))]
impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and its owner does not use it any more.
        unsafe { System.dealloc(self.at.as_ptr(), Self::layout(self.bytes)) };
    }
}

/// The size of a page, in bytes.
#[cfg(target_os = "linux")]
pub(crate) fn page_size() -> Option<usize> {
    // SAFETY: has no preconditions.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()
}

/// A cache line, or less.
const LINE: usize = 64;

/// What is needed to make reads cold.
pub struct Displacer {
    memory: Vec<u8>,
    pattern: u64,
}

impl Displacer {
    /// Displaces what is in caches of up to this many bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            // Not zeros: pages that were never written to may all be one physical page.
            memory: vec![1; bytes],
            pattern: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// The memory that the displacer walks, in bytes.
    pub fn bytes(&self) -> usize {
        self.memory.len()
    }

    /// Loads every cache line of the memory and takes several thousand branches in an order that
    /// has not occurred before.
    pub fn displace(&mut self) {
        let lines = black_box(&self.memory).iter().step_by(LINE);
        black_box(lines.fold(0, |sum: u8, line| sum.wrapping_add(*line)));
        self.pattern = branches(self.pattern);
    }
}

/// 2048 separate branches in 64 KiB of code or more, decided by the bits of a xorshift generator
/// (Marsaglia 2003): more than a first-level instruction cache and the branch predictor hold.
#[inline(never)]
fn branches(mut state: u64) -> u64 {
    // Each number doubles the branches, and is what their salts differ by.
    macro_rules! branches {
        ($salt:expr;) => {
            state ^= state << 13;
            state ^= state >> 7;
            if state & 1 == 0 {
                state = black_box(state ^ $salt);
            }
        };
        ($salt:expr; $half:literal $($rest:literal)*) => {
            branches!($salt; $($rest)*);
            branches!($salt + $half; $($rest)*);
        };
    }
    branches!(0; 1024 512 256 128 64 32 16 8 4 2 1);
    state | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn an_object_lives_alone_on_its_page_and_is_dropped_with_it() {
        let shared = Arc::new(AtomicU64::new(7));
        let pages: Vec<_> = (0..3).map(|_| Page::new(shared.clone()).expect("memory")).collect();
        let ends: Vec<usize> = pages.iter().map(|page| page.object.as_ptr().addr()).collect();
        assert!(ends.iter().all(|at| at.is_multiple_of(4096)));
        assert!(ends[0].abs_diff(ends[1]) >= BYTES && ends[1].abs_diff(ends[2]) >= BYTES);
        std::thread::scope(|scope| {
            scope.spawn(|| pages[1].store(8, Ordering::Relaxed));
        });
        assert_eq!(shared.load(Ordering::Relaxed), 8);
        drop(pages);
        assert_eq!(Arc::strong_count(&shared), 1);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(Page::new([0u8; BYTES + 1]).is_err());
    }

    #[test]
    fn the_pattern_never_repeats() {
        let mut displacer = Displacer::new(1 << 20);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..50 {
            displacer.displace();
            assert!(displacer.pattern != 0 && seen.insert(displacer.pattern));
        }
    }
}
