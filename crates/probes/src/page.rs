//! A page of memory that holds one object and nothing else, so that two threads that exchange
//! values through it disturb nobody, and nobody disturbs them.

use std::io;
use std::ops::Deref;
use std::ptr::NonNull;

/// The size of the page: no system has larger pages by default (Arm, powerpc: 64 KiB).
const BYTES: usize = 64 << 10;

/// An object on a fresh page. The thread that makes it touches the page first, so the page belongs
/// to the memory node of the CPU on which that thread runs (Linux,
/// Documentation/admin-guide/mm/numa_memory_policy.rst, "Local allocation").
#[derive(Debug)]
pub struct Page<T>(NonNull<T>);

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
        let at = fresh()?.cast::<T>();
        // SAFETY: the memory is fresh, writable, large enough and aligned to a page.
        unsafe { at.write(object) };
        Ok(Self(at))
    }
}

impl<T> Deref for Page<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the object was written by `new` and is dropped only with the page.
        unsafe { self.0.as_ref() }
    }
}

impl<T> Drop for Page<T> {
    fn drop(&mut self) {
        // SAFETY: the object is live, and nothing refers to it any more.
        unsafe { self.0.drop_in_place() };
        give_back(self.0.cast());
    }
}

#[cfg(unix)]
fn fresh() -> io::Result<NonNull<u8>> {
    // SAFETY: an anonymous mapping at an address of the kernel's choice touches no other memory.
    let at = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            BYTES,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    match NonNull::new(at.cast::<u8>()) {
        Some(at) if at.as_ptr().cast() != libc::MAP_FAILED => Ok(at),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(unix)]
fn give_back(at: NonNull<u8>) {
    // SAFETY: the mapping was made by `fresh` with this length, and nothing refers to it any more.
    unsafe { libc::munmap(at.as_ptr().cast(), BYTES) };
}

#[cfg(not(unix))]
const LAYOUT: std::alloc::Layout = match std::alloc::Layout::from_size_align(BYTES, 4096) {
    Ok(layout) => layout,
    Err(_) => panic!("the alignment is a power of two"),
};

#[cfg(not(unix))]
fn fresh() -> io::Result<NonNull<u8>> {
    // SAFETY: the layout's size is not zero.
    let at = unsafe { std::alloc::alloc_zeroed(LAYOUT) };
    NonNull::new(at).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

#[cfg(not(unix))]
fn give_back(at: NonNull<u8>) {
    // SAFETY: the memory was allocated by `fresh` with this layout.
    unsafe { std::alloc::dealloc(at.as_ptr(), LAYOUT) };
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
        let ends: Vec<usize> = pages.iter().map(|page| page.0.as_ptr().addr()).collect();
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
}
