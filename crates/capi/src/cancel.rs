//! Cancellation (`pthread_cancel(3)`) and signals during waits.
//!
//! The C library cancels a thread by unwinding its stack, which Rust's own frames do not survive.
//! So every call that does more than read runs with cancellation disabled. The functions that wait
//! sleep for most of the time in frames that hold nothing to be cleaned up, with cancellation
//! enabled: in [`pause`], which must be called by an `extern "C-unwind"` function directly.

#[cfg(unix)]
pub use unix::{Uncancelled, cancel_if_asked, pause};
#[cfg(not(unix))]
pub use without::{Uncancelled, cancel_if_asked, pause};

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

    /// `pthread.h`: macOS counts the other way round.
    const DISABLE: c_int = if cfg!(target_vendor = "apple") { 0 } else { 1 };

    unsafe extern "C" {
        #[cfg(not(target_os = "android"))]
        fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
    }

    unsafe extern "C-unwind" {
        #[cfg(not(target_os = "android"))]
        fn pthread_testcancel();
        fn poll(descriptors: *mut c_void, count: c_ulong, milliseconds: c_int) -> c_int;
    }

    /// Disables cancellation of this thread as long as it exists.
    pub struct Uncancelled(c_int);

    impl Uncancelled {
        pub fn new() -> Self {
            let mut before = DISABLE;
            #[cfg(not(target_os = "android"))]
            // SAFETY: a valid place for the previous state; affects only this thread.
            unsafe {
                pthread_setcancelstate(DISABLE, &mut before);
            }
            Self(before)
        }
    }

    impl Drop for Uncancelled {
        fn drop(&mut self) {
            #[cfg(not(target_os = "android"))]
            // SAFETY: restores the previous state.
            unsafe {
                pthread_setcancelstate(self.0, ptr::null_mut());
            }
        }
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
        if ended < 0 && Error::last_os_error().kind() == ErrorKind::Interrupted {
            Paused::Signal
        } else {
            Paused::Done
        }
    }
}

/// Other systems neither cancel threads nor interrupt sleeps.
#[cfg(not(unix))]
mod without {
    use std::ffi::c_int;

    use super::Paused;

    pub struct Uncancelled;

    impl Uncancelled {
        pub fn new() -> Self {
            Self
        }
    }

    pub fn cancel_if_asked() {}

    pub fn pause(_milliseconds: c_int) -> Paused {
        Paused::Done
    }
}
