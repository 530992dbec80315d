//! A hundred reads of the counter straight after one another, with no loop around them: what
//! instruction tables call the throughput of an instruction is measured so (Fog, *Instruction
//! tables*, "How the values were measured").
//!
//! Where the timed loops are in this program. `cargo xtask disasm` asks, and checks the machine
//! code there.

use super::{Opening, empty, every};
use std::io::{self, Write};

/// How many of them there are.
pub const TIMES: u32 = 100;

/// The instruction; `None` on processors for which there is no such code.
pub const INSTRUCTION: Option<&str> = if cfg!(target_arch = "x86_64") {
    Some("rdtsc")
} else if cfg!(target_arch = "aarch64") {
    Some("mrs cntvct_el0")
} else {
    None
};

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

/// The argument that asks.
const ARGUMENT: &str = "--chronoscope-loops";

/// If this process was started to say where its loops are, prints that and returns its exit code.
pub fn requested() -> Option<i32> {
    let asked = std::env::args_os().nth(1)? == ARGUMENT;
    asked.then(|| if print(io::stdout().lock()).is_ok() { 0 } else { 3 })
}

/// Prints the address of [`reads`], from which the reader determines how far the program
/// was moved when it was loaded, and then one line per clock: `id <tab> address <tab> address of
/// the loop around some work <tab> the same of the empty loop <tab> expectation…`, or `id <tab> -
/// <tab> reason` for a clock that does not exist here.
fn print(mut out: impl Write) -> io::Result<()> {
    writeln!(out, "{:#x}", reads as fn() as usize)?;
    for entry in every() {
        // Whether the machine has the device does not matter, only whether the loop is in the
        // program.
        match entry.open(Opening::Untouched) {
            Ok(reader) => {
                let address = reader.loop_address();
                let around = reader.around_address();
                let baseline = empty(entry.language).around_address();
                let expect = entry.expect.join("\t");
                writeln!(out, "{}\t{address:#x}\t{around:#x}\t{baseline:#x}\t{expect}", entry.id)?;
            }
            Err(reason) => {
                writeln!(out, "{}\t-\t{}", entry.id, reason.0.replace(['\t', '\n'], " "))?;
            }
        }
    }
    out.flush()
}
