//! Opens pages in real browsers: Debian's Chromium, driven by Playwright, and Firefox ESR, which
//! only draws one. Pictures of each state stay in `target/page`.

mod samples;

use crate::tally::Done;
use crate::{sh, tool};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::{Shell, cmd};

pub use samples::{Sample, pages};

/// A browser that takes this long hangs; the checks take some 40 s.
const LIMIT: Duration = Duration::from_secs(300);

/// What drives the browser: npm's packages in the versions of the lockfile, and the checks.
const FILES: [(&str, &str); 5] = [
    ("package.json", include_str!("node/package.json")),
    ("package-lock.json", include_str!("node/package-lock.json")),
    ("browser.mjs", include_str!("node/browser.mjs")),
    ("check.mjs", include_str!("node/check.mjs")),
    ("load.mjs", include_str!("node/load.mjs")),
];

/// The folder for pages, pictures and what drives the browser.
pub fn folder() -> PathBuf {
    sh::target().join("page")
}

/// Installs what drives the browser, unless it is there in these versions.
pub fn driver(sh: &Shell) -> Result<PathBuf> {
    let to = folder().join("node");
    let proof = to.join("node_modules/.package-lock.json");
    let lock = fs::read_to_string(to.join("package-lock.json")).unwrap_or_default();
    for (name, text) in FILES {
        sh.write_file(to.join(name), text)?;
    }
    if lock != FILES[1].1 || !proof.exists() {
        let options = ["--ignore-scripts", "--silent", "--no-audit", "--no-fund"];
        sh::run(cmd!(sh, "npm ci {options...} --prefix {to}"))?;
    }
    Ok(to)
}

/// Makes the pages, reads them back, and opens them.
/// With both browsers, or with Chromium only.
pub fn suite(sh: &Shell, both: bool) -> Result<Done> {
    let driver = driver(sh)?;
    let tool = tool::release(sh)?.tool;
    let mut done = Done::default();
    let pages = pages(sh, &tool, &folder().join("pages"))?;
    for page in &pages {
        done.check(&format!("{}: size", page.name), small_enough(page));
        if page.reports.len() == 1 {
            done.check(&format!("{}: read back", page.name), read_back(sh, &tool, page));
        }
    }
    if both {
        done.check("main: drawn by Firefox", firefox(sh, &pages[0].file));
    }
    let checks = sh::words(sh, sh::within(LIMIT));
    let checks = checks.arg("node").arg(driver.join("check.mjs")).arg(folder());
    done.checks("the checks in Chromium", checks);
    Ok(done)
}

fn small_enough(page: &Sample) -> Result<()> {
    let bytes = fs::metadata(&page.file)?.len();
    ensure!(bytes <= page.most_bytes, "{bytes} bytes, at most {}", page.most_bytes);
    Ok(())
}

/// Whether a page returns the report that it was made of.
fn read_back(sh: &Shell, tool: &Path, page: &Sample) -> Result<()> {
    let file = &page.file;
    let json = |file: &Path| -> Result<Value> {
        Ok(serde_json::from_str(&sh::read(cmd!(sh, "{tool} report {file} --json"))?)?)
    };
    let original = page.reports.first().context("no report")?;
    ensure!(json(file)? == json(original)?, "the page holds another report");
    Ok(())
}

/// Has Firefox draw a page, with a profile of its own, and checks that the picture is one.
fn firefox(sh: &Shell, page: &Path) -> Result<()> {
    let home = sh.create_temp_dir()?;
    let (profile, picture) = (home.path().join("profile"), folder().join("firefox.png"));
    sh.create_dir(&profile)?;
    let _ = fs::remove_file(&picture);
    let address = format!("file://{}", page.display());
    let command = sh::words(sh, sh::within(LIMIT))
        .args(["firefox-esr", "--headless", "--no-remote", "--profile"])
        .arg(&profile)
        .arg("--screenshot")
        .arg(&picture)
        .args(["--window-size=1280,2000", &address])
        .env("HOME", home.path())
        .env("MOZ_DISABLE_CONTENT_SANDBOX", "1");
    sh::silent(command)?;
    let png = fs::read(&picture).context("there is no picture")?;
    // The header of a PNG: eight bytes that mark it, then a chunk with its width and height.
    let number = |at: usize| {
        let bytes = png.get(at..at + 4).and_then(|word| word.try_into().ok());
        bytes.map_or(0, u32::from_be_bytes)
    };
    ensure!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "the picture is no PNG");
    ensure!(number(16) == 1280 && number(20) >= 600, "it has {} x {}", number(16), number(20));
    // An empty page of this size has some 10 kB.
    if png.len() < 40_000 {
        bail!("the picture has {} bytes, so it is blank", png.len());
    }
    Ok(())
}
