//! Finds the programs of a runtime: in the `PATH`, in the usual places, or where the user says.
//!
//! Whether what is at a path may be executed: not if another user can put something else there.
//! Root with the `HOME` of a user (`sudo -E`) must not run what that user has put into it.

use crate::{Program, Runtime, Way};
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A program's name in placeholders, and its path.
pub type Place = (&'static str, PathBuf);

/// A way of a runtime whose programs were found.
#[derive(Clone, Debug)]
pub struct Found {
    pub way: &'static Way,
    pub programs: Vec<Place>,
}

/// Where the user says that a runtime is: its main program, or the directory that holds it.
pub type Override<'a> = Option<&'a Path>;

impl Runtime {
    /// The ways that can be used here.
    ///
    /// # Errors
    /// No way can be used: the reason, in words for the user.
    pub fn find_ways(&self, given: Override) -> Result<Vec<Found>, String> {
        if !self.is_for_this_system() {
            return Err(format!("only on {}", self.only_on.join(", ")));
        }
        let mut found = Vec::new();
        let mut missing: Option<&'static Program> = None;
        for way in self.ways {
            match find_all(way, given) {
                Ok(programs) => found.push(Found { way, programs }),
                Err(program) => missing = missing.or(Some(program)),
            }
        }
        if !self.every_way {
            found.truncate(1);
        }
        if !found.is_empty() {
            return Ok(found);
        }
        let names = missing.map_or(String::new(), |program| program.names.join(" or "));
        match given {
            Some(path) => Err(format!("no {names} at {}", path.display())),
            None => Err(format!("{names} not found: {}", self.install_here())),
        }
    }
}

fn find_all(way: &'static Way, given: Override) -> Result<Vec<Place>, &'static Program> {
    let mut programs = Vec::new();
    for (at, program) in way.programs.iter().enumerate() {
        let path = find(program, given, at == 0).ok_or(program)?;
        programs.push((program.name, path));
    }
    Ok(programs)
}

/// Where a program is. If the user gave a place, the main program must be there, and the others may
/// be.
fn find(program: &Program, given: Override, main: bool) -> Option<PathBuf> {
    if let Some(given) = given {
        if main && given.is_file() {
            return Some(given.to_owned());
        }
        let dir = if given.is_file() { given.parent()? } else { given };
        let there = in_dir(dir, program).or_else(|| in_dir(&dir.join("bin"), program));
        if there.is_some() || main {
            return there;
        }
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut listed = env::split_paths(&path).filter(|dir| dir.is_absolute());
    listed.find_map(|dir| in_dir(&dir, program)).or_else(|| {
        // A variable may name the folder of another user.
        let mut places = program.places.iter().flat_map(|place| {
            let is_safe = |file: &PathBuf| !place.starts_with('$') || is_trusted(file);
            expand(place).into_iter().filter_map(|dir| in_dir(&dir, program)).filter(is_safe)
        });
        places.next()
    })
}

fn in_dir(dir: &Path, program: &Program) -> Option<PathBuf> {
    program.names.iter().find_map(|name| {
        if [".h", ".hpp"].iter().any(|end| name.ends_with(end)) {
            return Some(dir.join(name)).filter(|file| file.is_file());
        }
        let mut files = SUFFIXES.iter().map(|suffix| dir.join(format!("{name}{suffix}")));
        files.find(|file| is_program(file))
    })
}

const SUFFIXES: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ".bat"] } else { &[""] };

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// The directories that a place stands for.
fn expand(place: &str) -> Vec<PathBuf> {
    let mut parts = Path::new(place).components();
    let first = parts.clone().next();
    let variable = first.and_then(|first| first.as_os_str().to_str()?.strip_prefix('$'));
    let mut found = match variable {
        Some(name) => {
            parts.next();
            match env::var_os(name).filter(|value| !value.is_empty()) {
                Some(value) => vec![PathBuf::from(value)],
                None => return Vec::new(),
            }
        }
        None => vec![PathBuf::new()],
    };
    for part in parts {
        found = if part.as_os_str() == OsStr::new("*") {
            found.iter().flat_map(|dir| inside(dir)).collect()
        } else {
            found.iter().map(|dir| dir.join(part)).collect()
        };
    }
    found
}

/// The directories in a directory, the last by name first: usually the newest version.
fn inside(dir: &Path) -> Vec<PathBuf> {
    /// More than any place has.
    const MOST: usize = 1000;
    let listed = std::fs::read_dir(dir).into_iter().flatten().take(MOST);
    let mut dirs: Vec<PathBuf> =
        listed.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()).collect();
    dirs.sort();
    dirs.reverse();
    dirs
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    const PROGRAM: Program = Program {
        name: "thing",
        names: &["no-such-thing-9", "no-such-thing"],
        places: &["$CHRONOSCOPE_NO_SUCH_PLACE/bin"],
    };

    fn program_in(dir: &Path, name: &str) -> PathBuf {
        fs::create_dir_all(dir).expect("a directory");
        let file = dir.join(name);
        fs::write(&file, "#!/bin/sh\n").expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("set");
        file
    }

    #[test]
    fn a_program_is_found_where_the_user_says() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = dir.path().join("with a space");
        assert_eq!(find(&PROGRAM, Some(&home), true), None);
        let file = program_in(&home.join("bin"), "no-such-thing");
        assert_eq!(find(&PROGRAM, Some(&home), true), Some(file.clone()));
        assert_eq!(find(&PROGRAM, Some(&file), true), Some(file.clone()));
        assert_eq!(find(&PROGRAM, Some(&home), false), Some(file));
        // Better names come first, and a file that cannot be run is not a program.
        let better = program_in(&home.join("bin"), "no-such-thing-9");
        assert_eq!(find(&PROGRAM, Some(&home), true), Some(better.clone()));
        fs::set_permissions(&better, fs::Permissions::from_mode(0o644)).expect("set");
        assert_ne!(find(&PROGRAM, Some(&home), true), Some(better));
    }

    #[test]
    fn stars_stand_for_directories_and_the_last_comes_first() {
        let dir = tempfile::tempdir().expect("a directory");
        for name in ["jdk-11/bin", "jdk-17/bin"] {
            fs::create_dir_all(dir.path().join(name)).expect("a directory");
        }
        let place = dir.path().join("*/bin");
        let found = expand(place.to_str().expect("text"));
        let names = ["jdk-17/bin", "jdk-11/bin"].map(|name| dir.path().join(name));
        assert_eq!(found, names);
        assert!(expand("$CHRONOSCOPE_NO_SUCH_PLACE/bin").is_empty());
        assert!(expand("/no/such/place/*/bin").is_empty());
    }

    #[test]
    fn what_is_missing_is_named_with_the_command_that_installs_it() {
        let given = Path::new("/no/such/place");
        let missing = crate::find("python").expect("declared").find_ways(Some(given));
        let why = missing.expect_err("nothing is there");
        assert_eq!(why, "no python3 or python at /no/such/place");
    }
}

