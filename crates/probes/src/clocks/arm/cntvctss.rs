use super::READ;
use crate::clocks::entry::ORDERED_COUNTER;
use crate::clocks::{Entry, Facts, Kind, Range};
use chronoscope_model::clock::RateFrom;

/// `CNTVCTSS`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: arm / "cntvctss",
    call: if cfg!(target_arch = "arm") {
        "asm volatile(\"mrrc p15, 9, %Q0, %R0, c14\" : \"=r\"(t))"
    } else {
        "asm volatile(\"mrs %0, cntvctss_el0\" : \"=r\"(t))"
    },
    language: Language::C,
    kind: Kind::Counter,
    facts: Facts { rate_from: RateFrom::System, ..ORDERED_COUNTER },
    alternative_to: None,
    home: "Unix on Arm",
    about: "The self-synchronised view of the virtual counter: a read needs no isb before it. \
            Processors with FEAT_ECV have it, from Armv8.6 on.",
    references: &[
        "Arm ARM (DDI 0487) D12, The Generic Timer in AArch64 state",
        "Linux Documentation/arch/arm64/elf_hwcaps.rst, HWCAP2_ECV",
    ],
    expect: &[READ],
    open: here(
        all(unix, any(target_arch = "aarch64", target_arch = "arm")),
        Range::bits(56),
        Ok(()),
        "CNTVCTSS, which needs a processor with FEAT_ECV"
    ),
});
