//! Runs other programs and locates the project's files.
//!
//! `xshell` builds the commands. It cannot print how long a command took or read output line by
//! line, and when it captures output, it drops the stderr of a failing program. This module does
//! these things itself. A [`Runner`] starts programs that this machine may be unable to run
//! directly.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use xshell::{Cmd, Shell, cmd};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask/ is inside the workspace")
}

pub fn target() -> PathBuf {
    root().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// What cargo knows of packages: those of the workspace, or with these options all.
pub fn metadata(sh: &Shell, options: &[&str]) -> Result<Vec<Value>> {
    let text = read(cmd!(sh, "cargo metadata --format-version 1 {options...}"))?;
    let mut metadata: Value = serde_json::from_str(&text).context("cargo's metadata")?;
    match metadata["packages"].take() {
        Value::Array(packages) => Ok(packages),
        _ => bail!("cargo lists no packages"),
    }
}

/// Where cargo keeps its registry.
pub fn cargo_home() -> Result<PathBuf> {
    let named = env::var_os("CARGO_HOME").map(PathBuf::from);
    named
        .or_else(|| Some(env::home_dir()?.join(".cargo")))
        .context("there is no CARGO_HOME and no home directory")
}

/// A shell in the root of the workspace.
pub fn shell() -> Result<Shell> {
    let sh = Shell::new()?;
    sh.change_dir(root());
    Ok(sh)
}

/// The command line as a user would type it in the root of the workspace.
fn shown(cmd: &Cmd<'_>) -> String {
    cmd.to_string().replace(&format!("{}/", root().display()), "")
}

/// Removes the variables in which cargo describes this package: a nested cargo would pass them on,
/// and build scripts that watch them would run again.
fn clean(cmd: Cmd<'_>) -> Cmd<'_> {
    env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| {
            let name = name.to_string_lossy();
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        })
        .fold(cmd, |cmd, name| cmd.env_remove(name))
}

/// Runs a command that inherits stdout and stderr, and prints how long it took.
pub fn run(cmd: Cmd<'_>) -> Result<()> {
    timed(cmd, |cmd| cmd.run())
}

/// Runs a command, prints how long it took, and returns its stdout.
pub fn read_timed(cmd: Cmd<'_>) -> Result<String> {
    timed(cmd, |cmd| cmd.read())
}

fn timed<T>(cmd: Cmd<'_>, run: fn(&Cmd<'_>) -> xshell::Result<T>) -> Result<T> {
    println!("$ {}", shown(&cmd));
    let start = Instant::now();
    let ended = run(&clean(cmd).quiet())?;
    println!("  {:.1} s", start.elapsed().as_secs_f64());
    Ok(ended)
}

/// Runs a command and returns its stdout; if it fails, the error contains its stderr.
pub fn read(cmd: Cmd<'_>) -> Result<String> {
    Ok(read_both(cmd)?.0)
}

/// Runs a command and returns its stdout and stderr.
pub fn read_both(cmd: Cmd<'_>) -> Result<(String, String)> {
    let line = shown(&cmd);
    let out = clean(cmd).quiet().ignore_status().output()?;
    let errors = String::from_utf8_lossy(&out.stderr).into_owned();
    ensure!(out.status.success(), "{line}: {}\n{}", out.status, errors.trim());
    let text = String::from_utf8(out.stdout);
    Ok((text.with_context(|| format!("{line}: the output is not UTF-8"))?, errors))
}

/// Runs a command and discards its output. The command does not inherit our pipes, because a
/// service that it leaves running would keep them open.
pub fn silent(cmd: Cmd<'_>) -> Result<()> {
    Ok(clean(cmd).quiet().ignore_stdout().ignore_stderr().run()?)
}

/// Runs a command and passes each line of its stdout to `each`.
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
    ensure!(status.success(), "{line}: {status}");
    Ok(())
}

/// Builds a command from a list of words, of which the first is the program. Used for commands that
/// start with a time limit or an emulator.
pub fn words<'a, W: AsRef<OsStr>>(sh: &'a Shell, words: impl IntoIterator<Item = W>) -> Cmd<'a> {
    let mut words = words.into_iter();
    let program = words.next().map_or_else(OsString::new, |word| word.as_ref().to_owned());
    sh.cmd(program).args(words)
}

/// The prefix that kills a command, and everything it started, after `limit`.
pub fn within(limit: Duration) -> [String; 3] {
    let seconds = limit.as_secs().to_string();
    ["timeout".into(), "--kill-after=5".into(), seconds]
}

/// Builds a command that is killed, with everything it started, after `limit`; its words follow.
pub fn limited(sh: &Shell, limit: Duration) -> Cmd<'_> {
    words(sh, within(limit))
}

/// The prefix that pins a command to one CPU.
pub fn pinned(cpu: usize) -> [String; 3] {
    ["taskset".into(), "--cpu-list".into(), cpu.to_string()]
}

/// CPU time of all child processes that have ended, from `/proc/self/stat` (proc(5)), which counts
/// hundredths of a second.
pub fn children_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The program's name, in parentheses, may contain anything. The field after it is the third.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let times = fields.split_whitespace().skip(16 - 3).take(2);
    let hundredths: u64 = times.flat_map(str::parse::<u64>).sum();
    Duration::from_millis(hundredths * 10)
}

/// Whether a program is on the search path.
pub fn has(program: &str) -> bool {
    which::which(program).is_ok()
}

/// Whether this process runs as root.
pub fn is_root(sh: &Shell) -> bool {
    cfg!(unix) && read(cmd!(sh, "id -u")).is_ok_and(|id| id.trim() == "0")
}

/// How to start the programs of a target. Empty for native programs.
#[derive(Default)]
pub struct Runner {
    /// The words that precede the program.
    pub before: Vec<String>,
    /// The environment variables that the program needs.
    pub env: Vec<(&'static str, OsString)>,
}

impl Runner {
    /// Builds the command for a program of the target.
    pub fn start<'a>(&self, sh: &'a Shell, program: &Path) -> Cmd<'a> {
        self.command(sh, &[], program)
    }

    /// Like [`Self::start`], but kills the program, and everything it started, after `limit`.
    pub fn start_within<'a>(&self, sh: &'a Shell, limit: Duration, program: &Path) -> Cmd<'a> {
        self.command(sh, &within(limit), program)
    }

    fn command<'a>(&self, sh: &'a Shell, limit: &[String], program: &Path) -> Cmd<'a> {
        let before = limit.iter().chain(&self.before).map(OsStr::new);
        words(sh, before.chain([program.as_os_str()])).envs(self.env.iter().cloned())
    }
}
