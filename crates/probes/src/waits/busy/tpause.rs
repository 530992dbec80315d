use crate::waits::entry::{Code, DEADLINE};
use crate::waits::{Entry, Kind, Language};

/// `tpause` until a value of the time-stamp counter
pub(crate) const ENTRY: Entry = Entry {
    id: "busy/tpause",
    call: "while (__rdtsc() < deadline) _tpause(1, deadline);",
    language: Language::C,
    kind: Kind::Busy,
    facts: DEADLINE,
    slack: false,
    home: "x86 with WAITPKG",
    about: "The processor itself waits in a light sleep until its counter reaches a value, with \
            less power than a spin. The kernel limits one such wait (IA32_UMWAIT_CONTROL, 100,000 \
            ticks by default), so it is repeated in a loop. To the scheduler, the thread is \
            running.",
    references: &["Intel SDM volume 2B, TPAUSE", "Linux arch/x86/kernel/cpu/umwait.c"],
    code: Code::Before(|wait| match wait.ticks() {
        ticks if ticks.is_empty() => ticks,
        ticks => ticks + "uint64_t deadline = __rdtsc() + ticks;",
    }),
    opener: on!(target_arch = "x86_64", imp::open),
};

#[cfg(target_arch = "x86_64")]
pub(crate) mod imp {
    use crate::waits::spin::{counter_ticks, spin};
    use crate::waits::{Method, Setting, Unavailable};
    use chronoscope::counter;
    use std::arch::asm;

    pub(super) fn open(setting: &Setting) -> Result<impl Method + use<>, Unavailable> {
        waitpkg()?;
        Ok(Tpause(setting.counter_hz))
    }

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

    struct Tpause(f64);

    impl Method for Tpause {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            let ticks = counter_ticks(ns, self.0);
            let start = counter::now();
            let deadline = start.wrapping_add(ticks);
            spin(start, ticks, ns, counter::now, || tpause(deadline))
        }
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
