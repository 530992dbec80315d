//! Turns a declaration into a command that runs a probe: finds the programs, reads the version, and
//! builds the probe.
//!
//! The directories in which probes are built: one in the user's cache for each source, version and
//! way of building. A finished build appears there complete or not at all, so that runs may share
//! it.

use crate::engine::children::{self, Stop, shown};
use chronoscope_model::packed;
use chronoscope_runtimes::{Found, Runtime, is_trusted};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs, io};

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
        let texts: Vec<_> = files().map(|file| (file.name, file.packed)).collect();
        let commands = (self.found.way.build, self.found.way.run);
        let content = (env!("CARGO_PKG_VERSION"), texts, commands, programs, &version, self.level);
        let name = self.id.replace([':', '+', '/'], "-");
        let dir = cache.directory(&name, &content, |dir| {
            for file in files() {
                // Braces mark placeholders in the files next to a probe, but are code in the probe.
                let is_code =
                    std::ptr::eq(file, &raw const runtime.source) || file.name.ends_with(".h");
                let mut text = packed::text(file.packed);
                if !is_code {
                    text = self.filled(&text, dir, &version);
                }
                fs::write(dir.join(file.name), text)
                    .map_err(|error| format!("{}: {error}", file.name))?;
            }
            for words in self.found.way.build {
                let mut command = self.command(words, dir, &version)?;
                Cache::build(command.current_dir(dir), BUILT, stop)?;
            }
            Ok(())
        })?;
        let words = self.found.way.run.split(' ');
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
        let printed = children::run(&mut command, ASKED, stop)?;
        let found = version_in(&printed);
        found.ok_or_else(|| format!("no version in '{}'", shown(&printed, 60)))
    }

    fn command(&self, words: &str, dir: &Path, version: &str) -> Result<Command, String> {
        let mut words = words.split(' ').map(|word| self.filled(word, dir, version));
        let mut command = Command::new(words.next().ok_or("an empty command")?);
        command.args(words).envs(self.runtime.env.iter().copied());
        Ok(command)
    }

    fn filled(&self, text: &str, dir: &Path, version: &str) -> String {
        let source = dir.join(self.runtime.source.name);
        let mut text = text
            .replace("{source}", &source.to_string_lossy())
            .replace("{dir}", &dir.to_string_lossy())
            .replace("{exe}", env::consts::EXE_SUFFIX)
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

/// A file that marks a complete directory.
const DONE: &str = "complete";
/// The prefix of the names of directories that are being filled.
const PART: &str = ".part-";
/// The age after which the half-filled directory of a killed run is removed.
const STALE: Duration = Duration::from_secs(24 * 3600);

#[derive(Debug)]
pub(super) struct Cache {
    pub root: PathBuf,
    /// Whether the cache belongs to this run alone and is removed with it.
    own: bool,
}

impl Cache {
    /// Opens the user's cache, or a directory for this run alone if the user's cache cannot be
    /// written, or another user may write to it.
    ///
    /// # Errors
    /// Neither can be written.
    pub fn open() -> Result<Self, String> {
        Self::at(user_cache())
    }

    fn at(wanted: Option<PathBuf>) -> Result<Self, String> {
        let root = wanted.filter(|root| is_writable(root) && is_trusted(root));
        let Some(root) = root.and_then(|root| root.canonicalize().ok()) else {
            return Self::of_this_run();
        };
        remove_stale(&root);
        Ok(Self { root, own: false })
    }

    /// Makes a directory for this run alone.
    ///
    /// # Errors
    /// The directory cannot be made.
    pub fn of_this_run() -> Result<Self, String> {
        let name = format!("chronoscope-{}-{:08x}", std::process::id(), fastrand::u32(..));
        let mut why = String::new();
        // Root may have the TMPDIR of a user.
        for folder in [env::temp_dir(), PathBuf::from("/tmp")] {
            let root = folder.join(&name);
            why = match make(&root) {
                Ok(()) if is_trusted(&root) => return Ok(Self { root, own: true }),
                Ok(()) => {
                    let _ = fs::remove_dir(&root);
                    format!("another user may write to {}", folder.display())
                }
                Err(error) => format!("{}: {error}", root.display()),
            };
        }
        Err(format!("no directory to build in: {why}"))
    }

    /// Runs a compiler. What it leaves behind if it is ended is removed.
    ///
    /// # Errors
    /// The reason why it failed.
    pub fn build(command: &mut Command, patience: Duration, stop: Stop) -> Result<(), String> {
        let scratch = Self::of_this_run()?;
        command.envs(["TMPDIR", "TMP", "TEMP"].map(|name| (name, &scratch.root)));
        children::run(command, patience, stop).map(drop)
    }

    /// Returns the directory with this name and content. `fill` fills it if it does not exist yet.
    ///
    /// # Errors
    /// The directory cannot be filled, for the reason given.
    pub fn directory(
        &self,
        name: &str,
        content: &impl Hash,
        fill: impl FnOnce(&Path) -> Result<(), String>,
    ) -> Result<PathBuf, String> {
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        let place = self.root.join(format!("{name}-{:016x}", hasher.finish()));
        if place.join(DONE).is_file() && is_trusted(&place) {
            return Ok(place);
        }
        let part = format!("{PART}{name}-{}-{:08x}", std::process::id(), fastrand::u32(..));
        let part = self.root.join(part);
        let filled = fs::create_dir(&part)
            .map_err(|error| format!("{}: {error}", part.display()))
            .and_then(|()| fill(&part))
            .and_then(|()| publish(&part, &place).map_err(|error| format!("the cache: {error}")));
        let _ = fs::remove_dir_all(&part);
        filled.map(|()| place)
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        if self.own {
            let _ = fs::remove_dir_all(&self.root);
        }
    }
}

/// Gives a filled directory its final name. Another run may have done the same meanwhile.
fn publish(part: &Path, place: &Path) -> io::Result<()> {
    fs::write(part.join(DONE), "")?;
    if fs::rename(part, place).is_ok() || place.join(DONE).is_file() && is_trusted(place) {
        return Ok(());
    }
    // An incomplete directory is there, or one that others may write to. Nobody needs it.
    fs::remove_dir_all(place)?;
    fs::rename(part, place)
}

/// Returns the directory for caches of this user (XDG Base Directory Specification; on Windows
/// `LOCALAPPDATA`), which may not exist.
fn user_cache() -> Option<PathBuf> {
    let variable = |name| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let base = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else {
        variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))
    };
    Some(base?.join("chronoscope").join("runtimes"))
}

