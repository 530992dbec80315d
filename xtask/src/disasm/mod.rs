//! Whether each clock's timed loop contains the instruction or call that it claims to time.
//!
//! The example `timed_loops` of the probes tells where, in its own machine code, the loop of each
//! clock of the catalogue lies, and what the entry expects there; objdump shows what is there.
//! So the list of clocks is the catalogue's own, and a clock added to it is checked without a
//! line here. The library's reads are looked at as well, for calls that panic.

mod expect;
mod objdump;
mod panics;

use crate::sh;
use crate::suite::Done;
use anyhow::{Context, Result, bail};
use objdump::Program;

#[derive(clap::Args)]
pub struct Args {
    /// Shows the machine code of each loop that is looked at
    #[arg(long)]
    show: bool,
    /// Only these clocks
    ids: Vec<String>,
}

/// One line of the example.
struct Claim {
    id: String,
    /// Where the loop's function begins in the running program; or why there is none.
    address: Result<u64, String>,
    expect: Vec<String>,
}

pub fn run(args: &Args) -> Result<()> {
    check(Some(args)).map(drop)
}

/// Checks all clocks, or those asked for.
pub fn check(args: Option<&Args>) -> Result<Done> {
    sh::run(sh::cargo().args([
        "build",
        "--quiet",
        "--release",
        "-p",
        "chronoscope-probes",
        "--example",
        "timed_loops",
    ]))?;
    let binary = sh::target().join("release/examples/timed_loops");
    let (anchor, claims) = parse(&sh::capture(&mut sh::program(&binary))?)?;
    // Two runs: in one, the slots that the loader fills would stand between the instructions, and
    // only where those lie in the same section.
    let mut listing = sh::capture(sh::program("objdump").arg("-R").arg(&binary))?;
    listing += &sh::capture(
        sh::program("objdump")
            .args(["-d", "--no-show-raw-insn", "-C"])
            .arg(&binary),
    )?;
    let program = Program::parse(&listing);
    let moved = program
        .start_of(ANCHOR)
        .context("the anchor is not in the symbol table")?;
    let slide = anchor.wrapping_sub(moved);

    let mut done = Done::default();
    for claim in &claims {
        if args.is_some_and(|args| !args.ids.is_empty() && !args.ids.contains(&claim.id)) {
            continue;
        }
        let address = match &claim.address {
            Ok(address) => address.wrapping_sub(slide),
            Err(reason) => {
                println!("{:<34} not here: {reason}", claim.id);
                continue;
            }
        };
        let function = program.at(address);
        if let Some(function) = function.filter(|_| args.is_some_and(|args| args.show)) {
            println!("{function}");
        }
        let seen = function
            .context("no function begins where the loop should")
            .and_then(|function| expect::check(function, &claim.expect));
        match seen {
            Ok(found) => {
                done.tally.passed += 1;
                println!("{:<34} {found}", claim.id);
            }
            Err(error) => {
                done.tally.failed += 1;
                println!("{:<34} FAILED: {error:#}", claim.id);
            }
        }
    }
    match done.tally {
        tally if tally.failed > 0 => bail!("{} timed loops are not what they claim", tally.failed),
        tally if tally.passed == 0 => bail!("no such clock here"),
        _ => {}
    }
    if args.is_none_or(|args| args.ids.is_empty()) {
        done.tally.passed += panics::check()?.tally.passed;
    }
    Ok(done)
}

/// The symbol whose address the first line tells.
const ANCHOR: &str = "timed_loops_anchor";

/// The anchor's address, and what is claimed.
fn parse(text: &str) -> Result<(u64, Vec<Claim>)> {
    let address = |word: &str| {
        word.strip_prefix("0x")
            .and_then(|hex| u64::from_str_radix(hex, 16).ok())
    };
    let mut lines = text.lines();
    let anchor = lines
        .next()
        .and_then(|line| line.strip_prefix(ANCHOR))
        .and_then(|rest| address(rest.trim()))
        .context("timed_loops does not begin with its anchor")?;
    let claims = lines
        .map(|line| {
            let mut fields = line.split('\t');
            let (Some(id), Some(place)) = (fields.next(), fields.next()) else {
                bail!("not a line of timed_loops: {line}");
            };
            let rest: Vec<_> = fields.map(str::to_owned).collect();
            Ok(match address(place) {
                Some(found) => Claim {
                    id: id.into(),
                    address: Ok(found),
                    expect: rest,
                },
                None => Claim {
                    id: id.into(),
                    address: Err(rest.join(" ")),
                    expect: vec![],
                },
            })
        })
        .collect::<Result<_>>()?;
    Ok((anchor, claims))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_lines_are_understood() {
        let text = "timed_loops_anchor\t0x1000\nx86/rdtscp\t0x2000\trdtscp\nwindows/qpc\t-\texists on Windows only\n";
        let (anchor, claims) = parse(text).unwrap();
        assert_eq!(anchor, 0x1000);
        assert_eq!(claims[0].address, Ok(0x2000));
        assert_eq!(claims[0].expect, ["rdtscp"]);
        assert_eq!(claims[1].address, Err("exists on Windows only".into()));
        assert!(parse("").is_err() && parse("timed_loops_anchor\tx").is_err());
    }
}
