//! Prints where the timed loop of each clock is in this program, and what it must contain.
//! `cargo xtask disasm` reads this and checks the machine code there.
//!
//! One line per clock: `id <tab> address <tab> address of the loop around some work <tab> the same
//! of the empty loop <tab> expectation…`, or `id <tab> - <tab> reason` for a clock that does not
//! exist here. The first line is the address of [`timed_loops_anchor`], from which the reader
//! determines how far the program was moved when it was loaded. The row of a hundred reads is found
//! by its name.

use chronoscope_probes::clocks::{Opening, empty, every, hundred};

/// A function whose address is in the symbol table.
#[unsafe(no_mangle)]
pub extern "C" fn timed_loops_anchor() {}

fn main() {
    let anchor: extern "C" fn() = timed_loops_anchor;
    std::hint::black_box(hundred::reads as fn());
    println!("timed_loops_anchor\t{:#x}", anchor as usize);
    for entry in every() {
        // Whether the machine has the device does not matter, only whether the loop is in the
        // program.
        match entry.open(Opening::Untouched) {
            Ok(reader) => {
                let address = reader.loop_address();
                let around = reader.around_address();
                let baseline = empty(entry.language).around_address();
                let expect = entry.expect.join("\t");
                println!("{}\t{address:#x}\t{around:#x}\t{baseline:#x}\t{expect}", entry.id);
            }
            Err(reason) => println!("{}\t-\t{}", entry.id, reason.0.replace(['\t', '\n'], " ")),
        }
    }
}
