//! `cargo xtask install-capi`: the library, its headers and its pkg-config file, where C programs
//! look for them.

use crate::sh;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {
    /// The folder under which lib/ and include/ lie when it is used
    #[arg(long, default_value = "/usr/local")]
    prefix: PathBuf,
    /// Puts everything under this folder instead of the root, for whoever makes a package
    #[arg(long)]
    destdir: Option<PathBuf>,
    /// Not optimised
    #[arg(long)]
    debug: bool,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

const HEADERS: [&str; 2] = ["chronoscope.h", "chronoscope.hpp"];

pub fn run(args: &Args) -> Result<()> {
    if !args.prefix.is_absolute() {
        bail!("the prefix must be an absolute path: programs look for it from anywhere");
    }
    let mut cargo = sh::cargo();
    cargo.args(["rustc", "-p", "chronoscope-capi"]);
    if !args.debug {
        cargo.arg("--release");
    }
    let libraries = build(&mut cargo)?;
    let root = match &args.destdir {
        // `join` would throw the left side away for an absolute right one.
        Some(folder) => folder.join(args.prefix.strip_prefix("/").unwrap_or(&args.prefix)),
        None => args.prefix.clone(),
    };
    let lib = root.join("lib");
    let source = sh::root().join("crates/capi");

    for name in HEADERS {
        copy(
            &source.join("include").join(name),
            &root.join("include").join(name),
        )?;
    }
    let built = sh::target().join(if args.debug { "debug" } else { "release" });
    for (from, to, links) in files() {
        copy(&built.join(from), &lib.join(&to))?;
        for link in links {
            symlink(&to, &lib.join(link))?;
        }
    }
    let template = fs::read_to_string(source.join("chronoscope.pc.in"))?;
    let filled = fill(&template, &args.prefix, &libraries)?;
    write(&lib.join("pkgconfig/chronoscope.pc"), filled)
}

/// Builds the library by a `cargo rustc`; returns what else the static one has to be linked with, as
/// the compiler tells it.
pub fn build(cargo: &mut Command) -> Result<String> {
    cargo.args(["--", "--print", "native-static-libs"]);
    let out = cargo.output().context("cannot run cargo")?;
    let words = String::from_utf8_lossy(&out.stderr);
    if !out.status.success() {
        bail!("crates/capi cannot be built\n{}", words.trim());
    }
    let told = words
        .lines()
        .find_map(|line| line.split_once("native-static-libs:"));
    let (_, libraries) =
        told.context("the compiler does not tell what the static library has to be linked with")?;
    Ok(libraries.trim().to_owned())
}

/// What is built, what it is called where it is installed, and further names of it: for who links
/// (without a version), and for who runs (the version of the interface, as build.rs has it).
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
        // Made for programs of MinGW: the library to link with is not the one that runs.
        return vec![
            archive,
            ("chronoscope.dll", "../bin/chronoscope.dll".into(), vec![]),
            (
                "libchronoscope.dll.a",
                "libchronoscope.dll.a".into(),
                vec![],
            ),
        ];
    } else if cfg!(target_os = "macos") {
        (
            "libchronoscope.dylib",
            format!("libchronoscope.{VERSION}.dylib"),
            names("libchronoscope", "dylib"),
        )
    } else {
        (
            "libchronoscope.so",
            format!("libchronoscope.so.{VERSION}"),
            names("libchronoscope", "so"),
        )
    };
    vec![archive, shared]
}

/// The pkg-config file; an error when a place is left that nothing fills.
fn fill(template: &str, prefix: &Path, libraries: &str) -> Result<String> {
    let prefix = prefix.to_str().context("the prefix is not UTF-8")?;
    let filled = template
        .replace("@PREFIX@", prefix)
        .replace("@VERSION@", VERSION)
        .replace("@LIBS_PRIVATE@", libraries);
    match filled.split('@').nth(1) {
        Some(left) => bail!("nothing fills @{left}@ of chronoscope.pc.in, or the prefix has an @"),
        None => Ok(filled),
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let content = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    // A program that runs may have the old one open: it keeps it, under no name.
    fs::remove_file(to).ok();
    write(to, content)
}

fn write(to: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    sh::write(to, content)?;
    println!("{}", to.display());
    Ok(())
}

#[cfg(unix)]
fn symlink(to: &str, link: &Path) -> Result<()> {
    fs::remove_file(link).ok();
    std::os::unix::fs::symlink(to, link)
        .with_context(|| format!("cannot make {}", link.display()))?;
    println!("{} -> {to}", link.display());
    Ok(())
}

/// There are no further names on Windows.
#[cfg(not(unix))]
fn symlink(to: &str, link: &Path) -> Result<()> {
    bail!("{} cannot be made a link to {to} here", link.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_the_template_is_filled() {
        let filled = fill(
            "prefix=@PREFIX@\nlibdir=${prefix}/lib\nVersion: @VERSION@\nLibs.private: @LIBS_PRIVATE@",
            Path::new("/opt/c"),
            "-lm",
        );
        assert_eq!(
            filled.unwrap(),
            format!("prefix=/opt/c\nlibdir=${{prefix}}/lib\nVersion: {VERSION}\nLibs.private: -lm")
        );
        fill("@WHAT@", Path::new("/"), "").unwrap_err();
    }
}
