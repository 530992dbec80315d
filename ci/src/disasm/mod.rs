//! Checks that each clock's timed loop contains the instruction or call that it claims to time.
//!
//! The tool itself prints, if asked, the address of each clock's loop in its own machine code, and
//! what the clock's entry expects there. The list of clocks is therefore that of the catalogue, and
//! a new clock needs no change here. The library's reads are also checked for calls that can panic,
//! the loops that time some work for the function that they share, and the row of a hundred reads
//! for their number.
//!
//! What a timed loop must and must not contain. The overhead of a clock is measured around the same
//! machine code with and without reads: the loop that times some work, and the loop of its
//! baseline, call one function. And the library's reads cannot panic: the `fast_paths` example has
//! each in its own function, and none of these may call a function with which the standard library
//! panics.

mod program;

use crate::tally::Done;
use crate::{sh, tool};
use anyhow::{Context, Result, anyhow, bail, ensure};
use program::{Flow, Function, Instruction, Program};
use std::path::Path;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Show the machine code of each loop
    #[arg(long)]
    show: bool,
    /// Clocks to check; all of them by default
    ids: Vec<String>,
}

/// One line that the tool prints.
struct Claim {
    id: String,
    /// Where its loops are in the running program, or why there are none.
    loops: Result<Loops, String>,
    expect: Vec<String>,
}

/// The addresses of the functions of a clock's loops.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Loops {
    throughput: u64,
    /// The loop around some work, and the same without reads.
    around: u64,
    baseline: u64,
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    release(sh, &args.ids, args.show).map(drop)
}

/// Checks all clocks and the library's reads.
pub fn check(sh: &Shell) -> Result<Done> {
    release(sh, &[], false)
}

fn release(sh: &Shell, ids: &[String], show: bool) -> Result<Done> {
    let tool::Built { tool, fast_paths } = tool::release(sh)?;
    let mut done = loops(sh, ids, show, &tool, &tool)?;
    if ids.is_empty() {
        done += no_panics(&fast_paths)?;
    }
    Ok(done)
}

/// Checks all clocks in a tool without symbols, which `symbols` has: the same program before it was
/// stripped.
pub fn stripped(sh: &Shell, tool: &Path, symbols: &Path) -> Result<Done> {
    ensure!(Program::read(tool)?.same_code(&Program::read(symbols)?), "two different programs");
    loops(sh, &[], false, tool, symbols)
}

fn loops(sh: &Shell, ids: &[String], show: bool, tool: &Path, symbols: &Path) -> Result<Done> {
    let (anchor, claims) = parse(&sh::read(cmd!(sh, "{tool} --chronoscope-loops"))?)?;
    let program = Program::read(symbols)?;
    let moved = program.start_of(ROW).context("the row of reads is missing")?;
    let slide = anchor.wrapping_sub(moved);

    let mut done = Done::default();
    for claim in &claims {
        if !ids.is_empty() && !ids.contains(&claim.id) {
            continue;
        }
        let loops = match &claim.loops {
            Ok(loops) => loops,
            Err(reason) => {
                println!("{:<34} unavailable: {reason}", claim.id);
                continue;
            }
        };
        let at = |address: u64| program.at(address.wrapping_sub(slide));
        let functions = [loops.throughput, loops.around].map(at);
        for function in functions.iter().flatten().filter(|_| show) {
            println!("{function}");
        }
        let seen = match (functions, at(loops.baseline)) {
            ([Some(reads), Some(timed)], Some(baseline)) => expected(&reads, &claim.expect)
                .and_then(|found| {
                    let work = around(&timed, &baseline)?;
                    Ok(format!("{found}; times {work}"))
                }),
            _ => Err(anyhow!("no function starts at the address of one of the loops")),
        };
        add(&mut done, &claim.id, seen.map_err(|error| format!("{error:#}")));
    }
    ensure!(done.failed == 0, "timed loops that do not match their entries: {}", done.failed);
    ensure!(done.passed > 0, "none of these clocks is available on this machine");
    if ids.is_empty() {
        let row = program.at(moved).context("the row of reads is missing")?;
        println!("{:<34} {}", "100 reads in a row", straight(&row, READ, IN_A_ROW)?);
        done.passed += 1;
    }
    Ok(done)
}

