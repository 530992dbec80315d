use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Kind, Language};

/// Spinning on the generic timer's counter
pub(crate) const ENTRY: Entry = Entry {
    id: "busy/cntvct",
    call: "while (cntvct() - start <= ticks) asm(\"yield\");",
    language: Language::C,
    kind: Kind::Busy,
    facts: DURATION,
    slack: false,
    home: "AArch64",
    about: "Reads the generic timer until the deadline, with the hint that this is a spin loop. \
            The wait ends at a tick of the counter; ticks are 18 to 52 ns apart on most boards. \
            One tick more than asked for must pass, because the first may be half over.",
    references: &["Arm ARM, CNTVCT_EL0", "Arm ARM, YIELD"],
    code: Code::Lines(|wait| crate::waits::spin::arm_lines("yield", wait.ns)),
    opener: on!(target_arch = "aarch64", imp::open),
};

#[cfg(target_arch = "aarch64")]
mod imp {
    use crate::waits::spin::spin_counter;
    use crate::waits::{Method, Setting, Unavailable};

    pub(super) fn open(setting: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Ok(Counter(setting.counter_hz))
    }

    struct Counter(f64);

    impl Method for Counter {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            // Not `spin_loop`, which is an isb on this processor (Rust core::hint::spin_loop).
            spin_counter(ns, self.0, || {
                // SAFETY: yield has no operands and no effect but the hint.
                unsafe { std::arch::asm!("yield", options(nomem, nostack, preserves_flags)) };
            })
        }
    }
}
