//! Checks the licences and sources of all dependencies against deny.toml.
//!
//! If `cargo deny` is installed, it makes this check. It takes minutes to compile, so machines of
//! continuous integration lack it. There, what `cargo metadata` reports is
//! checked instead.

use anyhow::{Context, Result, ensure};
use serde_json::Value as Json;
use spdx::{Expression, Licensee, ParseMode};
use toml::{Table, Value};
use xshell::{Shell, cmd};
use xtask::sh;

pub fn run(sh: &Shell) -> Result<()> {
    let rules: Table = sh.read_file("deny.toml")?.parse().context("cannot read deny.toml")?;
    // Each is a workspace.
    [".", "research"].iter().try_for_each(|folder| workspace(sh, &rules, folder))
}

fn workspace(sh: &Shell, rules: &Table, folder: &str) -> Result<()> {
    if sh::has("cargo-deny") {
        let manifest = format!("{folder}/Cargo.toml");
        let what = ["bans", "licenses", "sources"];
        return sh::run(cmd!(sh, "cargo deny --manifest-path {manifest} check {what...}"));
    }
    let _there = sh.push_dir(folder);
    let packages = sh::metadata(sh, &["--all-features", "--locked"])?;
    let mut faults = Vec::new();
    for package in &packages {
        let (name, version) = (&package["name"], &package["version"]);
        faults.extend(fault(rules, package)?.map(|why| format!("\n{name} {version}: {why}")));
    }
    ensure!(faults.is_empty(), "violations of deny.toml: {}{}", faults.len(), faults.concat());
    println!("{} packages comply with deny.toml", packages.len());
    Ok(())
}

/// What is wrong with a package, if anything is.
fn fault(rules: &Table, package: &Json) -> Result<Option<String>> {
    let texts = |value: &Value, key: &str| -> Vec<String> {
        let list = value.get(key).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let rule = |name| rules.get(name).with_context(|| format!("deny.toml has no {name}"));
    let (licenses, sources) = (rule("licenses")?, rule("sources")?);
    let exceptions = licenses.get("exceptions").and_then(Value::as_array).into_iter().flatten();
    let own = exceptions.filter(|exception| {
        exception.get("crate").and_then(Value::as_str) == package["name"].as_str()
    });
    let allowed = own.chain([licenses]).flat_map(|rules| texts(rules, "allow"));
    let allowed = allowed.map(|name| Licensee::parse(&name).with_context(|| name));
    let allowed: Vec<Licensee> = allowed.collect::<Result<_>>()?;
    let Some(licence) = package["license"].as_str() else {
        return Ok(Some("has no licence".into()));
    };
    let complies = Expression::parse_mode(licence, ParseMode::LAX).is_ok_and(|expression| {
        expression.evaluate(|wanted| allowed.iter().any(|one| one.satisfies(wanted)))
    });
    if !complies {
        return Ok(Some(format!("licence {licence} is not allowed")));
    }
    if let Some(source) = package["source"].as_str() {
        let registry = source.strip_prefix("registry+").map(str::to_owned);
        let known = registry.is_some_and(|url| texts(sources, "allow-registry").contains(&url));
        return Ok((!known).then(|| format!("source {source} is not allowed")));
    }
    // A package of this workspace.
    let mut wild = package["dependencies"].as_array().into_iter().flatten();
    let wild = wild.find(|dependency| dependency["req"] == "*" && dependency["path"].is_null());
    Ok(wild.map(|dependency| format!("allows any version of {}", dependency["name"])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const HOME: Option<&str> = Some("registry+https://registry");

    fn found(name: &str, license: Option<&str>, source: Option<&str>) -> Vec<String> {
        let rules = toml::from_str::<Table>(
            r#"
            [licenses]
            allow = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"]
            exceptions = [{ crate = "odd", allow = ["MPL-2.0"] }]
            [sources]
            allow-registry = ["https://registry"]
            "#,
        )
        .unwrap();
        let package = json!({
            "name": name, "version": "1.0.0", "license": license, "source": source,
            "dependencies": [{"name": "any", "req": "*", "path": null}],
        });
        fault(&rules, &package).unwrap().into_iter().collect()
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
