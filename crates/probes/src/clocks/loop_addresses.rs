//! Where the timed loops are in this program. `cargo xtask disasm` asks, and checks the machine
//! code there.

use super::{Opening, empty, every, hundred};
use std::io::{self, Write};

/// The argument that asks.
const ARGUMENT: &str = "--chronoscope-loops";

/// If this process was started to say where its loops are, prints that and returns its exit code.
pub fn requested() -> Option<i32> {
    let asked = std::env::args_os().nth(1)? == ARGUMENT;
    asked.then(|| if print(io::stdout().lock()).is_ok() { 0 } else { 3 })
}

/// Prints the address of [`hundred::reads`], from which the reader determines how far the program
/// was moved when it was loaded, and then one line per clock: `id <tab> address <tab> address of
/// the loop around some work <tab> the same of the empty loop <tab> expectation…`, or `id <tab> -
/// <tab> reason` for a clock that does not exist here.
fn print(mut out: impl Write) -> io::Result<()> {
    writeln!(out, "{:#x}", hundred::reads as fn() as usize)?;
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
