//! What happens when memory runs out: one line and an exit code, not an abort with a backtrace. And
//! how to need less of it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, Write};

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
