//! A library to preload that makes reads of the system's clocks slower by a chosen share.

use super::runs::Place;
use crate::paired::report;
use crate::results::median;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use xshell::cmd;
use xtask::sh as shell;

/// The clock that is made slower.
pub const SLOWER: &str = "posix/monotonic";

/// The numbers of additions from which the number for a share is derived. A processor makes several
/// per cycle next to the read, so that their cost is not known beforehand.
const TRIED: [u32; 5] = [0, 16, 32, 48, 64];
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
    let source = shell::root().join("experiments/changes/slower.c");
    let number = format!("-DADDITIONS={additions}");
    shell::silent(cmd!(sh, "cc -O2 -shared -fPIC {number} -o {file} {source} -ldl"))
        .context("cannot build the library")
}

/// How many additions make a read slower by this share, by short runs that take turns.
fn additions(place: &Place<'_>, share: f64) -> Result<u32> {
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
            let cost = report["clocks"][0]["cost"]["throughput"]["value_ns"].as_f64();
            costs.push(cost.context("the clock was not measured")?);
        }
    }
    let costs: Vec<f64> = costs.into_iter().map(median).collect::<Result<_>>()?;
    let points = TRIED.iter().zip(&costs[1..]);
    let points: Vec<_> = points.map(|(&at, cost)| (f64::from(at), cost / costs[0] - 1.0)).collect();
    println!("additions and what they add: {points:.4?}");
    solved(&points, share).context("additions do not make a read slower")
}

/// Where the straight line through these points (least squares) has this height.
fn solved(points: &[(f64, f64)], height: f64) -> Result<u32> {
    let number = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.0, sum.1 + at.1));
    let (x, y) = (x / number, y / number);
    let (mut both, mut square) = (0.0, 0.0);
    for at in points {
        both += (at.0 - x) * (at.1 - y);
        square += (at.0 - x).powi(2);
    }
    let found = (x + (height - y) * square / both).round();
    ensure!((0.0..1000.0).contains(&found), "the line reaches {height} at {found}");
    Ok(found as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_additions_is_where_the_line_has_the_height() {
        let line = [(0.0, 0.01), (10.0, 0.03), (20.0, 0.05)];
        assert_eq!(solved(&line, 0.04).expect("it rises"), 15);
        assert!(solved(&[(0.0, 0.01), (10.0, 0.01)], 0.05).is_err());
        assert!(solved(&line, 0.0).is_err());
    }
}
