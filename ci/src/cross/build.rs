//! Builds for a target, in a folder of its own in `target`. Macros and build scripts run on the
//! host, so they are shared with native builds.
//!
//! QEMU's user-mode emulation of other processors.
//!
//! The tool starts itself (for the first read in a new process), and tests start the tool. The
//! kernel must therefore know, through `binfmt_misc`, how to start programs for that processor.
//! Since Linux 6.7, each user namespace has its own registrations
//! (Documentation/admin-guide/binfmt-misc.rst), so a new namespace leaves the host unchanged. An
//! older kernel needs a registration on the host.
//!
//! Wine has its own prefix, and a server that is stopped at the end.

use super::target::{How, Machine, Suites, Target, folder, named};
use super::toolchain;
use crate::PUBLISHED;
use crate::sh::{self, Runner};
use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::{Message, MetadataCommand};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use xshell::{Cmd, Shell, cmd};

/// What to build for each target.
#[derive(Clone, Copy, Default)]
pub struct Extent {
    /// Whether to build the test suites, in addition to the tool.
    pub suites: bool,
    /// Whether to make a release build, as users do.
    pub release: bool,
}

/// The package of the command-line tool.
const TOOL: &str = "chronoscope-cli";

/// A target that can be built.
pub struct Build<'a> {
    pub sh: &'a Shell,
    pub target: &'static Target,
    pub extent: Extent,
    cargo: PathBuf,
    env: Vec<(&'static str, OsString)>,
}

impl<'a> Build<'a> {
    pub fn new(sh: &'a Shell, target: &'static Target, extent: Extent) -> Result<Self> {
        let (mut cargo, mut env) = ("cargo".into(), Vec::new());
        if target.zig {
            cargo = toolchain::fetch(sh)?;
            env.extend(toolchain::env()?);
        }
        env.extend(target.env.iter().map(|(name, value)| (*name, value.into())));
        Ok(Self { sh, target, extent, cargo, env })
    }

