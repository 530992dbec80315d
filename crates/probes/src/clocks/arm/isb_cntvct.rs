use super::READ;
use crate::clocks::{Entry, Kind, Language, Range};

/// `CNTVCT after isb`
pub(crate) const ENTRY: Entry = Entry {
    id: "arm/isb-cntvct",
    call: "asm volatile(\"isb; mrs %0, cntvct_el0\" : \"=r\"(t))",
    language: Language::C,
    kind: Kind::Counter,
    home: "Arm with a Unix",
    about: "The virtual counter after isb, so that earlier instructions have completed: what the kernel's vDSO \
            does.",
    references: &[
        "Arm ARM (DDI 0487) D12, The Generic Timer in AArch64 state",
        "Linux arch/arm64/include/asm/vdso/gettimeofday.h",
    ],
    expect: &["isb", READ],
    open: native!(
        native_c,
        all(unix, any(target_arch = "aarch64", target_arch = "arm")),
        "Arm with a Unix",
        cs_arm_isb_cntvct,
        "reading the counter, which the kernel must permit (CNTKCTL.EL0VCTEN)",
        Range::bits(56)
    ),
};
