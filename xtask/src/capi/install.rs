//! `cargo xtask install-capi`: installs the library, its headers and its pkg-config file where C
//! programs look for them.

use crate::sh;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use xshell::{Cmd, Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Folder that contains lib/ and include/ when the library is used
    #[arg(long, default_value = "/usr/local")]
    prefix: PathBuf,
    /// Install below this folder instead of the root, to build a package
    #[arg(long)]
    destdir: Option<PathBuf>,
    /// Build without optimisation
    #[arg(long)]
    debug: bool,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

const HEADERS: [&str; 2] = ["chronoscope.h", "chronoscope.hpp"];

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    if !args.prefix.is_absolute() {
        bail!("the prefix must be an absolute path, because programs use it from any folder");
    }
    let release = (!args.debug).then_some("--release");
    let libraries = build(cmd!(sh, "cargo rustc -p chronoscope-capi {release...}"))?;
    let root = match &args.destdir {
        // `join` with an absolute path would drop the folder.
        Some(folder) => folder.join(args.prefix.strip_prefix("/").unwrap_or(&args.prefix)),
        None => args.prefix.clone(),
    };
    let lib = root.join("lib");
    let source = sh::root().join("crates/capi");

    for name in HEADERS {
        let to = root.join("include").join(name);
        copy(sh, &source.join("include").join(name), &to)?;
    }
    let built = sh::target().join(if args.debug { "debug" } else { "release" });
    for (from, to, links) in files() {
        copy(sh, &built.join(from), &lib.join(&to))?;
        for link in links {
            symlink(&to, &lib.join(link))?;
        }
    }
    let template = sh.read_file(source.join("chronoscope.pc.in"))?;
    let filled = fill(&template, &args.prefix, &libraries)?;
    write(sh, &lib.join("pkgconfig/chronoscope.pc"), filled)
}

/// Builds the library with this `cargo rustc` command. Returns the other libraries that programs
/// need to link when they link the static library, as the compiler reports them.
pub fn build(cargo: Cmd<'_>) -> Result<String> {
    let (_, words) = sh::read_both(cargo.args(["--", "--print", "native-static-libs"]))?;
    let (_, libraries) = words
        .lines()
        .find_map(|line| line.split_once("native-static-libs:"))
        .context("the compiler does not report what to link with the static library")?;
    Ok(libraries.trim().to_owned())
}

/// For each file: its name in the build folder, its installed name, and the names of symbolic links
/// to it. One link is for linking (no version) and one for running (the version of the interface,
/// as in build.rs).
fn files() -> Vec<(&'static str, String, Vec<String>)> {
    let major = VERSION.split('.').next().unwrap_or(VERSION);
    let archive = ("libchronoscope.a", "libchronoscope.a".to_owned(), vec![]);
    let names = |stem: &str, end: &str| {
        let links = ["".to_owned(), format!(".{major}")].map(|version| match end {
            "so" => format!("{stem}.so{version}"),
            _ => format!("{stem}{version}.{end}"),
        });
        links.to_vec()
    };
    let shared = if cfg!(windows) {
        // MinGW links with a different file than the one that runs.
        let import = "libchronoscope.dll.a";
        return vec![
            archive,
            ("chronoscope.dll", "../bin/chronoscope.dll".into(), vec![]),
            (import, import.into(), vec![]),
        ];
    } else if cfg!(target_os = "macos") {
        (
            "libchronoscope.dylib",
            format!("libchronoscope.{VERSION}.dylib"),
            names("libchronoscope", "dylib"),
        )
    } else {
        ("libchronoscope.so", format!("libchronoscope.so.{VERSION}"), names("libchronoscope", "so"))
    };
    vec![archive, shared]
}

/// Fills in the pkg-config file. Fails if a placeholder remains.
fn fill(template: &str, prefix: &Path, libraries: &str) -> Result<String> {
    let prefix = prefix.to_str().context("the prefix is not UTF-8")?;
    let filled = template
        .replace("@PREFIX@", prefix)
        .replace("@VERSION@", VERSION)
        .replace("@LIBS_PRIVATE@", libraries);
    match filled.split('@').nth(1) {
        Some(left) => {
            bail!("unknown placeholder @{left}@ in chronoscope.pc.in, or an @ in the prefix")
        }
        None => Ok(filled),
    }
}

fn copy(sh: &Shell, from: &Path, to: &Path) -> Result<()> {
    let content = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    // A running program keeps the old file, which only loses its name.
    fs::remove_file(to).ok();
    write(sh, to, content)
}

fn write(sh: &Shell, to: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    sh.write_file(to, content)?;
    println!("{}", to.display());
    Ok(())
}

#[cfg(unix)]
fn symlink(to: &str, link: &Path) -> Result<()> {
    fs::remove_file(link).ok();
    std::os::unix::fs::symlink(to, link)
        .with_context(|| format!("cannot create {}", link.display()))?;
    println!("{} -> {to}", link.display());
    Ok(())
}

/// No symbolic links are installed on Windows.
#[cfg(not(unix))]
fn symlink(to: &str, link: &Path) -> Result<()> {
    bail!("cannot create the symbolic link {} to {to} on this system", link.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_is_filled() {
        let template = "prefix=@PREFIX@\nVersion: @VERSION@\nLibs.private: @LIBS_PRIVATE@";
        let filled = fill(template, Path::new("/opt/c"), "-lm").unwrap();
        assert_eq!(filled, format!("prefix=/opt/c\nVersion: {VERSION}\nLibs.private: -lm"));
        fill("@WHAT@", Path::new("/"), "").unwrap_err();
    }
}
