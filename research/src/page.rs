//! `cargo research page`: how long a page takes from navigation until it is usable, in headless
//! Chromium, and how large it is: the page of the main command, and one with a hundred histograms.

use crate::paired::Tool;
use crate::results::{self, median};
use anyhow::{Context, Result, ensure};
use chronoscope_ci::packages::{self, Need};
use chronoscope_ci::{page, sh};
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Number of loads of each page
    #[arg(default_value_t = 20)]
    loads: u32,
    #[command(flatten)]
    tool: Tool,
}

/// Pages: the name of the sample, what it is, and the most that it may take, in milliseconds.
const PAGES: [(&str, &str, f64); 2] =
    [("main", "the main command", 500.0), ("hundred", "100 histograms", 1000.0)];

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    packages::require(sh, &[Need::Page])?;
    let tool = args.tool.get(sh)?;
    let script = page::driver(sh)?.join("load.mjs");
    let samples = page::pages(sh, &tool, &page::folder().join("pages"))?;
    let find = |(name, ..): &(&str, _, _)| samples.iter().find(|sample| sample.name == *name);
    let chosen: Vec<_> = PAGES.iter().filter_map(find).collect();
    let files = chosen.iter().map(|sample| &sample.file);
    let loads = args.loads.to_string();
    let printed = sh::read_timed(cmd!(sh, "node {script} {loads} {files...}"))?;
    let times = printed.lines().map(serde_json::from_str).collect::<Result<Vec<Vec<f64>>, _>>()?;
    ensure!(times.len() == PAGES.len() && chosen.len() == PAGES.len(), "a page is missing");
    let (mut rows, mut slow) = (String::new(), Vec::new());
    for (((_, what, most_ms), sample), times) in PAGES.iter().zip(chosen).zip(&times) {
        let bytes = std::fs::metadata(&sample.file)?.len();
        let middle = median(times.iter().copied())?;
        let worst = times.iter().copied().reduce(f64::max).context("no load")?;
        rows += &format!(
            "| {what} | {:.2} MB | {middle:.0} ms | {worst:.0} ms | {most_ms:.0} ms |\n",
            bytes as f64 / 1e6
        );
        if middle > *most_ms {
            slow.push(*what);
        }
    }
    let browser = sh::read(cmd!(sh, "chromium --version"))?;
    let now = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC");
    let part = format!(
        "## Until a page is usable\n\n{}`cargo research page {loads}`, {now}. {}, headless: the \
         time from navigation until the page's script is ready and drawn, {loads} loads of each \
         page in turn.\n\n| page | size | median | longest | goal |\n\
         | --- | ---: | ---: | ---: | ---: |\n{rows}",
        results::this_machine(sh),
        browser.trim()
    );
    results::publish(sh, "page", &part, false)?;
    ensure!(slow.is_empty(), "slower than the goal: {}", slow.join(", "));
    Ok(())
}
