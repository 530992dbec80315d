//! Turns a declaration into a command that runs a probe: finds the programs, reads the version, and
//! builds the probe.

use super::cache::Cache;
use crate::engine::child::{self, Stop, shown};
use chronoscope_runtimes::{Found, Runtime};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The time that a program may take to print its version.
const ASKED: Duration = Duration::from_secs(20);
/// The time that one command of a build may take, such as a compiler that starts for the first time
/// on a busy machine.
const BUILT: Duration = Duration::from_secs(180);

/// A runtime in one version, built in one way.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub runtime: &'static Runtime,
    pub id: String,
    found: Found,
    level: &'static str,
}

/// A probe that can be run.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    /// The program that is run, or that compiled the probe.
    pub program: PathBuf,
    /// The version that the program itself printed.
    pub version: String,
    command: Vec<String>,
    env: &'static [(&'static str, &'static str)],
    dir: PathBuf,
}

impl Ready {
    /// The command that runs the probe.
    pub fn command(&self) -> Command {
        self.command_under(&[])
    }

    /// The command that runs the probe by way of another program, with which it begins.
    pub fn command_under(&self, program: &[String]) -> Command {
        let mut words = program.iter().chain(&self.command);
        let mut command = Command::new(words.next().map_or("", String::as_str));
        command.args(words).envs(self.env.iter().copied()).current_dir(&self.dir);
        command
    }
}

/// Returns the rows of a runtime: one for each way of building and each level.
///
/// # Errors
/// No runtime is available here, for the reason given.
pub(super) fn candidates(
    runtime: &'static Runtime,
    given: Option<&Path>,
) -> Result<Vec<Candidate>, String> {
    let mut all = Vec::new();
    for found in runtime.find_ways(given)? {
        let levels = if runtime.levels.is_empty() { &[""] } else { runtime.levels };
        for &level in levels {
            let id = runtime.row(found.way, level);
            all.push(Candidate { runtime, id, found: found.clone(), level });
        }
    }
    Ok(all)
}

impl Candidate {
    /// Builds the probe, unless it was built before.
    ///
    /// # Errors
    /// The reason why it cannot be run.
    pub fn prepare(&self, cache: &Cache, stop: Stop) -> Result<Ready, String> {
        let runtime = self.runtime;
        let program = &self.found.programs.first().ok_or("no program")?.1;
        let version = self.version(stop)?;
        if let Some(oldest) = runtime.oldest.filter(|oldest| is_older(&version, oldest)) {
            return Err(format!("version {version} is too old: {oldest} or later is needed"));
        }
        let programs: Vec<_> = self.found.programs.iter().map(|(_, path)| path).collect();
        let files = || runtime.files.iter().chain([&runtime.source]);
        let texts: Vec<_> = files().map(|file| (file.name, file.text)).collect();
        let commands = (self.found.way.build, self.found.way.run);
        let content = (env!("CARGO_PKG_VERSION"), texts, commands, programs, &version, self.level);
        let name = self.id.replace([':', '+', '/'], "-");
        let dir = cache.directory(&name, &content, |dir| {
            for file in files() {
                // Braces mark placeholders in the files next to a probe, but are code in the probe.
                let is_code =
                    std::ptr::eq(file, &raw const runtime.source) || file.name.ends_with(".h");
                let text = if is_code {
                    file.text.to_owned()
                } else {
                    self.filled(file.text, dir, &version)
                };
                std::fs::write(dir.join(file.name), text)
                    .map_err(|error| format!("{}: {error}", file.name))?;
            }
            for arguments in self.found.way.build {
                let mut command = self.command(arguments, dir, &version)?;
                Cache::build(command.current_dir(dir), BUILT, stop)?;
            }
            Ok(())
        })?;
        let words = self.found.way.run.iter();
        Ok(Ready {
            program: program.clone(),
            command: words.map(|word| self.filled(word, &dir, &version)).collect(),
            env: runtime.env,
            version,
            dir,
        })
    }

    /// The version that the program prints.
    fn version(&self, stop: Stop) -> Result<String, String> {
        let mut command = self.command(self.found.way.version, Path::new("."), "")?;
        let printed = child::run(&mut command, ASKED, stop)?;
        let found = version_in(&printed);
        found.ok_or_else(|| format!("no version in '{}'", shown(&printed, 60)))
    }

    fn command(&self, words: &[&str], dir: &Path, version: &str) -> Result<Command, String> {
        let mut words = words.iter().map(|word| self.filled(word, dir, version));
        let mut command = Command::new(words.next().ok_or("an empty command")?);
        command.args(words).envs(self.runtime.env.iter().copied());
        Ok(command)
    }

    fn filled(&self, text: &str, dir: &Path, version: &str) -> String {
        let source = dir.join(self.runtime.source.name);
        let mut text = text
            .replace("{source}", &source.to_string_lossy())
            .replace("{dir}", &dir.to_string_lossy())
            .replace("{exe}", std::env::consts::EXE_SUFFIX)
            .replace("{level}", self.level)
            .replace("{version}", version);
        for (name, path) in &self.found.programs {
            text = text.replace(&format!("{{{name}}}"), &path.to_string_lossy());
        }
        text
    }
}

/// The first number with a dot in a text, or the first number.
fn version_in(text: &str) -> Option<String> {
    let numbers = || {
        let parts = text.split(|c: char| !c.is_ascii_digit() && c != '.');
        parts.map(|part| part.trim_matches('.')).filter(|part| !part.is_empty())
    };
    let dotted = numbers().find(|part| part.contains('.'));
    dotted.or_else(|| numbers().next()).map(|part| shown(part, 40))
}

/// Whether a version is older than another, component by component.
fn is_older(version: &str, than: &str) -> bool {
    let parts = |text: &str| -> Vec<u64> {
        text.split('.').map(|part| part.parse().unwrap_or(0)).collect()
    };
    parts(version) < parts(than)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_and_compared_by_number() {
        let cases = [
            ("Python 3.11.7", "3.11.7"),
            ("go version go1.22.4 linux/amd64", "1.22.4"),
            ("v20.20.2\n", "20.20.2"),
            ("openjdk version \"17.0.9\" 2023-10-17", "17.0.9"),
            ("Mono JIT compiler version 6.8.0.105 (Debian)", "6.8.0.105"),
            ("26\n", "26"),
        ];
        for (text, version) in cases {
            assert_eq!(version_in(text).as_deref(), Some(version), "{text}");
        }
        assert_eq!(version_in("none"), None);
        assert!(is_older("3.6.9", "3.7") && is_older("2.7", "3.7"));
        assert!(!is_older("3.11", "3.7") && !is_older("3.7.0", "3.7"));
    }

    #[test]
    fn each_compiler_and_level_is_a_row() {
        let c = chronoscope_runtimes::find("c").expect("declared");
        if let Ok(rows) = candidates(c, None) {
            assert!(rows.len().is_multiple_of(c.levels.len()));
            assert!(rows.iter().all(|row| row.id.starts_with("c:") && row.id.contains("-O")));
        }
        assert!(candidates(c, Some(Path::new("/no/such"))).is_err());
    }
}
