//! Whether the time-stamp counter may be read.
//!
//! A process can forbid itself to read it (prctl(2), PR_SET_TSC). Its first `rdtsc` then raises
//! SIGSEGV, which kills it, so ask before the first one.

/// Whether this process may read the time-stamp counter; `None` if the system has no such
/// permission, and anyone may read it.
pub use super::os::tsc_permitted as tsc;

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use super::super::{Root, environment};
    use super::*;

    const PR_TSC_ENABLE: libc::c_ulong = 1;
    const PR_TSC_SIGSEGV: libc::c_ulong = 2;

    fn set(mode: libc::c_ulong) -> bool {
        // SAFETY: PR_SET_TSC changes only whether this thread may read the counter.
        unsafe { libc::prctl(libc::PR_SET_TSC, mode) == 0 }
    }

    #[test]
    fn a_thread_that_may_not_read_it_learns_so_and_survives() {
        // The permission belongs to the thread, so the other tests keep theirs. Nothing in here may
        // read a clock through the vDSO, because that reads the counter.
        let (asked, told) = std::thread::spawn(|| {
            if !set(PR_TSC_SIGSEGV) {
                return (None, None);
            }
            let asked = tsc();
            let told = environment(&Root::host()).tsc.and_then(|tsc| tsc.permitted);
            assert!(set(PR_TSC_ENABLE));
            (asked, told)
        })
        .join()
        .expect("no panic");
        // If the system does not allow the ban, there is nothing to check.
        assert!(asked == told && asked != Some(true), "{asked:?} {told:?}");
    }
}
