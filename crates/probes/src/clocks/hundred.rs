//! A hundred reads of the counter straight after one another, with no loop around them: what
//! instruction tables call the throughput of an instruction is measured so (Fog, *Instruction
//! tables*, "How the values were measured").

/// How many of them there are.
pub const TIMES: u32 = 100;

/// The instruction; `None` on processors for which there is no such code.
#[cfg(target_arch = "x86_64")]
pub const INSTRUCTION: Option<&str> = Some("rdtsc");
#[cfg(target_arch = "aarch64")]
#[allow(missing_docs, reason = "as above")]
pub const INSTRUCTION: Option<&str> = Some("mrs cntvct_el0");
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[allow(missing_docs, reason = "as above")]
pub const INSTRUCTION: Option<&str> = None;

/// The clock that executes the same instruction. If it cannot be opened, [`reads`] would end the
/// process.
pub const CLOCK: &str = if cfg!(target_arch = "x86_64") { "x86/rdtsc-asm" } else { "arm/cntvct" };

/// Executes the instruction [`TIMES`] times. `cargo xtask disasm` checks this function.
#[inline(never)]
pub fn reads() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: writes only registers that are declared as clobbered. A process that may not read the
    // counter cannot open the clock.
    unsafe {
        core::arch::asm!(
            ".rept {times}", "rdtsc", ".endr",
            times = const TIMES, out("rax") _, out("rdx") _,
            options(nomem, nostack, preserves_flags)
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        core::arch::asm!(
            ".rept {times}", "mrs x9, cntvct_el0", ".endr",
            times = const TIMES, out("x9") _,
            options(nomem, nostack, preserves_flags)
        );
    }
}

/// The same call without the instructions.
#[inline(never)]
pub fn nothing() {
    // SAFETY: the template is empty. It keeps the call.
    unsafe {
        core::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
}
