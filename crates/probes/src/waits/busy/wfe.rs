use super::BUSY;
use crate::waits::Entry;
use crate::waits::entry::Code;

pub(crate) const ENTRY: Entry = Entry {
    id: "busy/wfe",
    call: "while (cntvct() - start <= ticks) asm(\"wfe\");",
    home: "AArch64 Linux",
    about: "Waits for an event between reads of the counter. Linux has the timer generate one \
            every 100 us or so, and the wait cannot be finer than that. It saves power, not time.",
    references: &[
        "Arm ARM, WFE",
        "Linux drivers/clocksource/arm_arch_timer.c, arch_timer_configure_evtstream",
    ],
    code: Code::Lines(|wait| crate::waits::spin::arm_lines("wfe", wait.ns)),
    opener: on!(all(target_arch = "aarch64", target_os = "linux"), |setting| {
        let hz = imp::checked_hz(setting)?;
        crate::waits::open::ByDuration(move |ns| imp::wait(ns, hz))
    }),
    ..BUSY
};

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
mod imp {
    use crate::waits::spin::spin_counter;
    use crate::waits::{Setting, Unavailable};

    /// Without the event stream, only an interrupt would end a `wfe`, whenever one comes.
    /// HWCAP_EVTSTRM shows that the stream runs (Linux Documentation/arch/arm64/elf_hwcaps.rst).
    pub(super) fn checked_hz(setting: &Setting) -> Result<f64, Unavailable> {
        // SAFETY: getauxval takes any number and only reads the process's own vector.
        if unsafe { libc::getauxval(libc::AT_HWCAP) } & libc::HWCAP_EVTSTRM == 0 {
            return Err(Unavailable(
                "the kernel runs no event stream (HWCAP_EVTSTRM), so nothing would end a wfe"
                    .into(),
            ));
        }
        Ok(setting.counter_hz)
    }

    pub(super) fn wait(ns: u64, hz: f64) -> Result<(), i32> {
        spin_counter(ns, hz, || {
            // SAFETY: wfe has no operands and no effect but the wait.
            unsafe { std::arch::asm!("wfe", options(nomem, nostack, preserves_flags)) };
        })
    }
}
