//! `cargo xtask dist`: what a release publishes. Archives, under the names that `cargo binstall`
//! expects, packages of distributions and of npm, and images of containers.
//!
//! A build has no time, user or path in it, so whoever builds the same commit with the same
//! compilers gets the same bytes.
//!
//! `cargo xtask dist --check`: the host's tool is built twice as a release is, and what is
//! published of it is installed and run. The step `dist` of the tests builds only the library for
//! C twice, which takes a minute instead of 25.

pub mod formats;

use crate::cross::{self, toolchain};
use crate::packages::{self, Need};
use crate::sh::{self, Runner};
use crate::tally::Done;
use crate::{disasm, tool};
use anyhow::{Context, Result, bail, ensure};
use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::{Cmd, Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Targets, as a triple or part of one; all of them by default
    #[arg(long = "target")]
    targets: Vec<String>,
    /// Build a second time, in another folder, and fail unless all files are the same
    #[arg(long)]
    twice: bool,
    /// Build this machine's files twice, install them and run them, instead of making a release
    #[arg(long, conflicts_with_all = ["targets", "twice", "url"])]
    check: bool,
    /// Also write the manifests of other package managers, into target/archives/channels, for
    /// archives that can be downloaded from this folder: https://…/releases/download/vVERSION
    #[arg(long)]
    url: Option<String>,
}

struct Target {
    triple: &'static str,
    /// The oldest glibc that it runs with, if it needs one.
    oldest: &'static str,
    /// nfpm's name for the processor, which is Go's; empty where nfpm packs nothing.
    arch: &'static str,
    /// The end of the name of its package of npm: what Node calls the system and the processor, and
    /// the C library if it is not glibc.
    node: &'static str,
}

impl Target {
    const fn new(
        triple: &'static str,
        oldest: &'static str,
        arch: &'static str,
        node: &'static str,
    ) -> Self {
        Self { triple, oldest, arch, node }
    }

    fn is_linux(&self) -> bool {
        self.triple.contains("-linux-")
    }

    fn is_windows(&self) -> bool {
        self.triple.contains("-windows-")
    }

    fn program(&self) -> &'static str {
        if self.is_windows() { "chronoscope.exe" } else { "chronoscope" }
    }

    fn archive(&self) -> String {
        let ending = if self.is_windows() { "zip" } else { "tar.gz" };
        format!("{}.{ending}", stem(self.triple))
    }
}

/// The name of a target's archive without its ending, which is the folder in it, too.
fn stem(triple: &str) -> String {
    format!("chronoscope-cli-{triple}-v{VERSION}")
}

/// The names of all archives of a release.
pub fn archives() -> impl Iterator<Item = String> {
    TARGETS.iter().map(Target::archive)
}

/// zig links all but the one for Windows.
const TARGETS: [Target; 8] = [
    Target::new("x86_64-unknown-linux-gnu", ".2.17", "amd64", "linux-x64"),
    Target::new("x86_64-unknown-linux-musl", "", "amd64", "linux-x64-musl"),
    Target::new("aarch64-unknown-linux-gnu", ".2.17", "arm64", "linux-arm64"),
    Target::new("aarch64-unknown-linux-musl", "", "arm64", "linux-arm64-musl"),
    Target::new("armv7-unknown-linux-gnueabihf", ".2.17", "arm7", "linux-arm"),
    Target::new("x86_64-pc-windows-gnu", "", "", "win32-x64"),
    Target::new("aarch64-apple-darwin", "", "", "darwin-arm64"),
    Target::new("x86_64-apple-darwin", "", "", "darwin-x64"),
];

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The crate of the tool, with the features that are on by default.
const TOOL: [&str; 2] = ["-p", "chronoscope-cli"];

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    if args.check {
        packages::require(sh, &[Need::Build, Need::Zig, Need::Dist, Need::Installed])?;
        let done = whole(sh)?;
        println!("\n{} passed, {} failed", done.passed, done.failed);
        ensure!(done.failed == 0, "{}", done.reasons.join("; "));
        return Ok(());
    }
    let wanted = |triple: &str| {
        args.targets.is_empty() || args.targets.iter().any(|part| triple.contains(&**part))
    };
    let chosen: Vec<_> = TARGETS.iter().filter(|target| wanted(target.triple)).collect();
    ensure!(
        !chosen.is_empty(),
        "no such target; all are {:?}",
        TARGETS.map(|target| target.triple)
    );
    if let Some(url) = &args.url {
        ensure!(url.ends_with(&format!("/v{VERSION}")), "this is version {VERSION}, not {url}");
    }
    packages::require(sh, &[Need::Build, Need::Zig, Need::Dist])?;
    let folder = sh::target().join("archives");
    let sums = release(sh, sh::root(), &folder, &chosen)?;
    for target in &chosen {
        let done = cross::smoke(sh, target.triple, &shipped(sh::root(), target))?;
        println!("{}: {}", target.triple, done.word());
        ensure!(done.failed == 0, "{}: {}", target.triple, done.reasons.join("; "));
    }
    if args.twice {
        let copy = copied(sh)?;
        let again = release(sh, &copy, &copy.join("target/archives"), &chosen)?;
        ensure!(sums == again, "two builds differ:\n{sums}{again}");
    }
    println!("{sums}");
    if let Some(url) = &args.url {
        let to = sh::target().join("archives/channels");
        for manager in formats::CHANNELS {
            if let Err(error) = formats::channel(sh, manager, &sums, url, &to) {
                println!("{manager}: left out: {error:#}");
            }
        }
    }
    Ok(())
}

