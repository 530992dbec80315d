//! Debian packages of any architecture, which are unpacked but not installed, so that the host
//! stays as it is.

use super::folder;
use anyhow::{Context, Result, bail};
use chronoscope_ci::sh;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Architecture {
    Amd64,
    Arm64,
}

impl Architecture {
    /// Debian's name for the architecture.
    fn name(self) -> &'static str {
        match self {
            Self::Amd64 => "amd64",
            Self::Arm64 => "arm64",
        }
    }

    /// The package that depends on the current kernel. The cloud kernel is smaller, but it exists
    /// for servers only and does not support the Raspberry Pi.
    fn kernel(self) -> &'static str {
        match self {
            Self::Amd64 => "linux-image-cloud-amd64",
            Self::Arm64 => "linux-image-arm64",
        }
    }
}

/// The kernel of an architecture, downloaded if necessary.
pub fn kernel(sh: &Shell, architecture: Architecture) -> Result<PathBuf> {
    package_kernel(sh, architecture, architecture.kernel())
}

/// The kernel of a package, downloaded if necessary.
pub fn package_kernel(sh: &Shell, architecture: Architecture, package: &str) -> Result<PathBuf> {
    let boot = unpacked(sh, architecture, package)?.join("boot");
    let named = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with("vmlinuz-")
    };
    let kernel = sh.read_dir(&boot)?.into_iter().find(named);
    kernel.with_context(|| format!("{} contains no kernel", boot.display()))
}

/// The folder with the content of a package. If the package contains nothing and only depends on
/// the current version, as those of kernels do, that version is unpacked instead.
pub fn unpacked(sh: &Shell, architecture: Architecture, package: &str) -> Result<PathBuf> {
    let own = folder().join(architecture.name());
    let content = own.join(package);
    if content.exists() {
        return Ok(content);
    }
    let options = &options(sh, architecture, &own)?;
    let depends = sh::read(cmd!(sh, "apt-cache {options...} depends {package}"))?;
    let version = package.split('-').next().unwrap_or_default().to_owned() + "-image-";
    let current = depends.lines().find_map(|line| {
        let name = line.trim().strip_prefix("Depends: ")?;
        name.starts_with(&version).then_some(name)
    });
    let current = current.unwrap_or(package);
    let downloads = own.join("downloads").join(package);
    sh.remove_path(&downloads)?;
    sh.create_dir(&downloads)?;
    let there = sh.push_dir(&downloads);
    sh::run(cmd!(sh, "apt-get -qq {options...} download {current}"))?;
    drop(there);
    // Renamed when it is complete, so that an interrupted run leaves no half of it.
    let partial = downloads.join("content");
    match &sh.read_dir(&downloads)?[..] {
        [file] => sh::run(cmd!(sh, "dpkg -x {file} {partial}"))?,
        _ => bail!("{current} was not downloaded"),
    }
    std::fs::rename(partial, &content)?;
    sh.remove_path(&downloads)?;
    Ok(content)
}

/// apt's options. Another architecture has its own lists of packages, because the host's lists lack
/// it and must not change.
fn options(sh: &Shell, architecture: Architecture, own: &Path) -> Result<Vec<String>> {
    let user = "APT::Sandbox::User=root".to_owned();
    let native = sh::read(cmd!(sh, "dpkg --print-architecture"))?;
    let name = architecture.name();
    if native.trim() == name {
        return Ok(vec!["-o".into(), user]);
    }
    let [lists, cache] = ["lists", "cache"].map(|folder| own.join(folder));
    let fresh = !lists.exists();
    sh.create_dir(lists.join("partial"))?;
    sh.create_dir(cache.join("archives/partial"))?;
    let settings = [
        user,
        format!("Dir::State::lists={}", lists.display()),
        format!("Dir::Cache={}", cache.display()),
        format!("APT::Architecture={name}"),
        format!("APT::Architectures={name}"),
    ];
    let options = settings.map(|setting| ["-o".to_owned(), setting]).concat();
    let all = &options;
    if fresh && let Err(error) = sh::run(cmd!(sh, "apt-get -qq {all...} update")) {
        sh.remove_path(&lists)?;
        return Err(error);
    }
    Ok(options)
}
