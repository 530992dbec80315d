use super::COUNTER_READ;
use crate::clocks::entry::ORDERED_COUNTER;
use crate::clocks::{Entry, Facts, Kind, Range};
use chronoscope_model::clock::RateFrom;

/// `CNTVCT` after `isb`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: arm / "isb-cntvct",
    call: if cfg!(target_arch = "arm") {
        "asm volatile(\"isb; mrrc p15, 1, %Q0, %R0, c14\" : \"=r\"(t))"
    } else {
        "asm volatile(\"isb; mrs %0, cntvct_el0\" : \"=r\"(t))"
    },
    language: Language::C,
    kind: Kind::Counter,
    facts: Facts { rate_from: RateFrom::System, ..ORDERED_COUNTER },
    alternative_to: None,
    home: "Unix on Arm",
    about: "The virtual counter, read after an isb, so that all earlier instructions have \
            completed. The kernel's vDSO reads it this way.",
    references: &[
        "Arm ARM (DDI 0487) D12, The Generic Timer in AArch64 state",
        "Linux arch/arm64/include/asm/vdso/gettimeofday.h",
    ],
    expect: &["isb", COUNTER_READ],
    open: here(
        all(unix, any(target_arch = "aarch64", target_arch = "arm")),
        Range::bits(56),
        Ok(()),
        "reading the counter, which the kernel must permit (CNTKCTL.EL0VCTEN)"
    ),
});
