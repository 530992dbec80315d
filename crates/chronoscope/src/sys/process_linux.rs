//! Which process this is: a number that changes in a forked child.
//!
//! It is kept on a page that the kernel clears in every child (`madvise(2)`, MADV_WIPEONFORK, since
//! Linux 4.14). A handler of `pthread_atfork` would miss a child of a bare `clone`, and registering
//! one allocates; a process ID can be that of an earlier process in another namespace, and is a
//! system call each time.

use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::sync::AtomicU64;

/// The page; null before the first call, and dangling if the kernel offers no such page.
static PAGE: AtomicPtr<AtomicU64> = AtomicPtr::new(ptr::null_mut());

/// The number of the process whose memory this was copied from, or of this one.
static NUMBER: AtomicU64 = AtomicU64::new(0);

const LENGTH: usize = 4096;

/// A number that differs from that of every process that this one was forked from; never zero.
///
/// The first call in a process makes up to three system calls: `mmap`, `madvise` and `munmap`. It
/// neither locks nor allocates.
pub fn number() -> u64 {
    let mut page = PAGE.load(Ordering::Acquire);
    if page.is_null() {
        page = make();
    }
    if ptr::eq(page, unavailable()) {
        return u64::from(std::process::id());
    }
    // SAFETY: the page is mapped as long as the process lives, is aligned and holds an atomic; zero
    // is valid.
    let here = unsafe { &*page };
    match here.load(Ordering::Acquire) {
        0 => {
            let next = NUMBER.fetch_add(1, Ordering::AcqRel) + 1;
            match here.compare_exchange(0, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => next,
                Err(other) => other,
            }
        }
        number => number,
    }
}

fn unavailable() -> *mut AtomicU64 {
    ptr::dangling_mut()
}

/// Maps the page, unless another thread is faster.
fn make() -> *mut AtomicU64 {
    // SAFETY: a new private mapping at an address that the kernel chooses.
    let mapped = unsafe {
        libc::mmap(
            ptr::null_mut(),
            LENGTH,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    let mut page = unavailable();
    if mapped != libc::MAP_FAILED {
        // SAFETY: the mapping made above, in its whole length.
        if unsafe { libc::madvise(mapped, LENGTH, libc::MADV_WIPEONFORK) } == 0 {
            page = mapped.cast();
        }
    }
    let published =
        PAGE.compare_exchange(ptr::null_mut(), page, Ordering::AcqRel, Ordering::Acquire);
    if mapped != libc::MAP_FAILED && (published.is_err() || ptr::eq(page, unavailable())) {
        // SAFETY: the mapping made above, to which nobody else has a pointer.
        unsafe { libc::munmap(mapped, LENGTH) };
    }
    match published {
        Ok(_) => page,
        Err(other) => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_stays_the_same() {
        let first = number();
        assert!(first != 0);
        let seen: Vec<_> = (0..4).map(|_| std::thread::spawn(number)).collect();
        assert!(seen.into_iter().all(|it| it.join().unwrap() == first));
    }
}
