//! Crossing the border between the languages: panics, pointers, and what is handed out.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::status::{CHRONOSCOPE_INTERNAL, CHRONOSCOPE_NULL, CHRONOSCOPE_OK, chronoscope_status};

/// What a function answers that can fail.
pub type Answer = Result<(), chronoscope_status>;

/// Runs what might panic. Whatever it touched behind a lock is true on its own
/// (`chronoscope::Clock`), so going on after a panic breaks nothing.
pub fn guarded(work: impl FnOnce() -> Answer) -> chronoscope_status {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => CHRONOSCOPE_OK,
        Ok(Err(status)) => status,
        Err(_) => CHRONOSCOPE_INTERNAL,
    }
}

/// As [`guarded`], for what answers with a value.
pub fn guarded_or<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise)
}

/// Writes an answer where the caller wants it.
///
/// # Safety
/// `place` is null, or valid for a write of a `T`.
pub unsafe fn put<T>(place: *mut T, value: T) -> Answer {
    if place.is_null() {
        return Err(CHRONOSCOPE_NULL);
    }
    // SAFETY: not null, and so valid by the contract of this function.
    unsafe { place.write(value) };
    Ok(())
}

/// Writes an answer that the caller may not want.
///
/// # Safety
/// As for [`put`].
pub unsafe fn offer<T>(place: *mut T, value: T) {
    // SAFETY: handed on. That nobody wants the answer is no error here.
    let _ = unsafe { put(place, value) };
}

/// Hands out a value of our own, which [`take_back`] ends.
///
/// # Safety
/// As for [`put`].
pub unsafe fn hand_out<T>(place: *mut *mut T, make: impl FnOnce() -> Result<T, i32>) -> Answer {
    // Looked at first: nothing is made that nobody can take.
    if place.is_null() {
        return Err(CHRONOSCOPE_NULL);
    }
    let value = Box::into_raw(Box::new(make()?));
    // SAFETY: handed on.
    unsafe { put(place, value) }
}

/// Ends what [`hand_out`] gave; nothing for null.
///
/// # Safety
/// `value` is null, or came from [`hand_out`] and is not used any more.
pub unsafe fn take_back<T>(value: *mut T) {
    if !value.is_null() {
        // SAFETY: it was a box, and is the caller's no longer.
        let value = unsafe { Box::from_raw(value) };
        guarded_or((), || drop(value));
    }
}

/// What a pointer to a value of our own points to.
///
/// # Safety
/// `value` is null, or came from [`hand_out`], and no other thread uses it meanwhile.
pub unsafe fn own<'a, T>(value: *mut T) -> Result<&'a mut T, chronoscope_status> {
    // SAFETY: null is looked for; else it is a box of ours that is used by one thread.
    unsafe { value.as_mut() }.ok_or(CHRONOSCOPE_NULL)
}