/// Whether only this user and root own and may write to the file or folder at a path, and all
/// folders that lead to it, so that what is executed there is nobody else's.
#[cfg(unix)]
pub fn is_trusted(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(resolved) = path.canonicalize() else { return false };
    let own = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    // In a namespace of users, that is where root's files have another owner.
    let root = Path::new("/").metadata().map_or(0, |about| about.uid());
    let is_safe = |(depth, at): (usize, &Path)| {
        let Ok(about) = at.symlink_metadata() else { return at.as_os_str().is_empty() };
        let mode = about.mode();
        // A group of its own is what many systems give each user.
        let is_open = mode & 0o002 != 0 || mode & 0o020 != 0 && ![0, group].contains(&about.gid());
        // Everybody may write to a link as such, and in a sticky folder replace only what is
        // theirs.
        let is_open = is_open && !about.is_symlink() && (depth == 0 || mode & 0o1000 == 0);
        [0, root, own].contains(&about.uid()) && !is_open
    };
    path.is_absolute() && [path, &resolved].iter().all(|at| at.ancestors().enumerate().all(is_safe))
}

/// The folders of a user are that user's on Windows.
#[cfg(not(unix))]
pub fn is_trusted(_path: &Path) -> bool {
    true
}

#[cfg(all(test, unix))]
mod trust_tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    #[test]
    fn nothing_is_executed_where_others_may_write() {
        let dir = tempfile::tempdir().expect("a directory");
        let place = dir.path().join("a/b");
        fs::create_dir_all(&place).expect("directories");
        let file = place.join("program");
        fs::write(&file, "").expect("written");
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
        };
        let link = dir.path().join("link");
        symlink(&place, &link).expect("a link");
        for path in [&dir.path().to_owned(), &place, &file, &link, &link.join("program")] {
            assert!(is_trusted(path), "{}", path.display());
        }
        assert!(!is_trusted(&place.join("absent")) && !is_trusted(Path::new("a/b")));
        for open in [dir.path().join("a"), place.clone(), file.clone()] {
            let before = open.metadata().expect("there").permissions().mode();
            set(&open, 0o777);
            assert!(!is_trusted(&file), "{}", open.display());
            assert!(!is_trusted(&link.join("program")), "{}", open.display());
            set(&open, before);
        }
        // Only root can give files away.
        for given in [place.clone(), file.clone()] {
            if chown(&given, Some(65_534), None).is_ok() {
                assert!(!is_trusted(&file), "{}", given.display());
                chown(&given, Some(0), None).expect("given back");
            }
        }
        assert!(is_trusted(&file));
    }
}
