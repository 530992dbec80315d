//! Whether the time-stamp counter may be read at all.
//!
//! A process can forbid it to itself (prctl(2), PR_SET_TSC), and is then killed by SIGSEGV at
//! its first `rdtsc`, so this is to be asked before the first one.

use super::os;

/// Whether this process may read the time-stamp counter; `None` where the system knows no such
/// permission, and reading is as free as any instruction.
pub fn tsc() -> Option<bool> {
    os::tsc_permitted()
}

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
    fn a_thread_that_may_not_read_it_is_told_so_and_lives() {
        // The permission is the thread's own, so the other tests keep theirs. Nothing in here
        // may read a clock through the vDSO, which reads the counter.
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
        // Where the system refuses the experiment there is nothing to see.
        assert!(asked == told && asked != Some(true), "{asked:?} {told:?}");
    }
}
