//! Compares the cost of QueryPerformanceCounter under Wine with a plain C loop built by MinGW. The
//! two programs alternate on one CPU.

use crate::paired::{Cost, alternate, middle, report};
use crate::results;
use anyhow::{Result, bail, ensure};
use chronoscope_ci::{cross, sh};
use xshell::{Shell, cmd};

/// Number of rounds; each program runs once per round.
const ROUNDS: usize = 15;
/// The CPU on which both programs run.
const CPU: usize = 0;
/// The two programs agree if the median of the rounds' ratios differs from 1 by at most this.
const SHARE: f64 = 0.05;

/// Runs both programs and updates docs/RESULTS.md.
pub fn run(sh: &Shell) -> Result<()> {
    let (wine, tool) = cross::windows(sh)?;
    let folder = sh::target().join("crosscheck");
    sh.create_dir(&folder)?;
    let plain = folder.join("qpc.exe");
    let gcc = "x86_64-w64-mingw32-gcc";
    let source = "research/crosscheck/qpc.c";
    sh::run(cmd!(sh, "{gcc} -O2 -Wall -Wextra {source} -o {plain}"))?;
    let runner = wine.runner();
    let pinned = |program| {
        let words = sh::pinned(CPU).into_iter().chain(runner.before.clone());
        sh::words(sh, words).arg(program).envs(runner.env.iter().cloned())
    };
    let cpu = CPU.to_string();
    let clocks = ["clocks", "windows/qpc", "--json", "--quiet", "--budget", "1s", "--cpu", &cpu];
    let measured = alternate(
        ROUNDS,
        || {
            Cost::from_throughput(
                &report(pinned(&tool).args(clocks))?["clocks"][0]["cost"]["throughput"],
            )
        },
        || loop_cost(&sh::read(pinned(&plain))?),
    );
    wine.end(sh);
    let (part, ratio) = part(&measured?)?;
    results::publish(sh, "qpc", &part, false)?;
    let apart = (ratio - 1.0) * 100.0;
    ensure!(apart.abs() <= SHARE * 100.0, "the two differ by {apart:.1} %");
    Ok(())
}

/// The part of docs/RESULTS.md, and the ratio of the typical costs.
fn part(pairs: &[(Cost, Cost)]) -> Result<(String, f64)> {
    let mut part = format!(
        "## QueryPerformanceCounter under Wine, compared with a plain C loop\n\n\
         `cargo research crosscheck-qpc`: the tool's raw figure and a loop of 1000 calls built \
         by MinGW, alternating on CPU {CPU} for {ROUNDS} rounds. Nanoseconds per call, medians \
         over the rounds. The costs are Wine's and say nothing about Windows.\n\n\
         | | C loop | chronoscope | ratio |\n| --- | ---: | ---: | ---: |\n"
    );
    let mut row = |name: &str, of: fn(&Cost) -> f64| {
        let ratio = middle(pairs, |(ours, theirs)| of(ours) / of(theirs))?;
        let (ours, theirs) =
            (middle(pairs, |pair| of(&pair.0))?, middle(pairs, |pair| of(&pair.1))?);
        part += &format!("| {name} | {theirs:.2} | {ours:.2} | {ratio:.3} |\n");
        anyhow::Ok(ratio)
    };
    let ratio = row("typical", |cost| cost.typical)?;
    row("least batch", |cost| cost.least)?;
    Ok((part, ratio))
}

/// Reads the output of the C program.
fn loop_cost(text: &str) -> Result<Cost> {
    let numbers: Vec<f64> = text.split_whitespace().flat_map(str::parse).collect();
    match numbers.as_slice() {
        [typical, least] => Ok(Cost { typical: *typical, least: *least }),
        _ => bail!("the C loop printed `{}`", text.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_the_loop_is_read() {
        let cost = loop_cost("74.500 73.250\r\n").unwrap();
        assert_eq!((cost.typical, cost.least), (74.5, 73.25));
        assert!(loop_cost("").is_err());
        let (text, ratio) = part(&[(cost, cost)]).unwrap();
        assert!(ratio == 1.0 && text.contains("| least batch | 73.25 | 73.25 | 1.000 |"), "{text}");
    }
}
