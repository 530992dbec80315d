use super::READ;
use crate::clocks::{Entry, Kind, Language, Range};

/// `CNTVCTSS`
pub(crate) const ENTRY: Entry = Entry {
    id: "arm/cntvctss",
    call: "asm volatile(\"mrs %0, cntvctss_el0\" : \"=r\"(t))",
    language: Language::C,
    kind: Kind::Counter,
    home: "Arm with a Unix",
    about: "The virtual counter's self-synchronised view, which needs no isb before it: processors with \
            FEAT_ECV, from Armv8.6 on.",
    references: &[
        "Arm ARM (DDI 0487) D12, The Generic Timer in AArch64 state",
        "Linux Documentation/arch/arm64/elf_hwcaps.rst, HWCAP2_ECV",
    ],
    expect: &[READ],
    open: native!(
        native_c,
        all(unix, any(target_arch = "aarch64", target_arch = "arm")),
        "Arm with a Unix",
        cs_arm_cntvctss,
        "CNTVCTSS, which needs a processor with FEAT_ECV",
        Range::bits(56)
    ),
};
