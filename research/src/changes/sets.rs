//! Sets of stored runs: dealt out of one pool at random, and of a pool with a planted change.

use super::Found;
use super::place::Place;
use super::plant::SLOWER;
use super::runs::Kind;
use crate::paired::report;
use crate::results;
use anyhow::Result;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use xshell::cmd;

/// The runs of a set.
const SET: usize = 10;

const CLOCKS: Kind = Kind {
    name: "set-clocks",
    words: &["clocks", SLOWER, "rust/instant", "c/time", "x86/rdtsc-asm", "--budget", "1s"],
    loaded: false,
    planted: None,
};
const WAITS: Kind = Kind { name: "set-waits", words: &waits("1ns"), ..CLOCKS };
const LATER: Kind = Kind { name: "set-later", words: &waits("30us"), ..CLOCKS };

const fn waits(slack: &'static str) -> [&'static str; 8] {
    const WAIT: &str = "linux/clock_nanosleep-abs";
    ["waits", WAIT, "--wait", "1ms", "--slack", slack, "--count", "500"]
}

/// The pools: what is planted, the runs without it, those with it, and the row that must be worse.
const POOLS: [(&str, Kind, Kind, &str); 2] = [
    ("a read +2.5 %", CLOCKS, Kind { name: "set-slower", planted: Some(0.025), ..CLOCKS }, SLOWER),
    ("a wake-up 30 us later", WAITS, LATER, "linux/clock_nanosleep-abs"),
];

/// Makes the runs that are missing, in turn, and compares sets of them.
pub fn run(place: &Place<'_>, draws: usize) -> Result<Found> {
    let (mut table, mut failures) = (String::new(), Vec::new());
    for (what, plain, changed, id) in POOLS {
        for loaded in [false, true] {
            let kinds = [&plain, &changed].map(|it| Kind { loaded, ..*it });
            let mut files = [Vec::new(), Vec::new()];
            for number in 0..2 * SET {
                for (files, kind) in files.iter_mut().zip(&kinds) {
                    files.push(place.made(kind, number)?);
                }
            }
            let [mut plain, mut changed] = files;
            let (mut alarms, mut found) = (0, 0);
            for _ in 0..draws {
                fastrand::shuffle(&mut plain);
                fastrand::shuffle(&mut changed);
                let (a, b) = plain.split_at(SET);
                alarms += usize::from(!place.worse(a, b)?.is_empty());
                found += usize::from(place.worse(a, &changed[..SET])?.iter().any(|it| it == id));
            }
            let next_to = if loaded { "next to a load" } else { "calm" };
            writeln!(table, "| {what} | {next_to} | {alarms} of {draws} | {found} of {draws} |")?;
            if alarms * 50 > draws || found * 50 < draws * 49 {
                failures.push(format!("{what}, {next_to}: {alarms} and {found} of {draws}"));
            }
        }
    }
    let text = format!(
        "## What changed between two sets of runs\n\n{}`cargo research changes --parts sets \
         --draws {draws}`: sets of {SET} and {SET} runs, dealt out at random of {} runs each, and \
         compared with `chronoscope compare A/ B/ --json`: in how many draws any row of identical \
         runs is worse or better, and in how many a planted change is found. The load is a \
         spinning thread for each CPU.\n\n\
         | planted | runs | identical sets changed | planted changes found |\n\
         | --- | --- | ---: | ---: |\n{table}",
        results::this_machine(place.sh),
        2 * SET
    );
    Ok(Found { name: "changes-sets", text, failures })
}

impl Place<'_> {
    /// The ids of the rows that changed between two sets.
    fn worse(&self, a: &[PathBuf], b: &[PathBuf]) -> Result<Vec<String>> {
        let Self { sh, tool, folder, .. } = self;
        let sets = ["set-a", "set-b"].map(|name| folder.join(name));
        for (set, files) in sets.iter().zip([a, b]) {
            sh.remove_path(set)?;
            sh.create_dir(set)?;
            for (number, file) in files.iter().enumerate() {
                fs::hard_link(file, set.join(format!("{number}.json")))?;
            }
        }
        let compared = report(cmd!(sh, "{tool} compare {sets...} --json --quiet"))?;
        Ok(super::turns::changed(&compared).map(str::to_owned).collect())
    }
}
