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
    fn null_is_an_answer() {
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
        // SAFETY: `place` is a valid place; what it holds is used by this thread and then ended.
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
