use super::BUSY;
use crate::waits::Entry;
use crate::waits::entry::{Code, DEADLINE};

/// `umwait` until a value of the time-stamp counter
pub(crate) const ENTRY: Entry = Entry {
    id: "busy/umwait",
    call: "while (__rdtsc() < deadline) { _umonitor(&word); _umwait(1, deadline); }",
    facts: DEADLINE,
    home: "x86 with WAITPKG",
    about: "Like tpause, but a write to a watched word ends it too: for threads that wait for a \
            message or a deadline, whichever comes first. Here nobody writes to the word.",
    references: &["Intel SDM volume 2B, UMONITOR and UMWAIT", "Linux arch/x86/kernel/cpu/umwait.c"],
    code: Code::Before(|wait| {
        wait.ticks_and("uint64_t deadline = __rdtsc() + ticks;\nint word = 0;")
    }),
    opener: on!(target_arch = "x86_64", |setting| imp::open(setting.counter_hz)?),
    ..BUSY
};

#[cfg(target_arch = "x86_64")]
mod imp {
    use crate::waits::busy::tpause::imp::waitpkg;
    use crate::waits::spin::{counter_ticks, spin};
    use crate::waits::{Method, Unavailable};
    use chronoscope::counter;
    use std::arch::asm;

    pub(super) fn open(hz: f64) -> Result<Umwait, Unavailable> {
        waitpkg()?;
        Ok(Umwait(hz, Box::new(Line(0))))
    }

    /// A word on a cache line of its own, so that no write to another word counts as a write to
    /// this one.
    #[repr(align(128))]
    pub(super) struct Line(u64);

    pub(super) struct Umwait(f64, Box<Line>);

    impl Method for Umwait {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            let ticks = counter_ticks(ns, self.0);
            let start = counter::now();
            let deadline = start.wrapping_add(ticks);
            let word = &raw const self.1.0;
            spin(start, ticks, ns, counter::now, || umwait(word, deadline))
        }
    }

    fn umwait(word: *const u64, deadline: u64) {
        // SAFETY: `waitpkg` has found that the instructions exist; they use the word's address,
        // which is valid, and change nothing but flags.
        unsafe {
            asm!("umonitor {}", in(reg) word, options(nostack));
            asm!(
                "umwait {:e}",
                in(reg) 1u32,
                in("eax") deadline as u32,
                in("edx") (deadline >> 32) as u32,
                options(nostack)
            );
        }
    }
}
