//! What happens in a child that `fork` makes.

/// Calls `handler` in every later child of `fork`, before `fork` returns there. Handlers
/// accumulate and cannot be removed.
///
/// A handler may only do what a signal handler may (`pthread_atfork(3)`). It is not called if the C
/// library is bypassed.
#[cfg(all(unix, not(miri)))]
pub fn in_children(handler: extern "C" fn()) {
    use core::ffi::c_int;

    type Handler = Option<extern "C" fn()>;

    unsafe extern "C" {
        fn pthread_atfork(prepare: Handler, parent: Handler, child: Handler) -> c_int;
    }

    // SAFETY: the declaration is that of POSIX. The handler is a function, which exists as long as
    // the process; C libraries drop it if it belongs to a library that is unloaded. The call fails
    // only without memory, and then children do not notice.
    unsafe { pthread_atfork(None, None, Some(handler)) };
}

/// Nothing forks here.
#[cfg(not(all(unix, not(miri))))]
pub fn in_children(_handler: extern "C" fn()) {}
