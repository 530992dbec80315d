use super::BUSY;
use crate::waits::Entry;
use crate::waits::entry::{Code, DEADLINE};

/// `wfet` until a value of the counter
pub(crate) const ENTRY: Entry = Entry {
    id: "busy/wfet",
    call: "while (cntvct() < deadline) asm(\"wfet %0\" : : \"r\"(deadline));",
    facts: DEADLINE,
    home: "AArch64 Linux with FEAT_WFxT",
    about: "The processor itself waits until its counter reaches a value, with less power than a \
            spin.",
    references: &["Arm ARM, WFET", "Linux Documentation/arch/arm64/elf_hwcaps.rst, HWCAP2_WFXT"],
    code: Code::Lines(|wait| crate::waits::spin::arm_lines("wfet %1", wait.ns)),
    opener: on!(all(target_arch = "aarch64", target_os = "linux"), |setting| {
        let hz = imp::checked_hz(setting)?;
        crate::waits::open::ByDuration(move |ns| imp::wait(ns, hz))
    }),
    ..BUSY
};

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
mod imp {
    use crate::waits::spin::{counter_ticks, spin};
    use crate::waits::{Setting, Unavailable};
    use chronoscope::counter;

    /// Linux arch/arm64/include/uapi/asm/hwcap.h
    const HWCAP2_WFXT: libc::c_ulong = 1 << 31;

    pub(super) fn checked_hz(setting: &Setting) -> Result<f64, Unavailable> {
        // SAFETY: getauxval takes any number and only reads the process's own vector.
        if unsafe { libc::getauxval(libc::AT_HWCAP2) } & HWCAP2_WFXT == 0 {
            return Err(Unavailable("this processor has no wfet (FEAT_WFxT, Armv8.7)".into()));
        }
        Ok(setting.counter_hz)
    }

    pub(super) fn wait(ns: u64, hz: f64) -> Result<(), i32> {
        let ticks = counter_ticks(ns, hz);
        let start = counter::now();
        let deadline = start.wrapping_add(ticks);
        spin(start, ticks, ns, counter::now, || {
            // `wfet x0`, as a number because some assemblers do not know it (Arm ARM, WFET).
            // SAFETY: the processor was found to have the instruction, which has no effect but the
            // wait.
            unsafe {
                std::arch::asm!(
                    ".inst 0xd5031000",
                    in("x0") deadline,
                    options(nomem, nostack, preserves_flags)
                );
            }
        })
    }
}