    /// Builds a cargo command for the target.
    pub fn cargo(&self, what: &str) -> Cmd<'a> {
        let triple = self.target.triple;
        let variable = triple.replace('-', "_").to_uppercase();
        let flags = format!("CARGO_TARGET_{variable}_RUSTFLAGS");
        // It is optimised for what its tests simulate.
        let measure = "chronoscope-measure";
        let tested = self.extent.suites && named(self.target.suites.packages, measure);
        let plain = format!("profile.dev.package.{measure}.opt-level=0");
        self.sh
            .cmd(&self.cargo)
            .args([what, "--quiet", "--target", triple])
            .args(self.extent.release.then_some("--release"))
            .args((!tested).then_some(["--config", plain.as_str()]).into_iter().flatten())
            .envs(self.env.iter().cloned())
            // Warnings are errors, as they are for native code under clippy, which never sees the
            // code of other systems.
            .env(flags, format!("-Dwarnings {}", self.target.rustflags))
            // Nobody debugs these builds. Without debugging information, they take half the time
            // and a quarter of the space.
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_INCREMENTAL", "0")
    }

    /// The folder of the build's results.
    pub fn folder(&self) -> PathBuf {
        let profile = if self.extent.release { "release" } else { "debug" };
        sh::target().join(self.target.triple).join(profile)
    }

    /// Builds the tool, if it is to run, and the tests if requested. Returns the tests.
    pub fn tool_and_tests(&self) -> Result<Vec<Test>> {
        let Suites { packages, .. } = self.target.suites;
        let suites = self.extent.suites && !packages.is_empty();
        // Building the tests of the command line also builds the tool.
        let with_tool = suites && named(packages, TOOL);
        if let How::Library(packages, _) = self.target.how {
            self.check(packages)?;
        } else if !with_tool {
            self.run(self.cargo("build").args(["-p", TOOL]))?;
        }
        if !suites {
            return Ok(vec![]);
        }
        let cargo = self.cargo("test").args(["--no-run", "--lib"]);
        let cargo = cargo.args(with_tool.then_some("--bins"));
        let cargo = cargo.arg("--message-format=json-render-diagnostics");
        let text = sh::read_timed(cargo.args(self.selection()?));
        toolchain::tidy(self.sh)?;
        let mut tests = Vec::new();
        for message in Message::parse_stream(text?.as_bytes()) {
            if let Message::CompilerArtifact(artifact) = message?
                && artifact.profile.test
                && let Some(program) = artifact.executable
            {
                let folder = artifact.manifest_path.parent();
                tests.push(Test {
                    name: artifact.target.name,
                    program: program.into(),
                    folder: folder.context("the manifest has no parent folder")?.into(),
                });
            }
        }
        ensure!(!tests.is_empty(), "no tests were built");
        tests.sort_by(|a, b| (&a.folder, &a.name).cmp(&(&b.folder, &b.name)));
        Ok(tests)
    }

    /// The arguments that select the packages and their integration tests, except the excluded
    /// ones.
    fn selection(&self) -> Result<Vec<String>> {
        let suites = &self.target.suites;
        let metadata = MetadataCommand::new().no_deps().current_dir(sh::root()).exec()?;
        let mut unknown: Vec<&str> = suites
            .left_out
            .split_whitespace()
            .chain(suites.by_counter.split_whitespace())
            .collect();
        let mut args = Vec::new();
        for name in suites.packages.split_whitespace() {
            let package = metadata.packages.iter().find(|package| package.name == name);
            let package = package.with_context(|| format!("no package is named {name}"))?;
            args.extend(["-p".to_owned(), name.to_owned()]);
            for test in package.targets.iter().filter(|target| target.is_test()) {
                if !named(suites.left_out, &test.name) {
                    args.extend(["--test".to_owned(), test.name.clone()]);
                }
            }
        }
        for folder in metadata.packages.iter().filter_map(|package| package.manifest_path.parent())
        {
            unknown.retain(|name| !folder.join("tests").join(name).with_extension("rs").exists());
        }
        match unknown.first() {
            Some(name) => bail!("no file of tests is named `{name}`"),
            None => Ok(args),
        }
    }

    /// Runs `cargo check` on these packages.
    pub fn check(&self, packages: &[&str]) -> Result<()> {
        self.run(self.cargo("check").args(packages))
    }

    /// The results of the build, with these tests and C programs.
    pub fn built(&self, tests: Vec<Test>, programs: Vec<Program>) -> Built {
        Built { target: self.target, folder: self.folder(), tests, programs }
    }

    /// Links for macOS and checks that the result is a Mach-O executable.
    pub fn link(&self) -> Result<()> {
        self.run(self.cargo("build").args(PUBLISHED))?;
        let tool = self.built(vec![], vec![]).tool();
        let head = fs::read(&tool).with_context(|| format!("cannot read {}", tool.display()))?;
        // Mach-O, 64 bits, little-endian: <mach-o/loader.h>, MH_MAGIC_64.
        let is_mach_o = head.starts_with(&[0xcf, 0xfa, 0xed, 0xfe]);
        ensure!(is_mach_o, "{} is not a Mach-O executable", tool.display());
        println!("{} bytes of Mach-O, which cannot run on this machine", head.len());
        Ok(())
    }

    fn run(&self, cargo: Cmd<'_>) -> Result<()> {
        let ended = sh::run(cargo);
        toolchain::tidy(self.sh)?;
        ended
    }
}

/// The results of building a target.
pub struct Built {
    pub target: &'static Target,
    /// The folder of the tool and the libraries.
    pub folder: PathBuf,
    pub tests: Vec<Test>,
    pub programs: Vec<Program>,
}

impl Built {
    pub fn tool(&self) -> PathBuf {
        self.folder.join(match self.target.how {
            How::Wine => "chronoscope.exe",
            _ => "chronoscope",
        })
    }
}

pub struct Test {
    pub name: String,
    pub program: PathBuf,
    /// The folder in which cargo would run the test.
    pub folder: PathBuf,
}

impl Test {
    /// The listed files of tests, as modules, that this program contains with others.
    pub fn modules(&self, list: &str) -> Vec<String> {
        let file = |name: &str| self.folder.join("tests").join(name).with_extension("rs").exists();
        let listed = list.split_whitespace().filter(|name| self.name == "all" && file(name));
        listed.map(|name| format!("{name}::")).collect()
    }
}

