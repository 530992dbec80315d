//! The files of `chronoscope generate fleet`: each is checked as far as that goes without a fleet,
//! and those for Prometheus run, with exporters and with node_exporter.

use crate::runtimes::from_list;
use crate::tally::Done;
use crate::{sh, tool};
use anyhow::Result;
use std::time::Duration;
use xshell::{Shell, cmd};

const SCRIPTS: [(&str, &str); 6] = [
    ("checks.py", include_str!("../checks.py")),
    ("parts.py", include_str!("parts.py")),
    ("files.py", include_str!("files.py")),
    ("end_to_end.py", include_str!("end_to_end.py")),
    ("syscall.c", include_str!("syscall.c")),
    ("refuse.c", include_str!("refuse.c")),
];
/// Checks that take this long hang; they take some 40 s.
const LIMIT: Duration = Duration::from_secs(300);

/// Writes the files with the tool, checks them, and runs them.
pub fn suite(sh: &Shell) -> Result<Done> {
    let folder = sh::target().join("fleet");
    let (pypi, list) = (folder.join("pypi"), "fleet/packages.txt");
    let pypi = from_list(sh, &pypi, list, "ansible/__init__.py")?;
    let (files, scratch) = (folder.join("files"), folder.join("scratch"));
    for old in [&files, &scratch] {
        sh.remove_path(old)?;
    }
    for (name, text) in SCRIPTS {
        sh.write_file(scratch.join(name), text)?;
    }
    let tool = tool::release(sh)?.tool;
    sh::run(cmd!(sh, "{tool} generate fleet {files}"))?;
    let mut done = Done::default();
    for (name, script, last) in [
        ("the checks of files", "files.py", sh::root().join("docs")),
        ("the checks of programs", "end_to_end.py", scratch.clone()),
    ] {
        let script = scratch.join(script);
        let checks = sh::limited(sh, LIMIT).arg("python3").arg("-B").arg(script);
        let checks = checks.args([&files, &tool, &last]).env("PYTHONPATH", &pypi);
        done.checks(name, checks);
    }
    Ok(done)
}
