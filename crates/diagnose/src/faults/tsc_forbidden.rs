//! This process may not read the TSC.

use super::{Fault, Need};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "tsc-forbidden",
    title: "This process may not read the TSC, nor the time through the vDSO",
    about: "The process, or the one that started it, has forbidden itself to read the counter \
            (prctl(PR_SET_TSC)). An rdtsc then raises SIGSEGV, and so does clock_gettime, because \
            the vDSO reads the counter too. A dynamically linked program does not even start, \
            because its loader reads it.",
    fix: "Do not set PR_TSC_SIGSEGV for programs that read the time, or allow it again with \
          prctl(PR_SET_TSC, PR_TSC_ENABLE). Until then, only the raw system call clock_gettime is \
          safe.",
    reference: "prctl(2), PR_SET_TSC; Linux tools/testing/selftests/prctl",
    certainty: Certainty::Evidence,
    looks_at: "prctl(PR_GET_TSC), before the first read",
    needs: &[Need::Linux, Need::Tsc, Need::Permission],
    minor: false,
    look: |report, fault| {
        if report.environment.tsc.as_ref()?.permitted != Some(false) {
            return None;
        }
        let evidence = vec!["prctl(PR_GET_TSC): PR_TSC_SIGSEGV".to_owned()];
        fault.found(Level::Error, Certainty::Evidence, evidence)
    },
};
