//! A library to preload that makes reads of the system's clocks slower by a chosen share.

use super::place::Place;
use crate::paired::report;
use crate::results::median;
use anyhow::{Context, Result};
use chronoscope_ci::sh as shell;
use std::path::{Path, PathBuf};
use xshell::cmd;

/// The clock that is made slower.
pub const SLOWER: &str = "posix/monotonic";

/// The numbers of additions between which the number for a share is found. A processor makes
/// several per cycle next to the read, so what they cost is not known beforehand.
const TRIED: [u32; 6] = [0, 8, 16, 24, 32, 48];
const ROUNDS: u32 = 5;

/// The library by which reads are slower by this share; it is built unless it is there.
pub fn library(place: &Place<'_>, share: f64) -> Result<PathBuf> {
    let file = place.folder.join(format!("slower-{}.so", (share * 1e3).round()));
    if !file.exists() {
        let additions = additions(place, share)?;
        println!("{}: {additions} additions", file.display());
        build(place, &file, additions)?;
    }
    Ok(file)
}

fn build(place: &Place<'_>, file: &Path, additions: u32) -> Result<()> {
    let sh = place.sh;
    let source = shell::root().join("research/changes/slower.c");
    let number = format!("-DADDITIONS={additions}");
    shell::silent(cmd!(sh, "cc -O2 -shared -fPIC {number} -o {file} {source} -ldl"))
        .context("cannot build the library")
}

/// How many additions make a read slower by this share, by short runs that take turns.
fn additions(place: &Place<'_>, share: f64) -> Result<u32> {
    if place.slower.get().is_none() {
        let found = tried(place)?;
        println!("additions, and the share that they add: {found:.4?}");
        place.slower.set(found).ok();
    }
    let found = place.slower.get().map_or(&[][..], Vec::as_slice);
    between(found, share).with_context(|| format!("no number of additions adds {share}"))
}

/// What each of these numbers of additions adds to a read, as a share of it.
fn tried(place: &Place<'_>) -> Result<Vec<(f64, f64)>> {
    let mut libraries = vec![PathBuf::new()];
    for number in TRIED {
        let file = place.folder.join(format!("tried-{number}.so"));
        build(place, &file, number)?;
        libraries.push(file);
    }
    let mut costs = vec![Vec::new(); libraries.len()];
    for _ in 0..ROUNDS {
        for (costs, library) in costs.iter_mut().zip(&libraries) {
            let Place { sh, tool, .. } = place;
            let run = cmd!(sh, "{tool} clocks {SLOWER} --json --quiet --budget 500ms");
            let report = report(run.env("LD_PRELOAD", library))?;
            let cost = &report["clocks"][0]["cost"]["throughput"];
            // In nanoseconds, a core that changes its frequency hides a percent.
            let cost = cost["core_cycles"].as_f64().or_else(|| cost["value_ns"].as_f64());
            costs.push(cost.context("the clock was not measured")?);
        }
    }
    let costs: Vec<f64> = costs.into_iter().map(median).collect::<Result<_>>()?;
    let points = TRIED.iter().zip(&costs[1..]);
    Ok(points.map(|(&number, cost)| (f64::from(number), cost / costs[0] - 1.0)).collect())
}

/// Where the line from point to point first reaches this height.
fn between(points: &[(f64, f64)], height: f64) -> Option<u32> {
    points.windows(2).find_map(|pair| {
        let [(left, low), (right, high)] = [pair[0], pair[1]];
        let inside = low <= height && height < high;
        inside.then(|| (left + (right - left) * (height - low) / (high - low)).round() as u32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_additions_is_where_the_line_has_the_height() {
        let line = [(0.0, 0.01), (10.0, 0.03), (20.0, 0.02), (30.0, 0.3)];
        assert_eq!(between(&line, 0.02), Some(5));
        assert_eq!(between(&line, 0.16), Some(25));
        assert_eq!(between(&line, 0.0), None);
        assert_eq!(between(&line, 0.4), None);
        assert_eq!(between(&[], 0.1), None);
    }
}
