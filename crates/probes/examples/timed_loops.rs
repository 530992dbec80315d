//! Where the timed loop of each clock lies in this very program, and what it must contain. Read by
//! `cargo xtask disasm`, which looks at the machine code there.
//!
//! One line a clock: `id <tab> address <tab> expectation…`, or `id <tab> - <tab> reason` for a
//! clock that does not exist here. The first line is the address of [`timed_loops_anchor`], from
//! which the reader finds out how far the program was moved when it was loaded.

use chronoscope_probes::clocks::{ALL, Opening};

/// Something whose address the symbol table tells.
#[unsafe(no_mangle)]
pub extern "C" fn timed_loops_anchor() {}

fn main() {
    let anchor: extern "C" fn() = timed_loops_anchor;
    println!("timed_loops_anchor\t{:#x}", anchor as usize);
    for entry in ALL {
        // Not whether this machine has the device: only whether the loop is in the program.
        match entry.open(Opening::Untouched) {
            Ok(reader) => {
                let address = reader.loop_address();
                println!("{}\t{address:#x}\t{}", entry.id, entry.expect.join("\t"));
            }
            Err(reason) => println!("{}\t-\t{}", entry.id, reason.0.replace(['\t', '\n'], " ")),
        }
    }
}