/// Makes a directory for this user alone, unless it is there.
fn make(root: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(root)
}

fn is_writable(root: &Path) -> bool {
    let trial = root.join(format!("{PART}{}-{:08x}", std::process::id(), fastrand::u32(..)));
    let tried = make(root).and_then(|()| fs::create_dir(&trial));
    tried.and_then(|()| fs::remove_dir(&trial)).is_ok()
}

fn remove_stale(root: &Path) {
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let is_part = entry.file_name().to_string_lossy().starts_with(PART);
        let age = entry.metadata().and_then(|about| about.modified()).ok();
        let age = age.and_then(|then| then.elapsed().ok());
        if is_part && age.is_some_and(|age| age > STALE) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod prepare_tests {
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

#[cfg(test)]
mod cache_tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn what_is_there_is_not_built_again_and_a_failure_leaves_nothing() {
        let dir = tempfile::tempdir().expect("a directory");
        let cache = Cache::at(Some(dir.path().join("a b/c"))).expect("writable");
        let failed = cache.directory("x", &1, |_| Err("no compiler".into()));
        assert_eq!(failed, Err("no compiler".into()));
        assert_eq!(fs::read_dir(&cache.root).expect("there").count(), 0);
        let fill = |place: &Path| fs::write(place.join("f"), "1").map_err(|e| e.to_string());
        let place = cache.directory("x", &1, fill).expect("built");
        assert!(place.join("f").is_file());
        let again = cache.directory("x", &1, |_| panic!("it is there"));
        assert_eq!(again, Ok(place.clone()));
        assert_ne!(cache.directory("x", &2, fill), Ok(place));
    }

    #[test]
    fn runs_that_build_at_once_end_with_the_same() {
        let dir = tempfile::tempdir().expect("a directory");
        let built = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let cache = Cache::at(Some(dir.path().into())).expect("writable");
                    let place = cache.directory("x", &7, |part| {
                        built.fetch_add(1, Ordering::Relaxed);
                        fs::write(part.join("f"), "1").map_err(|error| error.to_string())
                    });
                    assert!(place.expect("built").join("f").is_file());
                });
            }
        });
        assert!(built.into_inner() >= 1);
        assert_eq!(fs::read_dir(dir.path()).expect("there").count(), 1);
    }

    #[test]
    fn something_incomplete_is_replaced() {
        let dir = tempfile::tempdir().expect("a directory");
        let cache = Cache::at(Some(dir.path().into())).expect("writable");
        let place = cache.directory("x", &1, |_| Ok(())).expect("built");
        fs::remove_file(place.join(DONE)).expect("removed");
        fs::write(place.join("half"), "").expect("written");
        let again = cache.directory("x", &1, |_| Ok(())).expect("built");
        assert!(again.join(DONE).is_file() && !again.join("half").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_cache_that_others_may_write_to_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("a directory");
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
        };
        let wanted = dir.path().join("cache");
        let cache = Cache::at(Some(wanted.clone())).expect("writable");
        assert!(!cache.own);
        let place = cache.directory("x", &1, |_| Ok(())).expect("built");
        // What was built while others could write is built again.
        fs::write(place.join("theirs"), "").expect("written");
        set(&place, 0o777);
        let again = cache.directory("x", &1, |_| Ok(())).expect("built");
        assert!(again.join(DONE).is_file() && !again.join("theirs").exists());
        set(dir.path(), 0o777);
        assert!(Cache::at(Some(wanted)).expect("another place").own);
        set(dir.path(), 0o700);
    }

    #[cfg(unix)]
    #[test]
    fn a_compiler_that_is_ended_leaves_nothing() {
        let dir = tempfile::tempdir().expect("a directory");
        let told = dir.path().join("told");
        let script = "touch $TMPDIR/rest; echo $TMPDIR > $0.part; mv $0.part $0; sleep 1000";
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).arg(&told);
        let ended = Cache::build(&mut command, Duration::from_secs(60), &|| told.exists());
        assert_eq!(ended, Err("interrupted".into()));
        let scratch = fs::read_to_string(told).expect("written");
        assert!(scratch.contains("chronoscope-") && !Path::new(scratch.trim()).exists());
    }

    #[test]
    fn without_a_cache_the_run_has_a_directory_of_its_own() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("file");
        fs::write(&file, "").expect("written");
        let cache = Cache::at(Some(file.join("below"))).expect("another place");
        let root = cache.root.clone();
        assert!(root.is_dir());
        drop(cache);
        assert!(!root.exists());
    }
}
