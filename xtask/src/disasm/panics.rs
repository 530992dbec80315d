//! Whether the library's reads can panic: the example `fast_paths` has each in a function of its
//! own, and none of them may call what the standard library panics with.

use super::objdump::{Function, Program};
use crate::sh;
use crate::suite::Done;
use anyhow::{Result, bail};

/// The functions of the example, by the beginning of their names.
const READS: &str = "fast_paths::";

/// What a call that panics goes to, by a part of its name: `core::panicking::…`,
/// `core::option::unwrap_failed`, `core::result::unwrap_failed`, `…::expect_failed`,
/// `core::slice::index::…_fail`, `alloc::…::capacity_overflow`.
const PANICS: [&str; 6] = [
    "panic",
    "unwrap_failed",
    "expect_failed",
    "_fail",
    "capacity_overflow",
    "_Unwind_Resume",
];

/// Fewer than this, and the compiler has left functions out.
const LEAST: u64 = 9;

pub fn check() -> Result<Done> {
    let example = ["-p", "chronoscope", "--example", "fast_paths"];
    sh::run(
        sh::cargo()
            .args(["build", "--quiet", "--release"])
            .args(example),
    )?;
    let binary = sh::target().join("release/examples/fast_paths");
    let listing = sh::capture(
        sh::program("objdump")
            .args(["-d", "--no-show-raw-insn", "-C"])
            .arg(&binary),
    )?;
    let program = Program::parse(&listing);
    let mut done = Done::default();
    for function in program.named(READS) {
        if function.name.contains("main") {
            continue;
        }
        match panic_in(function) {
            Some(callee) => {
                done.tally.failed += 1;
                println!("{:<34} FAILED: calls {callee}", function.name);
            }
            None => {
                done.tally.passed += 1;
                println!("{:<34} cannot panic", function.name);
            }
        }
    }
    match done.tally {
        tally if tally.failed > 0 => bail!("{} reads can panic", tally.failed),
        tally if tally.passed < LEAST => bail!("only {} reads were found", tally.passed),
        _ => Ok(done),
    }
}

/// The first call, or jump to another function, that panics.
fn panic_in(function: &Function) -> Option<&str> {
    let leaves = function.code.iter().filter_map(|i| i.symbol.as_deref());
    leaves
        .filter(|callee| !callee.starts_with(&function.name))
        .find(|callee| PANICS.iter().any(|part| callee.contains(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_panics_is_seen() {
        let text = "\
0000000000001000 <fast_paths::now>:
    1000:\trdtsc
    1002:\tret
0000000000002000 <fast_paths::bad>:
    2000:\tcall   3000 <core::panicking::panic_fmt>
    2005:\tud2
";
        let program = Program::parse(text);
        let found = |name: &str| {
            let function = program.named(name).next().expect("it is there");
            panic_in(function).map(str::to_owned)
        };
        assert_eq!(found("fast_paths::now"), None);
        assert_eq!(
            found("fast_paths::bad").as_deref(),
            Some("core::panicking::panic_fmt")
        );
    }
}
