use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Kind, Language};

/// `wfe` and the kernel's event stream
pub(crate) const ENTRY: Entry = Entry {
    id: "busy/wfe",
    call: "while (cntvct() - start <= ticks) asm(\"wfe\");",
    language: Language::C,
    kind: Kind::Busy,
    facts: DURATION,
    slack: false,
    home: "AArch64 Linux",
    about: "Waits for an event between reads of the counter. Linux has the timer generate one \
            every 100 us or so, and the wait cannot be finer than that. It saves power, not time.",
    references: &[
        "Arm ARM, WFE",
        "Linux drivers/clocksource/arm_arch_timer.c, arch_timer_configure_evtstream",
    ],
    code: Code::Lines(|wait| crate::waits::spin::arm_lines("wfe", wait.ns)),
    opener: on!(all(target_arch = "aarch64", target_os = "linux"), imp::open),
};

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
mod imp {
    use crate::waits::spin::spin_counter;
    use crate::waits::{Method, Setting, Unavailable};

    /// Without the event stream, only an interrupt would end a `wfe`, whenever one comes.
    /// HWCAP_EVTSTRM shows that the stream runs (Linux Documentation/arch/arm64/elf_hwcaps.rst).
    pub(super) fn open(setting: &Setting) -> Result<impl Method + use<>, Unavailable> {
        // SAFETY: getauxval takes any number and only reads the process's own vector.
        if unsafe { libc::getauxval(libc::AT_HWCAP) } & libc::HWCAP_EVTSTRM == 0 {
            return Err(Unavailable(
                "the kernel runs no event stream (HWCAP_EVTSTRM), so nothing would end a wfe"
                    .into(),
            ));
        }
        Ok(Wfe(setting.counter_hz))
    }

    struct Wfe(f64);

    impl Method for Wfe {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            spin_counter(ns, self.0, || {
                // SAFETY: wfe has no operands and no effect but the wait.
                unsafe { std::arch::asm!("wfe", options(nomem, nostack, preserves_flags)) };
            })
        }
    }
}
