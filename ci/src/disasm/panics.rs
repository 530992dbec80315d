//! Checks that the library's reads cannot panic. The `fast_paths` example has each read in its own
//! function, and none of these may call a function with which the standard library panics.

use super::code::Function;
use super::program::Program;
use crate::tally::Done;
use anyhow::{Result, ensure};
use std::path::Path;

/// The prefix of the names of the example's functions.
const READS: &str = "fast_paths::";

/// Parts of the names of functions that panic: `core::panicking::…`, `core::option::unwrap_failed`,
/// `core::result::unwrap_failed`, `…::expect_failed`, `core::slice::index::…_fail`,
/// `alloc::…::capacity_overflow`.
const PANICS: [&str; 6] =
    ["panic", "unwrap_failed", "expect_failed", "_fail", "capacity_overflow", "_Unwind_Resume"];

/// If there are fewer functions, the compiler has dropped some.
const LEAST: u64 = 10;

pub fn check(fast_paths: &Path) -> Result<Done> {
    let program = Program::read(fast_paths)?;
    let mut done = Done::default();
    for function in program.named(READS) {
        if function.name.contains("main") {
            continue;
        }
        match panic_in(&function) {
            Some(callee) => {
                done.failed += 1;
                println!("{:<34} FAILED: calls {callee}", function.name);
            }
            None => {
                done.passed += 1;
                println!("{:<34} cannot panic", function.name);
            }
        }
    }
    ensure!(done.failed == 0, "reads that can panic: {}", done.failed);
    ensure!(done.passed >= LEAST, "only {} reads were found", done.passed);
    Ok(done)
}

/// The first call, or jump to another function, that can panic.
fn panic_in(function: &Function) -> Option<&str> {
    let leaves = function.code.iter().filter_map(|i| i.symbol.as_deref());
    leaves
        .filter(|callee| *callee != function.name)
        .find(|callee| PANICS.iter().any(|part| callee.contains(part)))
}

#[cfg(test)]
mod tests {
    use super::super::code::{Flow, Instruction};
    use super::*;

    #[test]
    fn a_call_that_can_panic_is_found() {
        let calling = |symbol: &str| Function {
            name: "fast_paths::now".into(),
            code: vec![Instruction {
                address: 0,
                mnemonic: "call".into(),
                operands: String::new(),
                flow: Flow::Call(None),
                slot: None,
                register: None,
                symbol: Some(symbol.into()),
            }],
        };
        let panic = "core::panicking::panic_fmt";
        assert_eq!(panic_in(&calling(panic)), Some(panic));
        assert_eq!(panic_in(&calling("clock_gettime")), None);
    }
}