/// Makes all files of a release from the sources in `root`, and returns their hashes.
fn release(sh: &Shell, root: &Path, folder: &Path, chosen: &[&Target]) -> Result<String> {
    let _inside = sh.push_dir(root);
    sh.remove_path(folder)?;
    for target in chosen {
        let Target { triple, .. } = target;
        toolchain::provide(sh, triple)?;
        let name = stem(triple);
        let inside = folder.join(&name);
        sh.create_dir(&inside)?;
        // Symbols are needed to look at its loops. By default, cargo asks for less, and zig then
        // removes all of them.
        let program = ["--bin", "chronoscope", "--", "-Cstrip=none"];
        // For macOS it lists where its libraries were, unless it links without symbols.
        let bare = triple.contains("-apple-").then_some("-Clink-arg=-s");
        sh::run(cargo(sh, root, target, "")?.args(TOOL).args(program).args(bare))?;
        toolchain::tidy(sh)?;
        ship(sh, root, target)?;
        sh.copy_file(shipped(root, target), &inside)?;
        formats::add(sh, target, &inside)?;
        formats::npm(sh, target, &inside, folder)?;
        if target.is_linux() {
            formats::distributions(sh, root, target, &inside, folder)?;
            formats::wheel(sh, root, target, &inside, folder)?;
        }
        if triple.ends_with("musl") {
            formats::image(sh, target, &inside, folder)?;
        }
        let archive = folder.join(target.archive());
        if target.is_windows() {
            zip(sh, folder, &name, &archive)?;
        } else {
            pack(sh, folder, &[&name], &archive, &["--use-compress-program=gzip -9n"])?;
        }
    }
    formats::npm_shim(sh, folder)?;
    formats::wheel_sources(sh, root, folder)?;
    let _there = sh.push_dir(folder);
    let names = sh.read_dir(folder)?.into_iter().filter(|path| path.is_file());
    let names: Vec<_> = names.filter_map(|path| Some(path.file_name()?.to_owned())).collect();
    let sums = sh::read(cmd!(sh, "sha256sum {names...}"))?;
    sh.write_file("SHA256SUMS", &sums)?;
    Ok(sums)
}

/// Where everything is after a build.
fn built(root: &Path, triple: &str) -> PathBuf {
    root.join("target").join(triple).join("dist")
}

/// The tool as it is shipped.
fn shipped(root: &Path, target: &Target) -> PathBuf {
    built(root, target.triple).join("shipped").join(target.program())
}

/// Makes the tool that is shipped of the one that was built.
fn ship(sh: &Shell, root: &Path, target: &Target) -> Result<()> {
    let (from, to) = (built(root, target.triple).join(target.program()), shipped(root, target));
    if target.is_linux() || target.is_windows() {
        return strip(sh, "--strip-all", &from, &to);
    }
    // macOS on Apple's processors starts only what is as its linker signed it.
    sh.create_dir(to.parent().context("a program without a folder")?)?;
    Ok(sh.copy_file(from, to)?)
}

