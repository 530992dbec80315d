//! The processor is emulated.

use super::Fault;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "emulated-cpu",
    title: "The processor is emulated: these are the emulator's figures",
    about: "Instructions are translated by a program, which reads the host's clock for each read \
            of a counter. Costs, ticks and orderings say nothing of a real processor.",
    fix: "Measure on the hardware itself, or in a virtual machine that runs on it.",
    reference: "QEMU documentation, system emulation: TCG",
    look: |report, fault| {
        let evidence = report.environment.emulated.clone()?;
        fault.found(Level::Warning, Certainty::Evidence, vec![evidence])
    },
};
