//! Checks the licences, sources and versions of all dependencies against deny.toml.
//!
//! If `cargo deny` is installed, it does the checking. It takes minutes to compile, so CI machines
//! lack it. There, this module reads the same file and checks the rules that need nothing but
//! `cargo metadata`. Advisories need a network: use `cargo deny check advisories`.

use crate::sh;
use anyhow::{Context, Result, bail};
use cargo_metadata::{Metadata, MetadataCommand, Package};
use serde::Deserialize;
use spdx::{Expression, LicenseReq, ParseMode};
use xshell::{Shell, cmd};

#[derive(Deserialize)]
struct Rules {
    licenses: Licenses,
    sources: Sources,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
    #[serde(default)]
    exceptions: Vec<Exception>,
}

#[derive(Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    name: String,
    allow: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

pub fn run(sh: &Shell) -> Result<()> {
    if sh::has("cargo-deny") {
        return sh::run(cmd!(sh, "cargo deny check bans licenses sources"));
    }
    let text = sh.read_file("deny.toml")?;
    let rules = toml::from_str(&text).context("cannot read deny.toml")?;
    let metadata = MetadataCommand::new()
        .current_dir(sh::root())
        .other_options(["--all-features".into(), "--locked".into()])
        .exec()?;
    let faults = faults(&rules, &metadata)?;
    for fault in &faults {
        eprintln!("{fault}");
    }
    if !faults.is_empty() {
        bail!("violations of deny.toml: {}", faults.len());
    }
    let packages = metadata.packages.len();
    println!("{packages} packages: licences, sources and versions comply with deny.toml");
    Ok(())
}

fn faults(rules: &Rules, metadata: &Metadata) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for package in &metadata.packages {
        let name = format!("{} {}", package.name, package.version);
        if let Some(fault) = licence_fault(&rules.licenses, package)? {
            faults.push(format!("{name}: {fault}"));
        }
        match &package.source {
            Some(source) => {
                let registry = source.repr.strip_prefix("registry+");
                let known = |url| rules.sources.allow_registry.iter().any(|known| known == url);
                if !registry.is_some_and(known) {
                    faults.push(format!("{name}: source {source} is not allowed"));
                }
            }
            // A package of this workspace.
            None => {
                let any = |version: &str| version == "*";
                let dependencies = package.dependencies.iter();
                let wild = dependencies.filter(|it| any(&it.req.to_string()) && it.path.is_none());
                faults.extend(wild.map(|it| format!("{name}: allows any version of {}", it.name)));
            }
        }
    }
    Ok(faults)
}

/// Why the licence of a package is not allowed; `None` if it is.
fn licence_fault(rules: &Licenses, package: &Package) -> Result<Option<String>> {
    let Some(licence) = &package.license else {
        return Ok(Some("has no licence".into()));
    };
    let expression = match Expression::parse_mode(licence, ParseMode::LAX) {
        Ok(expression) => expression,
        Err(error) => {
            return Ok(Some(format!("invalid licence `{licence}`: {}", error.reason)));
        }
    };
    let mut allowed = Vec::new();
    let exceptions = rules.exceptions.iter();
    let exceptions = exceptions.filter(|exception| package.name == exception.name);
    for name in rules.allow.iter().chain(exceptions.flat_map(|it| &it.allow)) {
        let parsed = Expression::parse(name)
            .with_context(|| format!("deny.toml allows `{name}`, which is not a licence"))?;
        allowed.extend(parsed.requirements().map(|it| it.req.clone()));
    }
    let allowed = |wanted: &LicenseReq| allowed.contains(wanted);
    Ok((!expression.evaluate(allowed)).then(|| format!("licence {licence} is not allowed")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const HOME: Option<&str> = Some("registry+https://registry");

    fn found(name: &str, license: Option<&str>, source: Option<&str>) -> Vec<String> {
        let rules = toml::from_str(
            r#"
            [licenses]
            allow = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"]
            exceptions = [{ crate = "odd", allow = ["MPL-2.0"] }]
            [sources]
            allow-registry = ["https://registry"]
            "#,
        );
        let any = json!({
            "name": "any", "req": "*", "kind": null, "optional": false, "features": [],
            "uses_default_features": true, "source": null, "target": null, "rename": null,
            "registry": null, "path": null,
        });
        let package = json!({
            "name": name, "version": "1.0.0", "id": name, "license": license, "source": source,
            "dependencies": [any], "targets": [], "features": {}, "manifest_path": "/Cargo.toml",
        });
        let metadata = json!({
            "packages": [package], "workspace_members": [], "resolve": null, "version": 1,
            "workspace_root": "/", "target_directory": "/target",
        });
        let metadata = serde_json::from_value(metadata).unwrap();
        faults(&rules.unwrap(), &metadata).unwrap()
    }

    #[test]
    fn allowed_licences_pass() {
        for licence in
            ["MIT", "MIT/Apache-2.0", "GPL-3.0-only OR MIT", "Apache-2.0 WITH LLVM-exception"]
        {
            assert_eq!(found("fine", Some(licence), HOME), [""; 0], "{licence}");
        }
        assert_eq!(found("odd", Some("MPL-2.0"), HOME), [""; 0]);
    }

    #[test]
    fn everything_else_is_reported() {
        for licence in [
            Some("MPL-2.0"),
            Some("MIT AND GPL-3.0-only"),
            Some("GPL-2.0-only WITH Classpath-exception-2.0"),
            Some("whatever"),
            None,
        ] {
            assert_eq!(found("bad", licence, HOME).len(), 1, "{licence:?}");
        }
        assert_eq!(found("far", Some("MIT"), Some("git+https://x")).len(), 1);
        assert_eq!(found("ours", Some("MIT"), None).len(), 1, "a wildcard");
    }
}
