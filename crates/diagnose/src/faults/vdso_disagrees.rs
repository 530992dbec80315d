//! The vDSO and the kernel give different times.

use super::{Fault, Need};
use crate::reading::short;
use chronoscope_model::units::count;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "vdso-disagrees",
    title: "The vDSO and the system call give different times",
    about: "A read through the vDSO returned less than a system call before it, or more than one \
            after it, for the same clock. Programs that mix both, and threads that compare values, \
            see time run backwards. Emulators of the kernel (gVisor) calibrate a clock of their \
            own for the vDSO.",
    fix: "Use one way only: the library function everywhere. Report it to whoever provides the \
          kernel or sandbox, with the figures.",
    reference: "google/gvisor#8118; METHOD.md, Trust",
    certainty: Certainty::Measured,
    looks_at: "a vDSO read between two system calls",
    needs: &[Need::Linux, Need::Trust, Need::Vdso],
    minor: false,
    look: |report, fault| {
        let seen = report.trust.as_ref()?.sandwiches.iter();
        let seen = seen.filter(|it| it.disagrees() && it.calls_backwards == 0);
        let evidence: Vec<String> = seen
            .map(|it| {
                format!(
                    "{}: {} of {} below {} before, {} above the one after, by up to {}",
                    it.id,
                    count(it.below),
                    count(it.tries),
                    it.system_call,
                    count(it.above),
                    short(it.worst_ns.round())
                )
            })
            .collect();
        if evidence.is_empty() {
            return None;
        }
        fault.found(Level::Error, Certainty::Measured, evidence)
    },
};
