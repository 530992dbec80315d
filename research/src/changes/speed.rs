//! How long a comparison takes, and how much memory.

use super::Found;
use super::place::Place;
use super::runs::CLOCKS;
use crate::results::{self, median};
use anyhow::{Result, ensure};
use chronoscope_ci::sh as shell;
use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use xshell::cmd;

/// Whole commands that compare two reports.
const COMMANDS: usize = 20;
/// Reports in a folder.
const REPORTS: usize = 10_000;
/// How often the memory of a running command is read.
const PERIOD: Duration = Duration::from_millis(2);

/// The limits: two reports in milliseconds, a folder in seconds, and its memory in MiB.
const MOST: [f64; 3] = [100.0, 10.0, 64.0];

pub fn run(place: &Place<'_>) -> Result<Found> {
    let Place { sh, tool, .. } = place;
    let [a, b] = [place.made(&CLOCKS, 0)?, place.made(&CLOCKS, 1)?];
    let mut times = Vec::new();
    for _ in 0..COMMANDS {
        let began = Instant::now();
        shell::read(cmd!(sh, "{tool} compare {a} {b}"))?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    let two = median(times)?;
    let folder = place.folder.join("many");
    sh.remove_path(&folder)?;
    sh.create_dir(&folder)?;
    for number in 0..REPORTS {
        fs::hard_link(&b, folder.join(format!("{number}.json")))?;
    }
    let ended = timed(Command::new(tool).arg("compare").args([&a, &folder]));
    sh.remove_path(&folder)?;
    let (seconds, mebibytes) = ended?;
    let size = fs::metadata(&b)?.len() >> 10;
    let text = format!(
        "## How long a comparison takes\n\n{}`cargo research changes --parts speed`: whole \
         commands, with reports of `clocks` of {size} KiB, which are in the page cache.\n\n\
         | command | time | memory at most |\n| --- | ---: | ---: |\n\
         | `compare A B`, median of {COMMANDS} | {two:.1} ms | |\n\
         | `compare A DIR`, {REPORTS} reports | {seconds:.2} s | {mebibytes:.1} MiB |\n",
        results::this_machine(sh)
    );
    let over = [two, seconds, mebibytes].into_iter().zip(MOST).filter(|(is, most)| is > most);
    let failures = over.map(|(is, most)| format!("{is:.1} instead of {most}")).collect();
    Ok(Found { name: "changes-speed", text, failures })
}

/// The seconds that a command took, and the most memory that it had, in MiB: `VmHWM` of
/// /proc/PID/status, proc(5), as it was up to [`PERIOD`] before its end.
fn timed(command: &mut Command) -> Result<(f64, f64)> {
    let began = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0.0;
    let ended = loop {
        if let Some(kibibytes) = fs::read_to_string(&status).ok().as_deref().and_then(peak) {
            most = kibibytes / 1024.0;
        }
        if let Some(ended) = child.try_wait()? {
            break ended;
        }
        thread::sleep(PERIOD);
    };
    ensure!(ended.success(), "{command:?}: {ended}");
    Ok((began.elapsed().as_secs_f64(), most))
}

/// The peak of the memory, in KiB. A process that has ended has none.
fn peak(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_of_the_memory_is_read() {
        assert_eq!(peak("Name:\tx\nVmHWM:\t    5120 kB\n"), Some(5120.0));
        assert_eq!(peak("Name:\tx\nState:\tZ (zombie)\n"), None);
        assert!(timed(&mut Command::new("true")).is_ok_and(|(seconds, _)| seconds > 0.0));
        assert!(timed(&mut Command::new("false")).is_err());
    }
}
