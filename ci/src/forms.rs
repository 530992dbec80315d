//! What neither a compiler nor a test reads: workflows, the action and the component for
//! pipelines, issue forms, and the manifests of package managers. The action's and the component's
//! commands run on this machine.

use crate::dist::{self, formats};
use crate::runtimes::from_list;
use crate::tally::Done;
use crate::{sh, tool};
use anyhow::Result;
use std::path::Path;
use std::time::Duration;
use xshell::{Shell, cmd};

/// A version that is known to work. The others are in `forms.txt`.
const ACTIONLINT: &str = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Checks that take this long hang; they take some 10 s.
const LIMIT: Duration = Duration::from_secs(120);

pub fn suite(sh: &Shell) -> Result<Done> {
    let folder = sh::target().join("forms");
    let pypi = from_list(sh, &folder.join("pypi"), "forms.txt", "bin/zizmor")?;
    let bin = folder.join("bin");
    if !bin.join("actionlint").exists() {
        let go = pypi.join("go/bin/go");
        sh::run(cmd!(sh, "{go} install {ACTIONLINT}").env("GOBIN", &bin))?;
    }

    let mut done = Done::default();
    let filled = folder.join("channels");
    sh.remove_path(&filled)?;
    for manager in formats::CHANNELS {
        let ended = fill(sh, manager, &filled);
        done.check(&format!("{manager}: templates"), ended);
    }
    let tool = tool::release(sh)?.tool;
    let script = sh::root().join("ci/src/forms.py");
    let checks = sh::limited(sh, LIMIT).args(["python3", "-B"]).arg(script);
    let checks = checks.args([&tool, &filled, &pypi.join("bin"), &bin]);
    let paths = [&pypi, &sh::root().join("ci/src")].map(|path| path.display().to_string());
    done.checks("forms.py", checks.env("PYTHONPATH", paths.join(":")));
    Ok(done)
}

/// Fills templates as a release would, with archives that do not exist.
fn fill(sh: &Shell, manager: &str, to: &Path) -> Result<()> {
    let hash = "0123456789abcdef".repeat(4);
    let sums: String = dist::archives().map(|name| format!("{hash}  {name}\n")).collect();
    let url = format!("https://forge.example/chronoscope/releases/download/v{VERSION}");
    formats::channel(sh, manager, &sums, &url, to)
}
