//! The boundary between the languages: panics, pointers, and objects that are handed out.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::cancel;
use crate::status::{CHRONOSCOPE_INTERNAL, CHRONOSCOPE_NULL, CHRONOSCOPE_OK, chronoscope_status};

/// The result of a function that can fail.
pub type Answer = Result<(), chronoscope_status>;

/// Runs code that might panic, and that must not be cancelled. Everything it may touch that others
/// use is valid by itself (`chronoscope::Clock`), so continuing after a panic breaks nothing.
#[inline(always)]
pub fn guarded(work: impl FnOnce() -> Answer) -> chronoscope_status {
    guarded_or(CHRONOSCOPE_INTERNAL, || match work() {
        Ok(()) => CHRONOSCOPE_OK,
        Err(status) => status,
    })
}

/// As [`guarded`], for code that returns a value.
#[inline(always)]
pub fn guarded_or<T>(otherwise: T, work: impl FnOnce() -> T) -> T
where
    T: Copy,
{
    let before = cancel::disable();
    let value = caught(work);
    cancel::restore(before);
    value.unwrap_or(otherwise)
}

/// What is read at once; otherwise what `work` returns, which is not cancelled. If that panics, the
/// program ends, because no time could be returned in its place.
#[inline(always)]
pub fn at_once_or(read: Option<u64>, work: impl FnOnce() -> u64) -> u64 {
    if let Some(value) = read {
        return value;
    }
    let before = cancel::disable();
    let value = ending(work);
    cancel::restore(before);
    value
}

#[inline(never)]
fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

#[cold]
#[inline(never)]
fn ending(work: impl FnOnce() -> u64) -> u64 {
    caught(work).unwrap_or_else(|| std::process::abort())
}

/// Writes a result to the place that the caller gives.
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

/// Writes a result that the caller may not want.
///
/// # Safety
/// As for [`put`].
pub unsafe fn offer<T>(place: *mut T, value: T) {
    // SAFETY: the contract is passed on. It is not an error if the caller does not want the result.
    let _ = unsafe { put(place, value) };
}

/// Hands out an object of this library, which [`take_back`] frees.
///
/// # Safety
/// As for [`put`].
pub unsafe fn hand_out<T>(place: *mut *mut T, make: impl FnOnce() -> Result<T, i32>) -> Answer {
    // Check this first, so that nothing is made that nobody can take.
    if place.is_null() {
        return Err(CHRONOSCOPE_NULL);
    }
    let value = Box::into_raw(Box::new(make()?));
    // SAFETY: the contract is passed on.
    unsafe { put(place, value) }
}

/// Frees what [`hand_out`] gave; does nothing for null.
///
/// # Safety
/// `value` is null, or came from [`hand_out`] and is not used any more.
pub unsafe fn take_back<T>(value: *mut T) {
    guarded_or((), || {
        if !value.is_null() {
            // SAFETY: it was a box, and the caller no longer uses it.
            drop(unsafe { Box::from_raw(value) });
        }
    });
}

/// Returns the object of this library that a pointer points to.
///
/// # Safety
/// `value` is null, or came from [`hand_out`] and is not used by another thread meanwhile.
pub unsafe fn own<'a, T>(value: *mut T) -> Result<&'a mut T, chronoscope_status> {
    // SAFETY: null is checked; otherwise it is a box of this library that one thread uses.
    unsafe { value.as_mut() }.ok_or(CHRONOSCOPE_NULL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::CHRONOSCOPE_INVALID;
    use std::ptr;

    #[test]
    fn a_panic_is_a_status() {
        assert_eq!(guarded(|| Ok(())), CHRONOSCOPE_OK);
        assert_eq!(guarded(|| Err(CHRONOSCOPE_INVALID)), CHRONOSCOPE_INVALID);
        assert_eq!(guarded(|| panic!("caught")), CHRONOSCOPE_INTERNAL);
        assert_eq!(guarded_or(7, || panic!("caught")), 7);
    }

    #[test]
    fn null_is_handled() {
        // SAFETY: null is allowed everywhere here.
        unsafe {
            assert_eq!(put(ptr::null_mut(), 1), Err(CHRONOSCOPE_NULL));
            offer(ptr::null_mut(), 1);
            assert_eq!(own::<u8>(ptr::null_mut()), Err(CHRONOSCOPE_NULL));
            take_back::<u8>(ptr::null_mut());
            let nobody = ptr::null_mut::<*mut u8>();
            let made = hand_out(nobody, || panic!("made for nobody"));
            assert_eq!(made, Err(CHRONOSCOPE_NULL));
        }
    }

    #[test]
    fn what_is_handed_out_is_taken_back() {
        let mut place = ptr::null_mut();
        // SAFETY: `place` is a valid place; what it holds is used by this thread and then freed.
        unsafe {
            assert_eq!(
                hand_out::<String>(&mut place, || Err(CHRONOSCOPE_INVALID)),
                Err(CHRONOSCOPE_INVALID)
            );
            assert!(place.is_null());
            assert_eq!(hand_out(&mut place, || Ok(String::from("it"))), Ok(()));
            own(place).unwrap().push('s');
            assert_eq!(*place, "its");
            take_back(place);
        }
    }
}
