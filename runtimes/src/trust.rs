//! Whether what is at a path may be executed: not if another user can put something else there.
//! Root with the `HOME` of a user (`sudo -E`) must not run what that user has put into it.

use std::path::Path;

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
mod tests {
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
