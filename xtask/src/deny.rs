//! Licences and sources of all dependencies, against deny.toml.
//!
//! `cargo deny` is asked where it is installed. Elsewhere, as it is not part of a toolchain, the
//! rules that need nothing but `cargo metadata` are checked here, from the same file, so that they
//! are never left unchecked. Advisories need a network and are for `cargo deny check advisories`.

use crate::sh;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use spdx::{Expression, LicenseReq, ParseMode};
use std::fs;

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

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    /// Absent for what lies in this workspace.
    source: Option<String>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    req: String,
    path: Option<String>,
}

pub fn run() -> Result<()> {
    if sh::find("cargo-deny").is_some() {
        return sh::run(sh::cargo().args(["deny", "check", "bans", "licenses", "sources"]));
    }
    let path = sh::root().join("deny.toml");
    let text = fs::read_to_string(&path).context("deny.toml cannot be read")?;
    let rules = toml::from_str(&text).context("deny.toml is not as it should be")?;
    let metadata = sh::capture(sh::cargo().args([
        "metadata",
        "--format-version",
        "1",
        "--all-features",
        "--locked",
    ]))?;
    let metadata: Metadata = serde_json::from_str(&metadata).context("cargo metadata")?;
    let faults = faults(&rules, &metadata)?;
    for fault in &faults {
        eprintln!("{fault}");
    }
    if !faults.is_empty() {
        bail!(
            "{} of the dependencies are not as deny.toml allows",
            faults.len()
        );
    }
    println!(
        "{} packages: licences, sources and versions are as deny.toml allows",
        metadata.packages.len()
    );
    Ok(())
}

fn faults(rules: &Rules, metadata: &Metadata) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for package in &metadata.packages {
        let Package { name, version, .. } = package;
        if let Some(fault) = licence_fault(&rules.licenses, package)? {
            faults.push(format!("{name} {version}: {fault}"));
        }
        match &package.source {
            Some(source) => {
                let known = source.strip_prefix("registry+").is_some_and(|url| {
                    rules
                        .sources
                        .allow_registry
                        .iter()
                        .any(|known| known == url)
                });
                if !known {
                    faults.push(format!("{name} {version}: comes from {source}"));
                }
            }
            None => faults.extend(
                package
                    .dependencies
                    .iter()
                    .filter(|dependency| dependency.req == "*" && dependency.path.is_none())
                    .map(|dependency| format!("{name}: takes any version of {}", dependency.name)),
            ),
        }
    }
    Ok(faults)
}

/// Why the licence of a package is not allowed.
fn licence_fault(rules: &Licenses, package: &Package) -> Result<Option<String>> {
    let Some(licence) = &package.license else {
        return Ok(Some("has no licence".into()));
    };
    let expression = match Expression::parse_mode(licence, ParseMode::LAX) {
        Ok(expression) => expression,
        Err(error) => {
            return Ok(Some(format!(
                "its licence `{licence}` is none: {}",
                error.reason
            )));
        }
    };
    let mut allowed = Vec::new();
    let exceptions = rules
        .exceptions
        .iter()
        .filter(|except| except.name == package.name);
    for name in rules
        .allow
        .iter()
        .chain(exceptions.flat_map(|except| &except.allow))
    {
        let parsed = Expression::parse(name)
            .with_context(|| format!("deny.toml allows `{name}`, which is no licence"))?;
        allowed.extend(
            parsed
                .requirements()
                .map(|requirement| requirement.req.clone()),
        );
    }
    let allowed = |wanted: &LicenseReq| allowed.contains(wanted);
    Ok((!expression.evaluate(allowed)).then(|| format!("its licence {licence} is not allowed")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        toml::from_str(
            r#"
            [licenses]
            allow = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"]
            exceptions = [{ crate = "odd", allow = ["MPL-2.0"] }]
            [sources]
            allow-registry = ["https://registry"]
            "#,
        )
        .unwrap()
    }

    fn package(name: &str, license: Option<&str>, source: Option<&str>) -> Package {
        Package {
            name: name.into(),
            version: "1.0.0".into(),
            license: license.map(Into::into),
            source: source.map(Into::into),
            dependencies: vec![Dependency {
                name: "any".into(),
                req: "*".into(),
                path: None,
            }],
        }
    }

    fn found(package: Package) -> Vec<String> {
        faults(
            &rules(),
            &Metadata {
                packages: vec![package],
            },
        )
        .unwrap()
    }

    #[test]
    fn what_is_allowed_passes() {
        let home = Some("registry+https://registry");
        for licence in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0-only OR MIT",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert_eq!(
                found(package("fine", Some(licence), home)),
                [""; 0],
                "{licence}"
            );
        }
        assert_eq!(found(package("odd", Some("MPL-2.0"), home)), [""; 0]);
    }

    #[test]
    fn what_is_not_allowed_is_named() {
        let home = Some("registry+https://registry");
        for licence in [
            Some("MPL-2.0"),
            Some("MIT AND GPL-3.0-only"),
            Some("GPL-2.0-only WITH Classpath-exception-2.0"),
            Some("whatever"),
            None,
        ] {
            assert_eq!(found(package("bad", licence, home)).len(), 1, "{licence:?}");
        }
        assert_eq!(
            found(package("far", Some("MIT"), Some("git+https://x"))).len(),
            1
        );
        assert_eq!(
            found(package("ours", Some("MIT"), None)).len(),
            1,
            "a wildcard"
        );
    }
}
