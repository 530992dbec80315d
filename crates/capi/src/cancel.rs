//! Cancellation (`pthread_cancel(3)`) and signals during waits.
//!
//! The C library cancels a thread by unwinding its stack: at certain calls, or at any instruction
//! if the thread asks for that (`PTHREAD_CANCEL_ASYNCHRONOUS`). Rust's own frames do not survive
//! it. So every call that does more than read runs with cancellation disabled. What runs before and
//! after that, and the frames in which a wait sleeps for most of its time, hold nothing to be
//! cleaned up, so that the stack can be unwound from any of their instructions: they are functions
//! that may unwind (`extern "C-unwind"`), and have no value that is dropped and nothing that
//! catches a panic, both of which would take a table of the places where they may be unwound.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub use held::held;
#[cfg(unix)]
pub use unix::{cancel_if_asked, disable, pause, restore};
#[cfg(not(unix))]
pub use without::{cancel_if_asked, disable, pause, restore};

/// How a pause ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paused {
    /// Its time has passed, or the system cannot pause.
    Done,
    /// A handler of a signal has run.
    Signal,
}

#[cfg(unix)]
mod unix {
    use std::ffi::{c_int, c_ulong, c_void};
    use std::io::{Error, ErrorKind};
    use std::ptr;

    use super::Paused;

    /// `pthread.h`: macOS has other numbers.
    const DISABLE: c_int = if cfg!(target_vendor = "apple") { 0 } else { 1 };
    const DEFERRED: c_int = if cfg!(target_vendor = "apple") { 2 } else { 0 };

    unsafe extern "C-unwind" {
        #[cfg(not(target_os = "android"))]
        fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
        #[cfg(not(target_os = "android"))]
        fn pthread_setcanceltype(kind: c_int, old: *mut c_int) -> c_int;
        #[cfg(not(target_os = "android"))]
        fn pthread_testcancel();
        fn poll(descriptors: *mut c_void, count: c_ulong, milliseconds: c_int) -> c_int;
    }

    /// How a thread may be cancelled: its state and its type.
    #[derive(Clone, Copy)]
    pub struct Before(c_int, c_int);

    /// Disables cancellation of this thread, and returns what [`restore`] takes.
    ///
    /// The type is set as well, because glibc's handler of its signal looks at that alone: a signal
    /// that was sent before the state was disabled would cancel the thread afterwards.
    #[inline(always)]
    pub fn disable() -> Before {
        #[allow(unused_mut, reason = "Android has no cancellation")]
        let mut before = Before(DISABLE, DEFERRED);
        #[cfg(not(target_os = "android"))]
        // SAFETY: valid places for the previous state and type; affects only this thread.
        unsafe {
            pthread_setcancelstate(DISABLE, &mut before.0);
            pthread_setcanceltype(DEFERRED, &mut before.1);
        }
        before
    }

    /// Restores what [`disable`] has returned. If the thread was cancelled meanwhile and asks for
    /// that to happen at any time, this unwinds.
    #[inline(always)]
    pub fn restore(before: Before) {
        #[cfg(not(target_os = "android"))]
        // SAFETY: restores the previous state and type; if the thread is cancelled, no caller holds
        // anything.
        unsafe {
            pthread_setcancelstate(before.0, ptr::null_mut());
            if before.1 != DEFERRED {
                pthread_setcanceltype(before.1, ptr::null_mut());
            }
        }
        #[cfg(target_os = "android")]
        let _ = before;
    }

    /// Ends this thread if it was cancelled meanwhile.
    pub fn cancel_if_asked() {
        #[cfg(not(target_os = "android"))]
        // SAFETY: if the thread is cancelled, this unwinds; no caller holds anything.
        unsafe {
            pthread_testcancel();
        }
    }

    /// Sleeps for so many milliseconds, unless the thread is cancelled or a handler runs.
    pub fn pause(milliseconds: c_int) -> Paused {
        // SAFETY: no descriptors, so the pointer is not used; if the thread is cancelled, this
        // unwinds, and no caller holds anything.
        let ended = unsafe { poll(ptr::null_mut(), 0, milliseconds) };
        let before = disable();
        let interrupted = ended < 0 && was_interrupted();
        restore(before);
        if interrupted { Paused::Signal } else { Paused::Done }
    }

    /// In a frame of its own, because an error is dropped here.
    #[inline(never)]
    fn was_interrupted() -> bool {
        Error::last_os_error().kind() == ErrorKind::Interrupted
    }
}

/// Only glibc takes a signal for a cancellation wherever it arrives in a call that is a
/// cancellation point, such as `pthread_join`: also one that was sent just before [`disable`].
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn held<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod held {
    use std::ptr;

    /// `SIGCANCEL` of glibc's `internal-signals.h`, which its own functions do not block.
    const SIGNAL: u64 = 1 << (32 - 1);

    /// The signals that were blocked before, if glibc's is blocked now.
    struct Held(Option<u64>);

    /// Runs what calls cancellation points, while glibc's signal waits. A system call more.
    pub fn held<T>(work: impl FnOnce() -> T) -> T {
        let mut before = 0_u64;
        let size = size_of_val(&before);
        // SAFETY: two valid sets of this size; affects only this thread.
        let failed = unsafe {
            let (how, set) = (libc::SIG_BLOCK, &SIGNAL as *const u64);
            libc::syscall(libc::SYS_rt_sigprocmask, how, set, &mut before as *mut u64, size)
        } != 0;
        let _held = Held((!failed).then_some(before));
        work()
    }

    impl Drop for Held {
        fn drop(&mut self) {
            let Some(before) = self.0 else { return };
            let (how, none) = (libc::SIG_SETMASK, ptr::null_mut::<u64>());
            // SAFETY: restores what was read from the kernel, in a set of the same size.
            unsafe {
                let set = &before as *const u64;
                libc::syscall(libc::SYS_rt_sigprocmask, how, set, none, size_of_val(&before));
            }
        }
    }
}

/// Other systems neither cancel threads nor interrupt sleeps.
#[cfg(not(unix))]
mod without {
    use std::ffi::c_int;

    use super::Paused;

    pub fn disable() -> c_int {
        0
    }

    pub fn restore(_before: c_int) {}

    pub fn cancel_if_asked() {}

    pub fn pause(_milliseconds: c_int) -> Paused {
        Paused::Done
    }
}
