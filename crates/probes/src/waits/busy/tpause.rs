use super::BUSY;
use crate::waits::Entry;
use crate::waits::entry::{Code, DEADLINE};

/// `tpause` until a value of the time-stamp counter
pub(crate) const ENTRY: Entry = Entry {
    id: "busy/tpause",
    call: "while (__rdtsc() < deadline) _tpause(1, deadline);",
    facts: DEADLINE,
    home: "x86 with WAITPKG",
    about: "The processor itself waits in a light sleep until its counter reaches a value, with \
            less power than a spin. The kernel limits one such wait (IA32_UMWAIT_CONTROL, 100,000 \
            ticks by default), so it is repeated in a loop. To the scheduler, the thread is \
            running.",
    references: &["Intel SDM volume 2B, TPAUSE", "Linux arch/x86/kernel/cpu/umwait.c"],
    code: Code::Before(|wait| wait.ticks_and("uint64_t deadline = __rdtsc() + ticks;")),
    opener: on!(target_arch = "x86_64", |setting| {
        imp::waitpkg()?;
        let hz = setting.counter_hz;
        crate::waits::open::ByDuration(move |ns| imp::wait(ns, hz))
    }),
    ..BUSY
};

#[cfg(target_arch = "x86_64")]
pub(crate) mod imp {
    use crate::waits::Unavailable;
    use crate::waits::spin::{counter_ticks, spin};
    use chronoscope::counter;
    use std::arch::asm;

    /// CPUID leaf 7, ECX bit 5 (Intel SDM volume 2A, CPUID).
    pub(crate) fn waitpkg() -> Result<(), Unavailable> {
        let features = raw_cpuid::CpuId::new().get_extended_feature_info();
        if features.is_some_and(|features| features.has_waitpkg()) {
            Ok(())
        } else {
            Err(Unavailable(
                "this processor does not offer WAITPKG (CPUID leaf 7, ECX bit 5); some hypervisors \
                 hide it"
                    .into(),
            ))
        }
    }

    pub(super) fn wait(ns: u64, hz: f64) -> Result<(), i32> {
        let ticks = counter_ticks(ns, hz);
        let start = counter::now();
        let deadline = start.wrapping_add(ticks);
        spin(start, ticks, ns, counter::now, || tpause(deadline))
    }

    /// Waits in the lighter of the two states, C0.1, which bit 0 of the control operand selects.
    fn tpause(deadline: u64) {
        // SAFETY: `waitpkg` has found that the instruction exists; it changes nothing but flags.
        unsafe {
            asm!(
                "tpause {:e}",
                in(reg) 1u32,
                in("eax") deadline as u32,
                in("edx") (deadline >> 32) as u32,
                options(nomem, nostack)
            );
        }
    }
}
