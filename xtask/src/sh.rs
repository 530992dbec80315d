//! Running other programs, and finding our own files.

use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

/// The root of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask/ lies in the root of the workspace")
}

/// Where builds go.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A program, to be run in the root of the workspace.
pub fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// The cargo that runs us, without what it told us of our own build: a build script or a second
/// toolchain must not take that for its own.
pub fn cargo() -> Command {
    let mut command = program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    clean(&mut command);
    command
}

/// Removes what cargo tells the programs it runs.
pub fn clean(command: &mut Command) -> &mut Command {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// The command line as one would type it.
fn shown(command: &Command) -> String {
    let own = |word| {
        Path::new(word)
            .strip_prefix(root())
            .unwrap_or(Path::new(word))
    };
    let program = own(command.get_program());
    // A program from elsewhere is known by its name: where it lies is this machine's affair.
    let name = program.file_name().filter(|_| program.is_absolute());
    let mut words = vec![name.unwrap_or(program.as_os_str()).to_string_lossy()];
    words.extend(command.get_args().map(|word| own(word).to_string_lossy()));
    words.join(" ")
}

/// Runs a program; its output goes where ours goes, and its time beside it.
pub fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", shown(command));
    let start = Instant::now();
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    println!("  {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs a program and returns what it printed on stdout.
pub fn capture(command: &mut Command) -> Result<String> {
    let out = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    if !out.status.success() {
        bail!(
            "{} ended with {}\n{}",
            shown(command),
            out.status,
            String::from_utf8_lossy(&out.stderr).trim()
        );
    }
    String::from_utf8(out.stdout)
        .with_context(|| format!("{} printed what is not UTF-8", shown(command)))
}

/// Runs a program whose words nobody wants, and which must hold none of our pipes open.
pub fn silent(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    Ok(())
}

/// Runs a program and hands each line of its stdout to `each`; the rest goes where ours goes.
pub fn lines(command: &mut Command, mut each: impl FnMut(&str)) -> Result<()> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).split(b'\n') {
            each(&String::from_utf8_lossy(&line?));
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    Ok(())
}

/// The same command, ended with all it started after that time (coreutils' `timeout`).
pub fn within(limit: Duration, command: &Command) -> Command {
    let mut timed = program("timeout");
    timed.args(["--kill-after=5", &limit.as_secs().to_string()]);
    behind(timed, command)
}

/// The same command, on one processor (util-linux' `taskset`).
pub fn pinned(cpu: usize, command: &Command) -> Command {
    let mut pinned = program("taskset");
    pinned.args(["--cpu-list", &cpu.to_string()]);
    behind(pinned, command)
}

/// A command that is started by another.
fn behind(mut first: Command, command: &Command) -> Command {
    first.arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        first.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => first.env(name, value),
            None => first.env_remove(name),
        };
    }
    first
}

/// Where a program lies on the search path.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| fs::metadata(file).is_ok_and(|found| found.is_file()))
}

/// Whether this runs as the superuser, by what `id` says.
pub fn is_root() -> bool {
    cfg!(unix) && capture(program("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

/// Writes a file, and the folders above it.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}
