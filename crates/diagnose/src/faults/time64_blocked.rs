//! A filter refuses the 64-bit time calls of a 32-bit program.

use super::{Fault, Need};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "time64-blocked",
    title: "A 32-bit program may not ask for the time in 64 bits",
    about: "A C library that keeps time in 64 bits calls clock_gettime64. A sandbox with an older \
            list of system calls refuses it with EPERM, which the library does not take for a \
            missing call, so programs see the year 1970 or fail.",
    fix: "Update libseccomp to 2.4.2 or later and the container runtime with it, or allow the \
          calls ending in `_time64` and `64` in its profile.",
    reference: "moby/moby#40734; seccomp/libseccomp 2.4.2",
    certainty: Certainty::Measured,
    looks_at: "the error of clock_gettime64 in a 32-bit build",
    needs: &[Need::Linux, Need::Time64],
    minor: false,
    look: |report, fault| {
        let error = report.environment.keeping.as_ref()?.time64.as_deref()?;
        // ENOSYS: the kernel is older than the call (5.1), and the C library makes another.
        if error.is_empty() || error == "ENOSYS" {
            return None;
        }
        let evidence = vec![format!("clock_gettime64(CLOCK_REALTIME): {error}")];
        fault.found(Level::Error, Certainty::Measured, evidence)
    },
};
