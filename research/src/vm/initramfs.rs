//! The first file system of a machine, in memory.

use anyhow::Result;
use chronoscope_ci::sh;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// The `/init` of a machine that runs the tool: mounts what programs need, sources `/run-tool` in
/// the lines `run`, which leave its exit code in `code`, and writes the report, the errors and the
/// exit code to the second port.
pub fn init(variables: &str, run: &str) -> String {
    format!(
        r#"#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin:/usr/bin HOME=/tmp {variables}
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
exec 3> /dev/ttyS1
{run}
echo "@@ report" >&3
cat /tmp/report >&3
echo "@@ errors" >&3
cat /tmp/errors >&3
echo "@@ exit $code" >&3
sync
poweroff -f
"#
    )
}

/// The files of a machine, in a folder that becomes an archive.
pub struct Initramfs<'a> {
    sh: &'a Shell,
    root: PathBuf,
}

impl<'a> Initramfs<'a> {
    /// Begins an archive with this `/init`, busybox, and the folders that an init mounts on. An
    /// existing `folder` is replaced.
    pub fn new(sh: &'a Shell, folder: &Path, busybox: &Path, init: &str) -> Result<Self> {
        let root = folder.join("root");
        sh.remove_path(&root)?;
        for folder in ["bin", "dev", "proc", "sys", "tmp"] {
            sh.create_dir(root.join(folder))?;
        }
        let made = Self { sh, root };
        made.program(busybox, "busybox")?;
        made.file("init", init)?;
        executable(&made.root.join("init"))?;
        Ok(made)
    }

    /// Adds a program to `/bin`.
    pub fn program(&self, file: &Path, name: &str) -> Result<()> {
        Ok(self.sh.copy_file(file, self.root.join("bin").join(name))?)
    }

    pub fn file(&self, path: impl AsRef<Path>, content: &str) -> Result<()> {
        Ok(self.sh.write_file(self.root.join(path), content)?)
    }

    /// Adds files and folders of this machine, without symbolic links, at the same paths.
    pub fn copies(&self, files: &[PathBuf]) -> Result<()> {
        let (sh, root) = (self.sh, &self.root);
        sh::silent(cmd!(sh, "cp --recursive --dereference --parents {files...} {root}"))
    }

    /// Adds a folder of this machine to a folder of the archive.
    pub fn folder(&self, from: &Path, to: &Path) -> Result<()> {
        let (sh, to) = (self.sh, self.root.join(to));
        sh.create_dir(&to)?;
        sh::silent(cmd!(sh, "cp --recursive {from} {to}"))
    }

    /// Writes the archive next to the folder.
    pub fn archive(self) -> Result<PathBuf> {
        let sh = self.sh;
        let _there = sh.push_dir(&self.root);
        let files = sh::read(cmd!(sh, "find ."))?;
        let archive = cmd!(sh, "/bin/busybox cpio -o -H newc")
            .quiet()
            .ignore_stderr()
            .stdin(files)
            .output()?;
        let file = self.root.with_file_name("initramfs");
        sh.write_file(&file, archive.stdout)?;
        Ok(file)
    }
}

#[cfg(unix)]
fn executable(file: &Path) -> Result<()> {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    Ok(set_permissions(file, Permissions::from_mode(0o755))?)
}

/// Systems without permission bits boot no virtual machine.
#[cfg(not(unix))]
fn executable(file: &Path) -> Result<()> {
    anyhow::bail!("{} cannot be made executable here", file.display())
}
