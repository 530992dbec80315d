//! Two programs correct the clock.

use super::{Fault, Need, time_programs};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "two-disciplines",
    title: "Two programs can correct the clock",
    about: "Each corrects what the other did: the clock is slewed to and fro, or stepped again and \
            again, and neither program's statement of its error is true. Tools of a hypervisor do \
            it only if their time synchronisation is switched on, and are worth knowing of.",
    fix: "Let one program correct the clock: `systemctl disable --now` the other, or switch the \
          time synchronisation of the hypervisor's tools off (`vmware-toolbox-cmd timesync \
          disable`; VBoxService `--disable-timesync`).",
    reference: "vmware/open-vm-tools#652; chrony FAQ",
    certainty: Certainty::Evidence,
    looks_at: "the names of running programs (/proc/*/comm)",
    needs: &[Need::Linux, Need::Programs],
    minor: false,
    look: |report, fault| {
        let keeping = report.environment.keeping.as_ref()?;
        let programs = keeping.programs.as_ref()?;
        let correct: Vec<&str> = time_programs(&report.environment).collect();
        let tools = programs.len() - correct.len();
        let level = match (correct.len(), tools) {
            (2.., _) => Level::Warning,
            (1, 1..) => Level::Info,
            _ => return None,
        };
        let evidence = vec![format!("/proc/*/comm: {}", programs.join(", "))];
        fault.found(level, Certainty::Evidence, evidence)
    },
};
