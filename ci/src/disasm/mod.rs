//! Checks that each clock's timed loop contains the instruction or call that it claims to time.
//!
//! The tool itself prints, if asked, the address of each clock's loop in its own machine code, and
//! what the clock's entry expects there. The list of clocks is therefore that of the catalogue, and
//! a new clock needs no change here. The library's reads are also checked for calls that can panic,
//! the loops that time some work for the function that they share, and the row of a hundred reads
//! for their number.

mod expect;
mod program;

use crate::tally::Done;
use crate::{sh, tool};
use anyhow::{Context, Result, anyhow, bail, ensure};
use program::Program;
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
        done += expect::no_panics(&fast_paths)?;
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
            ([Some(reads), Some(timed)], Some(baseline)) => expect::check(&reads, &claim.expect)
                .and_then(|found| {
                    let work = expect::around(&timed, &baseline)?;
                    Ok(format!("{found}; times {work}"))
                }),
            _ => Err(anyhow!("no function starts at the address of one of the loops")),
        };
        match seen {
            Ok(found) => {
                done.passed += 1;
                println!("{:<34} {found}", claim.id);
            }
            Err(error) => {
                done.failed += 1;
                println!("{:<34} FAILED: {error:#}", claim.id);
            }
        }
    }
    ensure!(done.failed == 0, "timed loops that do not match their entries: {}", done.failed);
    ensure!(done.passed > 0, "none of these clocks is available on this machine");
    if ids.is_empty() {
        let row = program.at(moved).context("the row of reads is missing")?;
        println!("{:<34} {}", "100 reads in a row", expect::straight(&row, READ, READS)?);
        done.passed += 1;
    }
    Ok(done)
}

/// The function that reads the counter this many times in a row, whose address is on the first
/// line, and the instruction on either processor.
const ROW: &str = "chronoscope_probes::clocks::hundred::reads";
const READS: usize = 100;
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
