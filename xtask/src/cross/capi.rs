//! The library for C on a target: the programs of its own tests, compiled by the target's compilers,
//! linked with the archive, and run.

use super::target::{How, Target};
use super::toolchain::Toolchain;
use super::{Wish, cargo, profile};
use crate::suite::Done;
use crate::{capi, sh};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The compilers of a target, by their names on Debian.
pub struct Compilers {
    pub c: &'static str,
    pub cxx: &'static str,
}

const C: [&str; 3] = [
    "examples/elapsed.c",
    "tests/native/inline.c",
    "tests/native/misuse.c",
];
const CXX: [&str; 2] = ["examples/chrono.cpp", "tests/native/clock.cpp"];

/// None of them takes a second; what ends one that hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// Builds the archive and each program, and runs those by every source of time.
pub fn check(
    target: &Target,
    toolchain: &Toolchain,
    wish: Wish,
    start: impl Fn(&Path) -> Command,
) -> Result<Done> {
    let mut done = Done::default();
    let Some(compilers) = &target.compilers else {
        return Ok(done);
    };
    let mut build = cargo(target, toolchain, "rustc", wish);
    build.args(["-p", "chronoscope-capi", "--crate-type", "staticlib"]);
    let libraries = capi::build(&mut build)?;
    let built = super::folder().join(target.triple);
    let archive = built.join(profile(wish)).join("libchronoscope.a");
    let programs = built.join("capi");
    std::fs::create_dir_all(&programs)
        .with_context(|| format!("cannot make {}", programs.display()))?;
    let c = C.map(|source| (compilers.c, ["-std=c99", "-O2"], source));
    let cxx = CXX.map(|source| (compilers.cxx, ["-std=c++11", "-pthread"], source));
    for (compiler, options, source) in c.into_iter().chain(cxx) {
        let program = programs.join(Path::new(source).file_name().unwrap_or_default());
        let program = program.with_extension("exe");
        let compiled = compile(
            target, compiler, &options, source, &program, &archive, &libraries,
        );
        let ran = compiled.and_then(|()| {
            // Left to itself, the library does not read a counter that is emulated.
            for from in ["auto", "os", "counter"] {
                let mut command = start(&program);
                command.env("CHRONOSCOPE_SOURCE", from);
                sh::capture(&mut sh::within(LIMIT, &command))?;
            }
            Ok(())
        });
        match ran {
            Ok(()) => {
                println!("{source} by {compiler}: ok");
                done.tally.passed += 1;
            }
            Err(error) => {
                eprintln!("{source} by {compiler}: FAILED: {error:#}");
                done.tally.failed += 1;
            }
        }
    }
    Ok(done)
}

fn compile(
    target: &Target,
    compiler: &str,
    options: &[&str],
    source: &str,
    program: &PathBuf,
    archive: &Path,
    libraries: &str,
) -> Result<()> {
    let folder = sh::root().join("crates/capi");
    let mut command = sh::program(compiler);
    command
        .args(["-Wall", "-Wextra", "-Werror", "-pedantic"])
        .args(options)
        .arg("-I")
        .arg(folder.join("include"))
        .arg(folder.join(source))
        .arg("-o")
        .arg(program)
        .arg(archive)
        .args(libraries.split_whitespace());
    if matches!(target.how, How::Wine) {
        // Wine does not look where MinGW has its libraries.
        command.arg("-static");
    }
    sh::capture(&mut command).map(drop)
}