/// Prints what was found of a loop or function, and counts it.
fn add(done: &mut Done, name: &str, seen: Result<String, String>) {
    done.passed += u64::from(seen.is_ok());
    done.failed += u64::from(seen.is_err());
    println!("{name:<34} {}", seen.unwrap_or_else(|why| format!("FAILED: {why}")));
}

/// The function that reads the counter this many times in a row, whose address is on the first
/// line, and the instruction on either processor.
const ROW: &str = "chronoscope_probes::clocks::hundred::reads";
const IN_A_ROW: usize = 100;
const READ: &str = "rdtsc|mrs cntvct_el0";

/// Returns the address of [`ROW`] and the claims.
fn parse(text: &str) -> Result<(u64, Vec<Claim>)> {
    let address =
        |word: &str| word.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok());
    let mut lines = text.lines();
    let anchor = lines.next().and_then(address).context("the tool does not print its loops")?;
    let claims = lines
        .map(|line| {
            let fields: Vec<_> = line.split('\t').collect();
            let (loops, expect) = match *fields {
                [_, "-", ref why @ ..] => (Err(why.join(" ")), &[][..]),
                [_, throughput, around, baseline, ref expect @ ..] => {
                    let loops = (address(throughput), address(around), address(baseline));
                    let (Some(throughput), Some(around), Some(baseline)) = loops else {
                        bail!("unexpected line of the tool: {line}");
                    };
                    let loops = Loops { throughput, around, baseline };
                    (Ok(loops), expect)
                }
                _ => bail!("unexpected line of the tool: {line}"),
            };
            Ok(Claim {
                id: fields[0].into(),
                loops,
                expect: expect.iter().map(|text| (*text).to_owned()).collect(),
            })
        })
        .collect::<Result<_>>()?;
    Ok((anchor, claims))
}

/// Reads in one iteration of a timed loop.
const READS_PER_ITERATION: usize = 8;

/// Instructions that change what is being timed. Each occurrence must be expected.
const SIGNIFICANT: [&str; 11] = [
    "cpuid",
    "isb",
    "lfence",
    "mfence",
    "rdpmc",
    "rdtsc",
    "rdtscp",
    "serialize",
    "sfence",
    "svc",
    "syscall",
];

/// Clang for processors in general makes two of one division, and a branch that takes the one of 32
/// bits if both numbers have no more.
const EITHER: &str = "div";

/// The expectation of a call through a pointer.
const POINTER: &str = "(*)";

/// The end of the expectation of a function.
const FUNCTION: &str = "()";

/// Checks that one loop of the function contains the expected sequence once for each read of an
/// iteration, and calls nothing else. Returns a description of what was found.
///
/// An expectation is a mnemonic (`rdtscp`), a mnemonic with part of its operands
/// (`mrs cntvct_el0`), or a called function, by its name or by the end of its path
/// (`clock_gettime()`, `Instant::now()`). `Instant::now()|Timespec::now()` matches either, because
/// compilers differ in what they inline. `(*)` is a call through a pointer that the program found
/// at run time.
pub fn expected(function: &Function, expect: &[String]) -> Result<String> {
    ensure!(!expect.is_empty(), "the clock's entry has no expectation");
    let mut best = 0;
    for code in function.loops() {
        let reads = complete(function, code, expect);
        best = best.max(reads);
        if reads < READS_PER_ITERATION {
            continue;
        }
        if let Some(stranger) = stranger(function, code, expect) {
            bail!("the loop also contains {stranger}");
        }
        return Ok(format!("{} x {reads} in {}", expect.join("; "), function.name));
    }
    bail!(
        "{} occurs {best} times per iteration of {} instead of {READS_PER_ITERATION}",
        expect.join("; "),
        function.name
    )
}

