//! `cargo research lab`: plants one fault of time at a time, in a virtual machine or a
//! restricted process, and checks that the tool finds it, with the right evidence, and reports
//! nothing untrue.
//!
//! The clock of this machine is never changed: the faults of a whole system are planted in virtual
//! machines only. Nothing is left running: each emulator is killed by its own process id when its
//! scenario ends, and by the kernel if this program ends before.

mod guest;
mod judge;
mod page;
mod process;
mod programs;
mod scenario;
mod scenarios;

use anyhow::{Context, Result, bail, ensure};
use chronoscope_ci::packages::{self, Need};
use chronoscope_ci::tally::Done;
use guest::Boot;
pub use judge::BUSY;
use judge::Outcome;
use programs::Programs;
use scenario::{Board, Place, Scenario};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;
use xshell::Shell;

#[derive(clap::Args)]
pub struct Args {
    /// Scenarios, by name; by default those of continuous integration
    names: Vec<String>,
    /// Run every scenario
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// List the scenarios without running them
    #[arg(long)]
    list: bool,
    /// A statically linked build of the tool to use on PCs and in processes
    #[arg(long, value_name = "FILE")]
    tool: Option<PathBuf>,
    /// Write the table of scenarios in research/lab/README.md
    #[arg(long)]
    page: bool,
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    if args.list {
        for scenario in scenarios::all() {
            let ci = if scenario.ci { "ci " } else { "   " };
            println!("{:<22} {ci} {}", scenario.name, scenario.plants);
        }
        return Ok(());
    }
    if args.page {
        return Ok(sh.write_file(page::PATH, page::text()?)?);
    }
    let chosen = choose(args)?;
    packages::require(sh, &needs(&chosen))?;
    let programs = Programs::new(sh, args.tool.as_ref().map(|tool| sh.current_dir().join(tool)));
    let done = run_all(sh, &chosen, programs);
    // The line with which the test harness ends, which `cargo xtask test` counts.
    let Done { passed, failed, .. } = done;
    println!("test result: {passed} passed; {failed} failed");
    if done.failed > 0 {
        bail!("not every fault was found, or something untrue was");
    }
    Ok(())
}

/// The system packages that these scenarios need.
fn needs(chosen: &[&'static Scenario]) -> Vec<Need> {
    let boards = chosen.iter().filter_map(|scenario| match &scenario.place {
        Place::Machine(machine) => Some(machine.board),
        Place::Process(_) => None,
    });
    let boards = boards.flat_map(|board| board.needs.iter().copied());
    [Need::Build, Need::Boot].into_iter().chain(boards).collect()
}

fn choose(args: &Args) -> Result<Vec<&'static Scenario>> {
    for name in &args.names {
        if !scenarios::all().any(|scenario| scenario.name == *name) {
            bail!("no scenario is named `{name}`; `cargo research lab --list` lists them");
        }
    }
    let wanted = |scenario: &&Scenario| match &args.names[..] {
        [] => args.all || scenario.ci,
        names => names.iter().any(|name| name == scenario.name),
    };
    Ok(scenarios::all().filter(wanted).collect())
}

/// Runs scenarios one by one: each needs both CPUs of a small machine.
fn run_all(sh: &Shell, chosen: &[&'static Scenario], programs: Programs<'_>) -> Done {
    let mut done = Done::default();
    let mut lab = Lab { sh, chosen, programs, boots: BTreeMap::new() };
    for scenario in chosen {
        let start = Instant::now();
        let ended = lab.run(scenario).and_then(|outcome| {
            let wrong = judge::judge(scenario, &outcome);
            ensure!(wrong.is_empty(), "{}", wrong.join("\n  "));
            Ok(())
        });
        let seconds = start.elapsed().as_secs();
        done.check(&format!("{:<22} {seconds:>3} s", scenario.name), ended);
    }
    done
}

/// What the scenarios share.
struct Lab<'a> {
    sh: &'a Shell,
    chosen: &'a [&'static Scenario],
    programs: Programs<'a>,
    /// What boots each board, by the tool's target.
    boots: BTreeMap<&'static str, Boot>,
}

impl Lab<'_> {
    fn run(&mut self, scenario: &Scenario) -> Result<Outcome> {
        match &scenario.place {
            Place::Machine(machine) => {
                let sh = self.sh;
                guest::run(sh, scenario, machine, self.boot(machine.board)?)
            }
            Place::Process(process) => process::run(scenario, process, &mut self.programs),
        }
    }

    /// The files that boot a board, prepared when they are first needed.
    fn boot(&mut self, board: &Board) -> Result<&Boot> {
        if !self.boots.contains_key(board.target) {
            let boot = guest::prepare(self.sh, &mut self.programs, board, self.chosen)?;
            self.boots.insert(board.target, boot);
        }
        self.boots.get(board.target).context("no such board")
    }
}