/// The cargo command that builds for a target with an additional flag. It lacks the package to
/// build.
fn cargo<'a>(sh: &'a Shell, root: &Path, target: &Target, flag: &str) -> Result<Cmd<'a>> {
    let Target { triple, oldest, .. } = target;
    let cargo = if target.is_windows() { "cargo".into() } else { toolchain::fetch(sh)? };
    let target_option = format!("{triple}{oldest}");
    let options = ["--quiet", "--locked", "--profile", "dist", "--target", &target_option];
    with_settings(sh, root, target, flag, cmd!(sh, "{cargo} rustc {options...}"))
}

/// The flag with which a shared library can be built: musl is part of a program by default.
fn shared(target: &Target) -> &'static str {
    if target.oldest.is_empty() { "-Ctarget-feature=-crt-static" } else { "" }
}

/// A command that builds for a target, with zig, and without paths in what it builds.
fn with_settings<'a>(
    sh: &Shell,
    root: &Path,
    target: &Target,
    flag: &str,
    mut build: Cmd<'a>,
) -> Result<Cmd<'a>> {
    let home = sh::cargo_home()?.join("registry/src");
    let std = sysroot(sh)?.join("lib/rustlib/src/rust");
    let from = [(root, "."), (&home, "registry"), (&std, "rust")];
    let flags = from.map(|(path, name)| format!("--remap-path-prefix={}={name}", path.display()));
    let variable = target.triple.replace('-', "_").to_uppercase();
    let mut flags = format!("{} {flag}", flags.join(" "));
    if target.is_windows() {
        flags += " -Clink-arg=-Wl,--no-insert-timestamp";
        build = build.envs(cross::env(target.triple)?.iter().copied());
    }
    let build = build.env(format!("CARGO_TARGET_{variable}_RUSTFLAGS"), flags.trim());
    Ok(build.envs(toolchain::env()?).env("CARGO_TARGET_DIR", root.join("target")))
}

fn sysroot(sh: &Shell) -> Result<PathBuf> {
    Ok(sh::read(cmd!(sh, "rustc --print sysroot"))?.trim().into())
}

/// Copies a program or library without what it does not need, by a tool that comes with Rust.
fn strip(sh: &Shell, what: &str, from: &Path, to: &Path) -> Result<()> {
    let lib = sysroot(sh)?.join("lib");
    let host = format!("rustlib/{}-unknown-linux-gnu/bin/rust-objcopy", env::consts::ARCH);
    let objcopy = lib.join(host);
    if let Some(folder) = to.parent() {
        sh.create_dir(folder)?;
    }
    sh::read(cmd!(sh, "{objcopy} {what} {from} {to}").env("LD_LIBRARY_PATH", lib)).map(drop)
}

/// When the last commit was made, in one of git's formats.
fn committed(sh: &Shell, format: &str) -> Result<String> {
    let repository = sh::root();
    let time = sh::read(cmd!(sh, "git -C {repository} log -1 --format={format}"))?;
    Ok(time.trim().to_owned())
}

/// Packs these parts of a folder, with the time of the last commit and without a user, and removes
/// them.
fn pack(sh: &Shell, of: &Path, parts: &[&str], archive: &Path, compress: &[&str]) -> Result<()> {
    let _there = sh.push_dir(of);
    let time = format!("--mtime=@{}", committed(sh, "%ct")?);
    let own = ["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX", "--format=ustar"];
    let how = ["--sort=name", "--remove-files", "--create", "--file"];
    sh::run(cmd!(sh, "tar {compress...} {own...} {time} {how...} {archive} {parts...}"))
}