/// Checks that the function executes an instruction this many times in a row, and otherwise neither
/// calls, jumps nor executes anything that would change its time. Returns a description.
pub fn straight(function: &Function, expected: &str, times: usize) -> Result<String> {
    let fits = |it: &&Instruction| fits(function, it, expected);
    let code = &function.code;
    let in_a_row =
        code.iter().skip_while(|instruction| !fits(instruction)).take_while(fits).count();
    let name = &function.name;
    ensure!(
        in_a_row == times,
        "{expected} occurs {in_a_row} times in a row in {name} instead of {times}"
    );
    let significant = |it: &&Instruction| SIGNIFICANT.contains(&it.mnemonic.as_str());
    let other = |it: &&Instruction| !fits(it) && (significant(it) || it.flow != Flow::Next);
    if let Some(other) = code.iter().find(other) {
        bail!("{} also contains {}", function.name, other.mnemonic);
    }
    let often = code.iter().filter(fits).count();
    ensure!(often == times, "{} contains {often} of {expected} instead of {times}", function.name);
    Ok(format!("{expected} x {times} in a row in {}", function.name))
}

/// Returns a call or significant instruction that is not expected, or that occurs too often.
fn stranger<'a>(
    function: &'a Function,
    code: &'a [Instruction],
    expect: &[String],
) -> Option<&'a str> {
    let unexpected = code
        .iter()
        .filter(|i| i.is_call() || SIGNIFICANT.contains(&i.mnemonic.as_str()))
        .find(|i| !expect.iter().any(|e| fits(function, i, e)));
    if let Some(it) = unexpected {
        let callee = function.callee(it).filter(|_| it.is_call());
        return Some(callee.unwrap_or(&it.mnemonic));
    }
    let fitting =
        |i: &&Instruction| i.mnemonic != EITHER && expect.iter().any(|e| fits(function, i, e));
    let counted = expect.iter().filter(|e| *e != EITHER).count();
    let often = code.iter().filter(fitting).count() > READS_PER_ITERATION * counted;
    often.then_some("more of these than its reads need")
}

/// How many times the whole sequence occurs.
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
    expected.split('|').any(|one| fits_one(function, instruction, one))
}

fn fits_one(function: &Function, instruction: &Instruction, expected: &str) -> bool {
    if expected == POINTER {
        let unnamed = function.callee(instruction).is_none() && instruction.slot.is_none();
        return instruction.flow == Flow::Call(None) && unnamed;
    }
    if let Some(path) = expected.strip_suffix(FUNCTION) {
        let callee = function.callee(instruction);
        return instruction.is_call() && callee.is_some_and(|callee| is_called(callee, path));
    }
    let (mnemonic, operand) = expected.split_once(' ').unwrap_or((expected, ""));
    instruction.mnemonic == mnemonic && instruction.operands.contains(operand)
}

/// Whether a symbol is the function of that name, or one whose path ends so. A part of a name is
/// not enough: `time` is not `clock_gettime`.
fn is_called(symbol: &str, path: &str) -> bool {
    let symbol = symbol.split('@').next().unwrap_or_default();
    if symbol.starts_with("_Z") {
        // Mangled C++: each part of a path follows its length (Itanium C++ ABI, 5.1.2).
        let parts = path.split("::").map(|part| format!("{}{part}", part.len()));
        return symbol.contains(&parts.collect::<String>());
    }
    // Rust writes `<Type>::function` for a function of a type.
    let symbol = symbol.replace(['<', '>'], "");
    let symbol: Vec<_> = symbol.trim_start_matches('_').split("::").collect();
    symbol.ends_with(&path.split("::").collect::<Vec<_>>())
}

// The loop that times some work, and the loop of its baseline.

/// Checks both loops, and returns the name of the function that they call.
pub fn around<'a>(timed: &Function, baseline: &'a Function) -> Result<&'a str> {
    let (code, call) = baseline
        .loops()
        .find_map(|code| Some((code, code.iter().find(|instruction| instruction.is_call())?)))
        .with_context(|| format!("the loop of {} calls nothing", baseline.name))?;
    let Some(work) = baseline.callee(call) else {
        bail!("{} calls a function without a name", baseline.name);
    };
    let calls = code.iter().filter(|instruction| instruction.is_call()).count();
    ensure!(calls <= 1, "the loop of {} calls more than {work}", baseline.name);
    let calls_it = |it: &&Instruction| it.is_call() && timed.callee(it) == Some(work);
    let calls = |code: &[Instruction]| code.iter().filter(calls_it).count();
    match timed.loops().map(calls).find(|calls| *calls > 0) {
        Some(1) => Ok(work),
        Some(calls) => bail!("{} calls {work} {calls} times per iteration", timed.name),
        None => bail!("{} does not call {work}, as its baseline does", timed.name),
    }
}

