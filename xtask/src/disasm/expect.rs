//! What a timed loop must contain, and what it must not.

use super::objdump::{Function, Instruction};
use anyhow::{Result, bail};

/// A turn of the timed loop reads so often.
const READS_PER_TURN: usize = 8;

/// What makes another read of the one it stands in: it must be expected, each time it is there.
const TELLING: [&str; 10] = [
    "cpuid",
    "isb",
    "lfence",
    "mfence",
    "rdpmc",
    "rdtsc",
    "rdtscp",
    "serialize",
    "sfence",
    "syscall",
];

/// Whether one loop of the function contains all that is expected, in that order, once for each
/// read of a turn, and calls nothing else. Returns what was found, in words.
///
/// An expectation is a mnemonic (`rdtscp`), a mnemonic with something its operands contain
/// (`mrs cntvct_el0`), or a part of the name of a function that is called (`clock_gettime`).
/// `Instant|Timespec` stands for either: what is inlined differs between compilers.
pub fn check(function: &Function, expect: &[String]) -> Result<String> {
    if expect.is_empty() {
        bail!("the entry expects nothing");
    }
    let mut best = 0;
    for code in function.loops() {
        let reads = complete(function, code, expect);
        best = best.max(reads);
        if reads < READS_PER_TURN {
            continue;
        }
        if let Some(stranger) = stranger(function, code, expect) {
            bail!("it also has {stranger}");
        }
        return Ok(format!(
            "{} x {reads} in {}",
            expect.join("; "),
            function.name
        ));
    }
    bail!(
        "{} is found {best} times in a turn of {}, not {READS_PER_TURN}",
        expect.join("; "),
        function.name
    )
}

/// A call, or an instruction that tells, which is not expected, or not so often.
fn stranger<'a>(
    function: &'a Function,
    code: &'a [Instruction],
    expect: &[String],
) -> Option<&'a str> {
    let unexpected = code
        .iter()
        .filter(|i| i.is_call() || TELLING.contains(&i.mnemonic.as_str()))
        .find(|i| !expect.iter().any(|e| fits(function, i, e)));
    if let Some(it) = unexpected {
        return Some(
            function
                .callee(it)
                .filter(|_| it.is_call())
                .unwrap_or(&it.mnemonic),
        );
    }
    let fitting = |i: &&Instruction| expect.iter().any(|e| fits(function, i, e));
    let often = code.iter().filter(fitting).count() > READS_PER_TURN * expect.len();
    often.then_some("more of it than its reads take")
}

/// How often the whole sequence is found.
fn complete(function: &Function, code: &[Instruction], expect: &[String]) -> usize {
    let mut next = expect.iter().cycle();
    let mut awaited = next.next();
    let mut found = 0;
    for instruction in code {
        if awaited.is_some_and(|expected| fits(function, instruction, expected)) {
            found += 1;
            awaited = next.next();
        }
    }
    found / expect.len()
}

fn fits(function: &Function, instruction: &Instruction, expected: &str) -> bool {
    expected
        .split('|')
        .any(|one| fits_one(function, instruction, one))
}

fn fits_one(function: &Function, instruction: &Instruction, expected: &str) -> bool {
    if let Some((mnemonic, operand)) = expected.split_once(' ') {
        return instruction.mnemonic == mnemonic && instruction.operands.contains(operand);
    }
    instruction.mnemonic == expected
        || (instruction.is_call()
            && function
                .callee(instruction)
                .is_some_and(|callee| callee.contains(expected)))
}

#[cfg(test)]
mod tests {
    use super::super::objdump::Program;
    use super::*;

    /// A loop of so many turns of this body, one instruction a line.
    fn seen(body: &[&str], times: usize, expect: &[&str]) -> Result<String> {
        let mut text = String::from("0000000000001000 <it>:\n");
        let mut address = 0x1000;
        for line in body.iter().cycle().take(body.len() * times) {
            text += &format!("    {address:x}:\t{line}\n");
            address += 4;
        }
        text += &format!("    {address:x}:\tjne    1000 <it>\n");
        let program = Program::parse(&text);
        let expect: Vec<_> = expect.iter().map(|e| (*e).to_owned()).collect();
        check(program.at(0x1000).unwrap(), &expect)
    }

    #[test]
    fn what_is_there_is_found() {
        seen(&["rdtsc", "shl    $0x20,%rdx"], 8, &["rdtsc"]).unwrap();
        seen(
            &["lfence", "rdtsc", "lfence"],
            8,
            &["lfence", "rdtsc", "lfence"],
        )
        .unwrap();
        seen(&["call   55050 <clock_gettime@plt>"], 8, &["clock_gettime"]).unwrap();
        seen(
            &["isb", "mrs    x0, cntvct_el0"],
            8,
            &["isb", "mrs cntvct_el0"],
        )
        .unwrap();
    }

    #[test]
    fn one_of_several_will_do() {
        let body = ["call   3cdc0 <std::sys::pal::unix::time::Timespec::now>"];
        seen(&body, 8, &["Instant|Timespec"]).unwrap();
        seen(&body, 8, &["Instant|SystemTime"]).unwrap_err();
    }

    #[test]
    fn what_is_not_there_is_missed() {
        seen(&["rdtscp"], 8, &["rdtsc"]).unwrap_err();
        seen(&["rdtsc"], 7, &["rdtsc"]).unwrap_err();
        seen(&["rdtsc", "lfence"], 8, &["lfence", "rdtsc"]).unwrap_err();
        seen(&["mrs    x0, cntpct_el0"], 8, &["mrs cntvct_el0"]).unwrap_err();
        seen(&["rdtsc", "call   55050 <spy@plt>"], 8, &["rdtsc"]).unwrap_err();
        seen(&["rdtsc", "lfence"], 8, &["rdtsc"]).unwrap_err();
        seen(&["lfence", "rdtsc", "lfence"], 8, &["lfence", "rdtsc"]).unwrap_err();
        seen(&["rdtsc"], 8, &[]).unwrap_err();
    }
}
