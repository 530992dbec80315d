//! Running other programs, and finding the project's own files.
//!
//! `xshell` builds the commands. What it does not do is here: it shows no times, reads no output
//! line by line, and swallows what a failing program wrote to stderr when its output is captured.

use anyhow::{Context, Result, bail};
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use xshell::{Cmd, Shell, cmd};

/// The root of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask/ is a folder of the workspace")
}

/// Where builds go.
pub fn target() -> PathBuf {
    root().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// A shell in the root of the workspace.
pub fn shell() -> Result<Shell> {
    let sh = Shell::new()?;
    sh.change_dir(root());
    Ok(sh)
}

/// The command line as one would type it in the root of the workspace.
fn shown(cmd: &Cmd<'_>) -> String {
    cmd.to_string()
        .replace(&format!("{}/", root().display()), "")
}

/// Removes what cargo tells the program it runs about that program's package: another cargo would
/// pass it on, and build scripts that watch these variables would run again.
fn clean(cmd: Cmd<'_>) -> Cmd<'_> {
    env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| {
            let name = name.to_string_lossy();
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        })
        .fold(cmd, |cmd, name| cmd.env_remove(name))
}

/// Runs a command with its output where ours goes, and prints how long it took.
pub fn run(cmd: Cmd<'_>) -> Result<()> {
    println!("$ {}", shown(&cmd));
    let start = Instant::now();
    clean(cmd).quiet().run()?;
    println!("  {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs a command, prints how long it took, and returns what it printed on stdout.
pub fn read_timed(cmd: Cmd<'_>) -> Result<String> {
    println!("$ {}", shown(&cmd));
    let start = Instant::now();
    let text = clean(cmd).quiet().read()?;
    println!("  {:.1} s", start.elapsed().as_secs_f64());
    Ok(text)
}

/// Runs a command and returns what it printed on stdout; stderr becomes part of the error.
pub fn read(cmd: Cmd<'_>) -> Result<String> {
    Ok(read_both(cmd)?.0)
}

/// Runs a command and returns what it printed on stdout and on stderr.
pub fn read_both(cmd: Cmd<'_>) -> Result<(String, String)> {
    let line = shown(&cmd);
    let out = clean(cmd).quiet().ignore_status().output()?;
    let errors = String::from_utf8_lossy(&out.stderr).into_owned();
    if !out.status.success() {
        bail!("{line}: {}\n{}", out.status, errors.trim());
    }
    let text = String::from_utf8(out.stdout);
    Ok((
        text.with_context(|| format!("{line}: its output is not UTF-8"))?,
        errors,
    ))
}

/// Runs a command whose output nobody needs, and which must not inherit our pipes: a service that
/// it leaves running would keep them open.
pub fn silent(cmd: Cmd<'_>) -> Result<()> {
    Ok(clean(cmd).quiet().ignore_stdout().ignore_stderr().run()?)
}

/// Runs a command and hands each line of its stdout to `each`.
pub fn lines(cmd: Cmd<'_>, mut each: impl FnMut(&str)) -> Result<()> {
    let line = shown(&cmd);
    let mut child = Command::from(clean(cmd))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {line}"))?;
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).split(b'\n') {
            each(&String::from_utf8_lossy(&line?));
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("{line}: {status}");
    }
    Ok(())
}

/// A command of these words: for those that begin with a time limit or an emulator. The first word
/// is the program.
pub fn words<'a, W: AsRef<OsStr>>(sh: &'a Shell, words: impl IntoIterator<Item = W>) -> Cmd<'a> {
    let mut words = words.into_iter();
    let program = words
        .next()
        .map_or_else(OsString::new, |word| word.as_ref().to_owned());
    sh.cmd(program).args(words)
}

/// The words before a command that end it, and all that it started, after that time.
pub fn within(limit: Duration) -> [String; 3] {
    let seconds = limit.as_secs().to_string();
    ["timeout".into(), "--kill-after=5".into(), seconds]
}

/// The words before a command that keep it on one CPU.
pub fn pinned(cpu: usize) -> [String; 3] {
    ["taskset".into(), "--cpu-list".into(), cpu.to_string()]
}

/// Whether a program is on the search path.
pub fn has(program: &str) -> bool {
    which::which(program).is_ok()
}

/// Whether this runs as the superuser.
pub fn is_root(sh: &Shell) -> bool {
    cfg!(unix) && read(cmd!(sh, "id -u")).is_ok_and(|id| id.trim() == "0")
}
