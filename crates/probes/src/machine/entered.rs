//! Whether an interrupt or a fault entered the kernel since a moment, as a program sees it from
//! inside. System calls do not count.
//!
//! The segment register ES means nothing in 64-bit mode, and may hold any of four null selectors. A
//! return from an interrupt to user code replaces a null selector other than 0 by 0 (Intel SDM
//! volume 2A, IRET, "return to outer privilege level"; AMD APM volume 3, IRET; Zhang and others
//! 2024, *SegScope*, HPCA, section III). An exit to the hypervisor and a system management
//! interrupt restore the register, and so does the kernel when it switches threads in a system call
//! (Linux arch/x86/kernel/process_64.c, `__switch_to`). So if a read of the counter was late and
//! the selector still stands, the time was taken by something below the kernel. No privilege is
//! needed, and nothing else shows this: steal counts only what the hypervisor admits to.

/// Why the kernel's entries cannot be seen, in words.
pub type Unseen = &'static str;

/// Shows whether an interrupt or a fault entered the kernel since the mark was set.
#[derive(Debug)]
pub struct Entered(());

impl Entered {
    /// Tests on this processor that an entry removes the mark, and that nothing else does.
    ///
    /// # Errors
    /// The reason why entries cannot be seen here.
    pub fn tested() -> Result<Self, Unseen> {
        if !os::HERE {
            return Err("only x86-64 under Linux shows it to a program");
        }
        // Valgrind ends a process that loads a null selector.
        if super::os::emulator().is_some() {
            return Err("an emulator runs this process");
        }
        let mark = Self(());
        let undisturbed = (0..TRIES).any(|_| {
            mark.set();
            std::hint::spin_loop();
            mark.stands()
        });
        let seen = os::enter(TRIES, || mark.set(), || !mark.stands());
        match (undisturbed, seen) {
            (_, None) => Err("there is no memory for a test of it"),
            (true, Some(true)) => Ok(mark),
            (false, _) => Err("something clears the segment register all the time"),
            (true, Some(false)) => {
                Err("a return from the kernel leaves the segment register alone")
            }
        }
    }

    #[inline(always)]
    pub fn set(&self) {
        os::set(1);
    }

    /// Whether no interrupt and no fault entered the kernel since the mark was set.
    #[inline(always)]
    pub fn stands(&self) -> bool {
        os::get() != 0
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        os::set(0);
    }
}

const TRIES: usize = 16;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod os {
    use crate::memory::{Mapped, page_size};

    pub(super) const HERE: bool = true;

    /// Makes the processor enter the kernel as often as that, by the first write to a page of new
    /// memory, and returns whether `after` held each time. `None` if there is no memory.
    pub(super) fn enter(times: usize, before: impl Fn(), after: impl Fn() -> bool) -> Option<bool> {
        let page = page_size()?;
        let memory = Mapped::new(times * page).ok()?;
        let at = memory.at.as_ptr();
        // SAFETY: the memory was mapped above. A kernel without huge pages refuses, which is fine.
        unsafe { libc::madvise(at.cast(), times * page, libc::MADV_NOHUGEPAGE) };
        Some((0..times).all(|nth| {
            before();
            // SAFETY: each page begins inside the memory that was mapped above.
            unsafe { at.add(nth * page).write_volatile(1) };
            after()
        }))
    }

    #[inline(always)]
    pub(super) fn set(selector: u16) {
        // SAFETY: 0 to 3 are null selectors, which may be loaded in 64-bit mode, where nothing is
        // addressed through ES. Does not order memory; changes no flags.
        unsafe {
            core::arch::asm!(
                "mov es, {0:x}",
                in(reg) selector,
                options(nomem, nostack, preserves_flags)
            );
        }
    }

    #[inline(always)]
    pub(super) fn get() -> u16 {
        let selector: u16;
        // SAFETY: reads a register. Does not order memory; changes no flags.
        unsafe {
            core::arch::asm!(
                "mov {0:x}, es",
                out(reg) selector,
                options(nomem, nostack, preserves_flags)
            );
        }
        selector
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod os {
    pub(super) const HERE: bool = false;

    pub(super) fn enter(_: usize, _: impl Fn(), _: impl Fn() -> bool) -> Option<bool> {
        None
    }

    pub(super) fn set(_: u16) {}

    pub(super) fn get() -> u16 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Under load an interrupt may come at any time, so only what it cannot cause is asserted.
    #[test]
    fn an_entry_removes_the_mark_or_there_is_a_reason() {
        let entered = match Entered::tested() {
            Ok(entered) => entered,
            Err(why) => return assert!(!why.is_empty()),
        };
        let mut stood = 0;
        for _ in 0..10_000 {
            entered.set();
            stood += u32::from(entered.stands());
        }
        assert!(stood > 5_000, "{stood} of 10000 marks stood");
    }
}
