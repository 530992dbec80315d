//! The processor is emulated.

use super::Fault;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "emulated-cpu",
    title: "The processor is emulated: the figures are the emulator's",
    about: "A program translates the instructions and reads the host's clock for each read of a \
            counter. Costs, ticks and ordering say nothing about a real processor.",
    fix: "Measure on the hardware itself, or in a virtual machine with hardware virtualisation.",
    reference: "QEMU documentation, system emulation: TCG",
    certainty: Certainty::Evidence,
    looks_at: "CPUID, the kernel's architecture, MIDR",
    needs: &[],
    minor: false,
    look: |report, fault| {
        let evidence = report.environment.emulated.clone()?;
        fault.found(Level::Warning, Certainty::Evidence, vec![evidence])
    },
};