/// Packs a folder as Windows unpacks it, with the time of the last commit, and removes it.
fn zip(sh: &Shell, of: &Path, name: &str, archive: &Path) -> Result<()> {
    let _there = sh.push_dir(of);
    let time = format!("@{}", committed(sh, "%ct")?);
    let touch = ["-exec", "touch", "--date", &time, "{}", "+"];
    sh::read(cmd!(sh, "find {name} {touch...}"))?;
    let files = sh::read(cmd!(sh, "find {name} -type f"))?;
    let mut files: Vec<_> = files.lines().collect();
    files.sort_unstable();
    let how = ["-q", "-X", "-9", "-@"];
    let zip = cmd!(sh, "zip {how...} {archive}").env("TZ", "UTC");
    sh::read(zip.stdin(files.join("\n")))?;
    Ok(sh.remove_path(name)?)
}

/// Copies the sources, with changes that are not committed, to a folder of their own.
fn copied(sh: &Shell) -> Result<PathBuf> {
    let copy = sh::target().join("twice");
    sh.remove_path(&copy)?;
    let files = sh::read(cmd!(sh, "git ls-files -co --exclude-standard"))?;
    for file in files.lines().filter(|file| sh.path_exists(file)) {
        let to = copy.join(file);
        let Some(parent) = to.parent() else { bail!("{file} has no folder") };
        sh.create_dir(parent)?;
        sh.copy_file(file, to)?;
    }
    Ok(copy)
}

/// The scripts that install what is published, and run it.
const SCRIPTS: [&str; 4] = ["distributions.py", "npm.py", "image.py", "wheel.py"];
/// Checks that take this long hang.
const LIMIT: Duration = Duration::from_secs(900);

pub fn whole(sh: &Shell) -> Result<Done> {
    let folder = sh::target().join("dist-suite");
    let (dynamic, alone) = ([host("gnu")?], [host("musl")?]);
    let (first, second) = (folder.join("dynamic"), folder.join("again"));
    let mut done = Done::default();

    let sums = release(sh, sh::root(), &first, &dynamic)?;
    for target in &dynamic {
        let tool = shipped(sh::root(), target);
        let symbols = built(sh::root(), target.triple).join(target.program());
        done += disasm::stripped(sh, &tool, &symbols)?;
        done += tool::smoke(sh, &Runner::default(), &tool);
    }
    let again = copied(sh).and_then(|copy| release(sh, &copy, &second, &dynamic));
    done.check("the same bytes, built in two folders", again.and_then(|again| same(&sums, &again)));

    // Optimising the whole program takes longest, and is tried above.
    let quick = sh.push_env("CARGO_PROFILE_DIST_LTO", "off");
    let (first, second) = (folder.join("static"), folder.join("again"));
    let sums = release(sh, sh::root(), &first, &alone)?;
    let again = release(sh, sh::root(), &second, &alone);
    done.check("the same bytes, packed twice", again.and_then(|again| same(&sums, &again)));
    drop(quick);

    for script in SCRIPTS {
        let path = sh::root().join("ci/src/dist").join(script);
        let scratch = sh.create_temp_dir()?;
        let checks = sh::limited(sh, LIMIT).args(["python3", "-B"]).arg(path);
        let checks = checks.arg(&folder).arg(scratch.path()).arg(VERSION);
        done.checks(script, checks.env("PYTHONPATH", sh::root().join("ci/src")));
    }
    Ok(done)
}

/// This machine's target with one of the C libraries.
fn host(library: &str) -> Result<&'static Target> {
    let triple = format!("{}-unknown-linux-{library}", env::consts::ARCH);
    let found = TARGETS.iter().find(|target| target.triple == triple);
    found.with_context(|| format!("nothing is released for {triple}"))
}

/// The step of the tests.
pub fn library(sh: &Shell) -> Result<Done> {
    let target = host("gnu")?;
    let folder = sh.create_temp_dir()?;
    let made = |root: &Path, name: &str| -> Result<String> {
        let _inside = sh.push_dir(root);
        let to = folder.path().join(name);
        formats::libraries(sh, root, target, &to)?;
        let _there = sh.push_dir(to);
        sh::read(cmd!(sh, "sha256sum libchronoscope.so libchronoscope.a"))
    };
    let first = made(sh::root(), "first")?;
    same(&first, &made(&copied(sh)?, "second")?)?;
    print!("{first}");
    Ok(Done::one())
}

fn same(first: &str, second: &str) -> Result<()> {
    ensure!(first == second, "they differ:\n{first}{second}");
    Ok(())
}
