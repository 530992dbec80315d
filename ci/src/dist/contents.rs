//! What an archive contains in addition to the tool.

use super::{TOOL, Target};
use crate::cross::toolchain;
use crate::sh;
use anyhow::{Context, Result, bail};
use cargo_metadata::{Metadata, MetadataCommand, Package, PackageId};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use toml::Table;
use xshell::{Shell, cmd};

/// Adds the documents, the licences of all that the tool contains, and a bill of materials.
pub fn add(sh: &Shell, target: &Target, folder: &Path) -> Result<()> {
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
pub fn list(sh: &Shell, target: &Target, folder: &Path, packages: &[&str]) -> Result<()> {
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
        if found.is_empty() {
            bail!("no text of a licence in {name}");
        }
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