/// A program in C or C++ that uses the library.
pub struct Program {
    /// The path of the program's source, relative to `crates/capi`.
    pub source: &'static str,
    pub program: Result<PathBuf>,
}

const BINFMT: &str = "/proc/sys/fs/binfmt_misc";

/// How to run programs for this processor.
pub fn qemu(sh: &Shell, machine: Machine) -> Result<Runner> {
    let library = ("QEMU_LD_PREFIX", machine.library.into());
    let known = Path::new(BINFMT).join(format!("qemu-{}", machine.name));
    if fs::read_to_string(known).is_ok_and(|state| state.starts_with("enabled")) {
        return Ok(Runner { env: vec![library], ..Runner::default() });
    }
    let file = format!("/usr/lib/binfmt.d/qemu-{}.conf", machine.name);
    let Ok(line) = fs::read_to_string(&file) else {
        bail!("{file}, by which the kernel knows how to run such programs, is missing");
    };
    let script = format!(
        "mount -t binfmt_misc none {BINFMT}\n\
         printf %s \"$CHRONOSCOPE_BINFMT\" > {BINFMT}/register\n\
         exec \"$0\" \"$@\""
    );
    let unshare = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec", &script];
    let runner = Runner {
        before: unshare.map(str::to_owned).to_vec(),
        env: vec![library, ("CHRONOSCOPE_BINFMT", line.trim().into())],
    };
    if let Err(error) = sh::read(runner.start(sh, Path::new("true"))) {
        bail!(
            "this kernel does not let a new namespace register qemu-{} ({error:#}): register it on \
             the host (systemd-binfmt, update-binfmts), or use Linux 6.7 or newer",
            machine.name
        );
    }
    Ok(runner)
}

/// A running Wine.
pub struct Wine {
    prefix: PathBuf,
}

/// Starts Wine, and creates its prefix if it does not exist.
pub fn wine(sh: &Shell) -> Result<Wine> {
    let wine = Wine { prefix: folder().join("wine") };
    let system = wine.prefix.join("drive_c/windows/system32");
    let made = system.join("kernel32.dll").exists();
    sh.create_dir(&wine.prefix)?;
    let runner = wine.programs();
    // Wine's server and services outlive the program that started them and keep its output open, so
    // whoever reads that output would wait for them too. They are therefore started beforehand. A
    // server left by an interrupted run works as well as a new one.
    let server = runner.start(sh, Path::new("wineserver"));
    sh::silent(server.arg("--persistent")).ok();
    let boot = if made { "--restart" } else { "--init" };
    sh::silent(runner.start(sh, Path::new("wineboot")).arg(boot))
        .context("Wine cannot create its prefix")?;
    let library = system.join("bcryptprimitives.dll");
    if !library.exists() {
        // Wine 8 lacks it.
        let source = "ci/src/cross/bcryptprimitives.c";
        sh::run(cmd!(sh, "x86_64-w64-mingw32-gcc -O2 -shared -o {library} {source} -ladvapi32"))?;
    }
    Ok(wine)
}

impl Wine {
    /// How to run Windows programs.
    pub fn runner(&self) -> Runner {
        Runner { before: vec!["wine".into()], ..self.programs() }
    }

    /// Ends Wine's own processes, which would otherwise run on for a while.
    pub fn end(self, sh: &Shell) {
        for end in ["--kill", "--wait"] {
            let server = self.programs().start(sh, Path::new("wineserver"));
            // The server may have ended already.
            sh::silent(server.arg(end)).ok();
        }
    }

    /// How to run Wine's own programs.
    fn programs(&self) -> Runner {
        Runner {
            env: vec![
                ("WINEPREFIX", self.prefix.clone().into()),
                ("WINEDEBUG", "-all".into()),
                // Disables .NET and the browser, which are not needed: Wine would open a window to
                // offer their installation.
                ("WINEDLLOVERRIDES", "mscoree=d;mshtml=d".into()),
                ("DISPLAY", "".into()),
            ],
            ..Runner::default()
        }
    }
}
