//! The C library on a target: its test programs are compiled by the target's compilers, linked with
//! the archive, and run.

use super::build::{Build, Built, Program};
use super::target::{Compilers, How, folder};
use super::toolchain;
use crate::sh::Runner;
use crate::tally::Done;
use crate::{capi, sh};
use anyhow::{Result, anyhow};
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::Shell;

const C: [&str; 3] = ["examples/elapsed.c", "tests/native/inline.c", "tests/native/misuse.c"];
const CXX: [&str; 2] = ["examples/chrono.cpp", "tests/native/clock.cpp"];

/// Time limit for a program. Each takes less than a second, so one that takes this long hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// Builds the archive, and links each program with it.
pub fn build(build: &Build<'_>) -> Result<Vec<Program>> {
    let Some(compilers) = build.target.compilers else {
        return Ok(vec![]);
    };
    let cargo = build.cargo("rustc");
    let libraries =
        capi::build(cargo.args(["-p", "chronoscope-capi", "--crate-type", "staticlib"]))?;
    build.sh.create_dir(folder().join(build.target.triple).join("capi"))?;
    let (c, cxx) = match compilers {
        Compilers::Debian(c, cxx) => (vec![c.to_owned()], vec![cxx.to_owned()]),
        Compilers::Zig(target) => {
            toolchain::fetch(build.sh)?;
            (toolchain::compiler("cc", target), toolchain::compiler("c++", target))
        }
    };
    let c = C.map(|source| (source, &c, ["-std=c99", "-O2"]));
    let cxx = CXX.map(|source| (source, &cxx, ["-std=c++11", "-pthread"]));
    let all = c.into_iter().chain(cxx);
    Ok(all
        .map(|(source, compiler, options)| Program {
            source,
            program: compile(build, compiler, &options, source, &libraries),
        })
        .collect())
}

fn compile(
    build: &Build<'_>,
    compiler: &[String],
    options: &[&str],
    source: &str,
    libraries: &str,
) -> Result<PathBuf> {
    let name = Path::new(source).file_name().unwrap_or_default();
    let file = folder().join(build.target.triple).join("capi").join(name);
    let file = file.with_extension("exe");
    let capi = Path::new("crates/capi");
    let compiler = sh::words(build.sh, compiler)
        .envs(toolchain::env()?)
        .args(["-Wall", "-Wextra", "-Werror", "-pedantic"])
        .args(options)
        .arg("-I")
        .arg(capi.join("include"))
        .arg(capi.join(source))
        .arg("-o")
        .arg(&file)
        .arg(build.folder().join("libchronoscope.a"))
        .args(libraries.split_whitespace())
        // Wine does not search the folders of MinGW's libraries.
        .args(matches!(build.target.how, How::Wine).then_some("-static"));
    sh::read(compiler)?;
    Ok(file)
}

/// Runs each program with every value of `CHRONOSCOPE_SOURCE`.
pub fn run(sh: &Shell, runner: &Runner, built: &Built) -> Done {
    let mut done = Done::default();
    for Program { source, program } in &built.programs {
        let ran = match program {
            Ok(program) => with_every_source(sh, runner, program),
            Err(error) => Err(anyhow!("{error:#}")),
        };
        done.check(&format!("crates/capi/{source}"), ran);
    }
    done
}

/// By default, the library does not read an emulated counter, so the counter is also requested.
fn with_every_source(sh: &Shell, runner: &Runner, program: &Path) -> Result<()> {
    for from in ["auto", "os", "counter"] {
        let start = runner.start_within(sh, LIMIT, program);
        sh::read(start.env("CHRONOSCOPE_SOURCE", from))?;
    }
    Ok(())
}