/// The prefix of the names of the example's functions.
const FAST_PATHS: &str = "fast_paths::";

/// Parts of the names of functions that panic: `core::panicking::…`, `core::option::unwrap_failed`,
/// `core::result::unwrap_failed`, `…::expect_failed`, `core::slice::index::…_fail`,
/// `alloc::…::capacity_overflow`.
const PANICS: [&str; 6] =
    ["panic", "unwrap_failed", "expect_failed", "_fail", "capacity_overflow", "_Unwind_Resume"];

/// If there are fewer functions, the compiler has dropped some.
const LEAST: u64 = 10;

pub fn no_panics(fast_paths: &Path) -> Result<Done> {
    let program = Program::read(fast_paths)?;
    let mut done = Done::default();
    for function in program.named(FAST_PATHS) {
        if function.name.contains("main") {
            continue;
        }
        let panics = panic_in(&function).map(|callee| format!("calls {callee}"));
        add(&mut done, &function.name, panics.map_or(Ok("cannot panic".into()), Err));
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
    use super::*;

    #[test]
    fn output_of_the_tool_is_parsed() {
        let lines = [
            "0x1000",
            "x86/rdtscp\t0x2000\t0x3000\t0x4000\trdtscp",
            "windows/qpc\t-\texists on Windows only",
        ];
        let (anchor, claims) = parse(&lines.join("\n")).unwrap();
        assert_eq!(anchor, 0x1000);
        let loops = Loops { throughput: 0x2000, around: 0x3000, baseline: 0x4000 };
        assert_eq!(claims[0].loops, Ok(loops));
        assert_eq!(claims[0].expect, ["rdtscp"]);
        assert_eq!(claims[1].loops, Err("exists on Windows only".into()));
        assert!(parse("").is_err() && parse("x").is_err());
        assert!(parse("0x1000\nx86/rdtscp\t0x2000\trdtscp").is_err());
    }
}

#[cfg(test)]
mod expect_tests {
    use super::*;

    fn instruction(address: u64, line: &str) -> Instruction {
        let (mnemonic, operands) = line.split_once(' ').unwrap_or((line, ""));
        let call = mnemonic == "call";
        Instruction {
            address,
            mnemonic: mnemonic.into(),
            operands: operands.into(),
            flow: if call { Flow::Call(None) } else { Flow::Next },
            slot: None,
            register: None,
            symbol: (call && operands != "rbx").then(|| operands.into()),
        }
    }

    /// Checks a loop that repeats this body `times` times.
    fn seen(body: &[&str], times: usize, expect: &[&str]) -> Result<String> {
        let lines = body.iter().cycle().take(body.len() * times).chain(&["jne"]);
        let mut code: Vec<_> = (0..).zip(lines).map(|(at, line)| instruction(at, line)).collect();
        code.last_mut().unwrap().flow = Flow::Jump(Some(0));
        let function = Function { name: "it".into(), code };
        let expect: Vec<_> = expect.iter().map(|e| (*e).to_owned()).collect();
        expected(&function, &expect)
    }

    #[test]
    fn expected_sequences_pass() {
        seen(&["rdtsc", "shl rdx,20h"], 8, &["rdtsc"]).unwrap();
        let fenced = ["lfence", "rdtsc", "lfence"];
        seen(&fenced, 8, &fenced).unwrap();
        seen(&["call clock_gettime@plt"], 8, &["clock_gettime()"]).unwrap();
        seen(&["call __clock_gettime"], 8, &["clock_gettime()"]).unwrap();
        let steady = "call _ZNSt6chrono3_V212steady_clock3nowEv";
        seen(&[steady], 8, &["steady_clock::now()"]).unwrap();
        seen(&["call rbx"], 8, &["(*)"]).unwrap();
        let expect = ["isb", "mrs cntvct_el0"];
        seen(&["isb", "mrs x0, cntvct_el0"], 8, &expect).unwrap();
    }

    #[test]
    fn a_division_may_have_a_short_path() {
        let body = ["rdtsc", "je", "div rcx", "jmp", "div ecx"];
        seen(&body, 8, &["rdtsc", "div"]).unwrap();
        seen(&["rdtsc", "rdtsc", "div rcx"], 8, &["rdtsc", "div"]).unwrap_err();
    }

    #[test]
    fn one_of_two_alternatives_is_enough() {
        let body = ["call std::sys::pal::unix::time::Timespec::now"];
        seen(&body, 8, &["Instant::now()|Timespec::now()"]).unwrap();
        seen(&body, 8, &["Instant::now()|SystemTime::now()"]).unwrap_err();
        let body = ["call <std::time::Instant>::now"];
        seen(&body, 8, &["Instant::now()|Timespec::now()"]).unwrap();
    }

    #[test]
    fn a_row_is_straight_and_has_nothing_else() {
        let row = |lines: &[&str]| {
            let code = (0..).zip(lines).map(|(at, line)| instruction(at, line)).collect();
            straight(&Function { name: "it".into(), code }, "rdtsc|mrs cntvct_el0", 3)
        };
        row(&["push rax", "rdtsc", "rdtsc", "rdtsc", "ret"]).unwrap();
        row(&["mrs x9, cntvct_el0", "mrs x9, cntvct_el0", "mrs x9, cntvct_el0"]).unwrap();
        row(&["rdtsc", "rdtsc", "ret"]).unwrap_err();
        row(&["rdtsc", "nop", "rdtsc", "rdtsc"]).unwrap_err();
        row(&["rdtsc", "rdtsc", "rdtsc", "nop", "rdtsc"]).unwrap_err();
        row(&["lfence", "rdtsc", "rdtsc", "rdtsc"]).unwrap_err();
        row(&["rdtsc", "rdtsc", "rdtsc", "call spy"]).unwrap_err();
    }

    #[test]
    fn everything_else_fails() {
        seen(&["rdtscp"], 8, &["rdtsc"]).unwrap_err();
        seen(&["rdtsc"], 7, &["rdtsc"]).unwrap_err();
        seen(&["rdtsc", "lfence"], 8, &["lfence", "rdtsc"]).unwrap_err();
        seen(&["mrs x0, cntpct_el0"], 8, &["mrs cntvct_el0"]).unwrap_err();
        seen(&["rdtsc", "call spy@plt"], 8, &["rdtsc"]).unwrap_err();
        seen(&["rdtsc", "lfence"], 8, &["rdtsc"]).unwrap_err();
        seen(&["lfence", "rdtsc", "lfence"], 8, &["lfence", "rdtsc"]).unwrap_err();
        seen(&["call clock_gettime@plt"], 8, &["(*)"]).unwrap_err();
        seen(&["call rbx"], 8, &["clock_gettime()"]).unwrap_err();
        seen(&["call clock_gettime@plt"], 8, &["time()"]).unwrap_err();
        seen(&["call clock_gettime@plt"], 8, &["clock()"]).unwrap_err();
        seen(&["call _ZNSt6chrono3_V212steady_clock3nowEv"], 8, &["clock::now()"]).unwrap_err();
        seen(&["syscall"], 8, &["syscall()"]).unwrap_err();
        seen(&["call syscall@plt"], 8, &["syscall"]).unwrap_err();
        seen(&["rdtsc"], 8, &[]).unwrap_err();
    }

    /// A loop that calls these functions.
    fn calling(callees: &[&str]) -> Function {
        let calls = callees.iter().map(|callee| (Flow::Call(None), Some(*callee)));
        let all = calls.chain([(Flow::Jump(Some(0)), None)]);
        let code = all.enumerate().map(|(at, (flow, callee))| Instruction {
            address: at as u64,
            mnemonic: "it".into(),
            operands: String::new(),
            flow,
            slot: None,
            register: None,
            symbol: callee.map(str::to_owned),
        });
        Function { name: "around".into(), code: code.collect() }
    }

    #[test]
    fn both_loops_must_call_one_function() {
        let baseline = calling(&["sum"]);
        assert_eq!(around(&calling(&["now", "sum", "now"]), &baseline).unwrap(), "sum");
        around(&calling(&["sum"]), &baseline).unwrap();
        for other in [&["now", "now"][..], &["sum", "sum"], &[]] {
            around(&calling(other), &baseline).unwrap_err();
        }
    }

    #[test]
    fn a_baseline_must_call_nothing_else() {
        around(&calling(&["sum"]), &calling(&[])).unwrap_err();
        around(&calling(&["sum"]), &calling(&["sum", "now"])).unwrap_err();
    }

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
