//! Pages that are checked in: what the commands with the most to show found on this machine, as the
//! tool's own format `html`, with a list of them and a picture of one.

use crate::cross::reports;
use crate::sh::Runner;
use crate::{sh, tool};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Make only these pages, as in `clocks,trust`
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    only: Vec<String>,
    /// Write into this folder
    #[arg(long, default_value = "docs/pages")]
    into: PathBuf,
}

struct Page {
    name: &'static str,
    words: &'static str,
    about: &'static str,
}

/// The pages, in the order in which the list has them.
const PAGES: [Page; 6] = [
    Page { name: "clocks", words: "clocks", about: "what a read of each clock costs" },
    Page {
        name: "waits",
        words: "waits --why",
        about: "how late each way to wait is, idle and under load, and why",
    },
    Page { name: "trust", words: "trust", about: "whether the clocks can be trusted" },
    Page {
        name: "runtimes",
        words: "runtimes",
        about: "what clocks cost in the languages that are installed, next to C",
    },
    Page {
        name: "sweep",
        words: "sweep",
        about: "what clocks cost under each clock source of the kernel",
    },
    Page { name: "doctor", words: "doctor", about: "what is wrong with time on this machine" },
];

/// The page of which the picture is.
const PICTURED: &str = "clocks";
/// The width of the picture, and the heights that are tried, in pixels.
const WIDTH: u32 = 1280;
const HEIGHTS: [u32; 4] = [860, 720, 600, 480];
/// The most bytes of a page and of the picture.
const LARGEST_PAGE: u64 = 3_000_000;
const LARGEST_PICTURE: u64 = 200_000;
/// A measurement that takes this long hangs.
const LIMIT: Duration = Duration::from_secs(600);

const HEAD: &str = "\
# Pages of one machine

`cargo xtask pages` measured these, one after the other, and writes this list. A repository's host
shows HTML as source, so download a page and open it; `chronoscope report PAGE.html` reads its
report back.

| page | what it shows | command | measured |
| --- | --- | --- | --- |
";

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let known = |name: &String| PAGES.iter().any(|page| page.name == name);
    if let Some(name) = args.only.iter().find(|name| !known(name)) {
        bail!("there is no page {name}, only {}", PAGES.map(|page| page.name).join(", "));
    }
    let wanted =
        |page: &&Page| args.only.is_empty() || args.only.iter().any(|name| name == page.name);
    let tool = tool::release(sh)?.tool;
    sh.create_dir(&args.into)?;
    let list = args.into.join("README.md");
    let old = if sh.path_exists(&list) { sh.read_file(&list)? } else { String::new() };
    let mut rows = String::new();
    for page in &PAGES {
        let row = if wanted(&page) {
            Some(make(sh, &tool, page, &args.into)?)
        } else {
            old.lines().find(|line| line.starts_with(&start(page))).map(str::to_owned)
        };
        rows.extend(row.map(|row| row + "\n"));
    }
    sh.write_file(&list, format!("{HEAD}{rows}"))?;
    println!("{}", list.display());
    if PAGES.iter().any(|page| page.name == PICTURED && wanted(&page)) {
        picture(sh, &args.into)?;
    }
    Ok(())
}

/// The beginning of a page's row in the list.
fn start(page: &Page) -> String {
    format!("| [{0}]({0}.html) |", page.name)
}

/// Measures and writes a page, and returns its row in the list.
fn make(sh: &Shell, tool: &Path, page: &Page, into: &Path) -> Result<String> {
    let report = reports::measured(sh, &Runner::default(), tool, page.words, LIMIT)?;
    let text = report.to_string();
    private(&text)?;
    let folder = sh.create_temp_dir()?;
    let stored = folder.path().join(format!("{}.json", page.name));
    sh.write_file(&stored, text)?;
    let path = into.join(format!("{}.html", page.name));
    let html = format!("html={}", path.display());
    sh::read(cmd!(sh, "{tool} report {stored} --quiet --export {html}"))?;
    no_larger(sh, &path, LARGEST_PAGE)?;
    row(page, &report)
}

