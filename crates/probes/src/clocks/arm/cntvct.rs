use super::COUNTER_READ;
use crate::clocks::entry::COUNTER;
use crate::clocks::{Entry, Facts, Kind, Range};
use chronoscope_model::clock::RateFrom;

/// `CNTVCT`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: arm / "cntvct",
    call: if cfg!(target_arch = "arm") {
        "asm volatile(\"mrrc p15, 1, %Q0, %R0, c14\" : \"=r\"(t))"
    } else {
        "asm volatile(\"mrs %0, cntvct_el0\" : \"=r\"(t))"
    },
    language: Language::C,
    kind: Kind::Counter,
    facts: Facts { rate_from: RateFrom::System, ..COUNTER },
    alternative_to: None,
    home: "Unix on Arm",
    about: "The virtual counter of Arm's generic timer. The read is unordered: it may take place \
            before earlier instructions have finished. The counter runs at a fixed rate of 1 MHz \
            to 1 GHz whatever the core does (19.2 or 54 MHz on a Raspberry Pi), so many reads in a \
            row return the same value.",
    references: &[
        "Arm ARM (DDI 0487) D12, The Generic Timer in AArch64 state",
        "Arm ARM (DDI 0406) B8, The Generic Timer",
        "Linux arch/arm64/include/asm/arch_timer.h",
    ],
    expect: &[COUNTER_READ],
    open: here(
        all(unix, any(target_arch = "aarch64", target_arch = "arm")),
        Range::bits(56),
        Ok(()),
        "reading the counter, which the kernel must permit (CNTKCTL.EL0VCTEN)"
    ),
});