/// Refuses what shows where this checkout or the user's own files are.
fn private(text: &str) -> Result<()> {
    let home = std::env::var("HOME").ok();
    let places = [Some(sh::root().display().to_string()), home];
    for place in places.into_iter().flatten().filter(|place| place.len() > 1) {
        ensure!(!text.contains(&format!("{place}/")), "the report contains the path {place}");
    }
    Ok(())
}

fn row(page: &Page, report: &Value) -> Result<String> {
    let cpu = report["environment"]["cpu"]["model"].as_str().unwrap_or("an unknown processor");
    let under = report["environment"]["hypervisor"]["name"].as_str();
    let under = under.map_or_else(String::new, |name| format!(" under {name}"));
    let started = report["run"]["started"].as_str().and_then(|time| time.get(..10));
    let day = started.context("the report does not say when it was made")?;
    let Page { words, about, .. } = page;
    // What separates the cells of a table is no part of a processor's name.
    let machine = format!("{cpu}{under}").replace('|', "/");
    Ok(format!("{} {about} | `chronoscope {words}` | {day}, {machine} |", start(page)))
}

/// Prints the size of a file, and refuses a larger one.
fn no_larger(sh: &Shell, path: &Path, most: u64) -> Result<()> {
    let bytes = std::fs::metadata(sh.current_dir().join(path))
        .with_context(|| format!("{} was not written", path.display()))?
        .len();
    println!("{}: {:.2} MB", path.display(), bytes as f64 / 1e6);
    ensure!(bytes <= most, "{} has {bytes} bytes, more than {most}", path.display());
    Ok(())
}

/// Draws the top part of a page as Chromium shows it, the highest that is small enough. Without
/// Chromium, the old picture stays.
fn picture(sh: &Shell, into: &Path) -> Result<()> {
    if !sh::has("chromium") {
        println!("no chromium: the picture of {PICTURED} stays as it is");
        return Ok(());
    }
    let into = sh.current_dir().join(into);
    let (page, path) =
        (into.join(format!("{PICTURED}.html")), into.join(format!("{PICTURED}.png")));
    let mut drawn = Ok(());
    for height in HEIGHTS {
        draw(sh, &page, &path, height)?;
        drawn = no_larger(sh, &path, LARGEST_PICTURE);
        if drawn.is_ok() {
            break;
        }
    }
    drawn
}

fn draw(sh: &Shell, page: &Path, path: &Path, height: u32) -> Result<()> {
    let folder = sh.create_temp_dir()?;
    let arguments = [
        format!("--user-data-dir={}", folder.path().display()),
        format!("--window-size={WIDTH},{height}"),
        format!("--screenshot={}", path.display()),
        format!("file://{}", page.display()),
    ];
    // Root, as in a container, has no sandbox.
    let sandbox = sh::is_root(sh).then_some("--no-sandbox");
    let chromium = sh::limited(sh, Duration::from_secs(60));
    let chromium = chromium.args(["chromium", "--headless", "--hide-scrollbars"]);
    sh::silent(chromium.args(sandbox).args(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_names_page_command_day_and_processor() {
        let report = json!({
            "environment": {"cpu": {"model": "A | B"}, "hypervisor": {"name": "KVM"}},
            "run": {"started": "2026-11-23T22:35:53Z"},
        });
        let made = row(&PAGES[1], &report).unwrap();
        assert!(made.starts_with(&start(&PAGES[1])), "{made}");
        assert!(made.contains("`chronoscope waits --why` | 2026-11-23, A / B under KVM |"));
        assert_eq!(made.matches('|').count(), 5);
        row(&PAGES[1], &json!({})).unwrap_err();
    }

    #[test]
    fn paths_of_this_machine_are_refused() {
        private(&format!("{}/target", sh::root().display())).unwrap_err();
        private("/usr/bin/python3").unwrap();
    }

    #[test]
    fn the_picture_is_of_a_page() {
        assert!(PAGES.iter().any(|page| page.name == PICTURED));
    }
}
