//! What DESIGN promises of the crates: which of them depend on which, what only one of them knows,
//! that none but the command line ends the program, and that kinds are shown by name.
//!
//! Checks the licences and sources of all dependencies against deny.toml.
//!
//! If `cargo deny` is installed, it makes this check. It takes minutes to compile, so machines of
//! continuous integration lack it. There, what `cargo metadata` reports is
//! checked instead.

use anyhow::{Context, Result, ensure};
use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value as Json;
use spdx::{Expression, Licensee, ParseMode};
use std::collections::BTreeSet;
use toml::{Table, Value};
use xshell::{Shell, cmd};
use xtask::code::Source;
use xtask::sh;

/// The picture of DESIGN: each crate of the tool, and what its arrows lead to. It may depend on
/// what these may depend on, too.
const ARROWS: [(&str, &[&str]); 12] = [
    ("chronoscope", &[]),
    ("model-macros", &[]),
    ("model", &["model-macros"]),
    ("runtimes", &["model-macros"]),
    ("probes", &["chronoscope", "model", "runtimes"]),
    ("measure", &["probes"]),
    ("diagnose", &["model"]),
    ("survey", &["diagnose", "measure"]),
    ("report", &["model"]),
    ("watch", &["report"]),
    ("fleet", &["report", "survey"]),
    ("cli", &["fleet", "watch"]),
];

/// Dependencies that one crate of the tool has, and no other.
const ONLY: [(&str, &str); 12] = [
    ("clap", "cli"),
    ("clap_complete", "cli"),
    ("clap_mangen", "cli"),
    ("indicatif", "cli"),
    ("terminal_size", "cli"),
    ("crossterm", "watch"),
    ("hyper", "fleet"),
    ("hyper-util", "fleet"),
    ("tokio", "fleet"),
    ("maud", "report"),
    ("libc", "probes"),
    ("statrs", "diagnose"),
];

/// Crates below `cli` that end the process, how often, and why.
const ENDS: [(&str, usize, &str); 2] = [
    ("probes", 3, "a child ends with its load or trial, and a failed allocation ends the process"),
    ("survey", 1, "a child of this tool ends with its work, which `start_up` does"),
];

/// Texts that show a value as Rust writes it. Each is of a crate, and none shows a kind.
const DEBUG: [(&str, &str, &str); 14] = [
    ("chronoscope", "; CHRONOSCOPE_SOURCE={:?} is not valid (use auto, counter or os)", "quotes"),
    ("chronoscope", "a ticker cannot have a period of {:?}", "a duration"),
    ("chronoscope", "the clock has already been read, and its source is {:?}", "the name in Rust"),
    ("chronoscope", "source      {} ({:?})", "the name in Rust"),
    ("diagnose", "{system:?}", "the name of a system in Rust is that in the files of code"),
    ("probes", "then sleeps for {REST:?}, over and over", "a duration"),
    ("python", "{cause:?}", "a cause has its name in Rust, in lower case, as the page says"),
    ("python", "Ticker({:?})", "Python shows floats alike"),
    ("report", "{value:?}", "a float as Prometheus writes it"),
    ("report", "{other:?}", "an error of the crate csv that is no error of the system"),
    ("report", "{shown:?}", "quotes the name of a task"),
    ("ci", "", "for developers"),
    ("xtask", "", "for developers"),
    ("research", "", "for developers"),
];

pub fn check(sh: &Shell, sources: &[Source]) -> Result<()> {
    let mut wrong = Vec::new();
    for (name, _) in ARROWS {
        let folder = if name == "runtimes" { "runtimes" } else { &format!("crates/{name}") };
        let manifest = format!("{folder}/Cargo.toml");
        let manifest: Table = sh.read_file(&manifest)?.parse().context(manifest)?;
        wrong.extend(dependencies(name, &manifest));
    }
    wrong.extend(ended(sources, &ENDS));
    wrong.extend(debugged(sources, &DEBUG));
    ensure!(wrong.is_empty(), "broken promises: {}\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}

/// All that a crate may depend on, by its arrows.
fn allowed(name: &str) -> BTreeSet<&'static str> {
    let arrows = ARROWS.iter().filter(|(from, _)| *from == name).flat_map(|(_, to)| *to);
    arrows.flat_map(|to| allowed(to).into_iter().chain([*to])).collect()
}

fn dependencies(name: &str, manifest: &Table) -> Vec<String> {
    let (allowed, mut wrong) = (allowed(name), Vec::new());
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
    let targets = targets.filter_map(|(_, target)| target.as_table());
    let tables = targets.chain([manifest]).filter_map(|of| of.get("dependencies")?.as_table());
    for (dependency, value) in tables.flatten() {
        let ours = dependency.strip_prefix("chronoscope-");
        let ours = ours.or((dependency == "chronoscope").then_some("chronoscope"));
        if ours.is_some_and(|ours| !allowed.contains(ours)) {
            wrong.push(format!("{name} depends on {dependency}, and DESIGN has no such arrow"));
        }
        let home = ONLY.iter().find(|(only, _)| only == dependency).map(|(_, home)| *home);
        // The types of specs can be fields of a command.
        let feature = (name, &**dependency) == ("model", "clap")
            && value.get("optional") == Some(&Value::Boolean(true));
        // The library's bindings.
        let bindings = (name, &**dependency) == ("chronoscope", "libc");
        if home.is_some_and(|home| home != name) && !feature && !bindings {
            wrong.push(format!("{name} depends on {dependency}, which only {} has", home.unwrap()));
        }
    }
    wrong
}

/// Where crates end the process that may not.
fn ended(sources: &[Source], may: &[(&str, usize, &str)]) -> Vec<String> {
    let tool = |source: &&Source| {
        let name = source.crate_name();
        name != "cli" && ARROWS.iter().any(|(one, _)| *one == name)
    };
    let mut found: Vec<(&str, &str)> = Vec::new();
    for source in sources.iter().filter(tool) {
        for _ in 0..exits(source.code.clone()) {
            found.push((source.crate_name(), &source.path));
        }
    }
    let mut wrong = Vec::new();
    for (name, _) in ARROWS {
        let paths: Vec<_> =
            found.iter().filter(|(of, _)| *of == name).map(|(_, path)| *path).collect();
        let most = may.iter().find(|(of, ..)| *of == name).map_or(0, |(_, most, _)| *most);
        if paths.len() != most {
            let paths = paths.join(", ");
            wrong.push(format!("{name} ends the process here, not in {most} places: {paths}"));
        }
    }
    wrong
}

/// The number of calls of `exit`, `_exit` and `abort` by a path such as `process::exit`.
fn exits(code: TokenStream) -> usize {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let mut count = 0;
    for (at, token) in tokens.iter().enumerate() {
        let name = token.to_string();
        let path = at > 0 && tokens[at - 1].to_string() == ":";
        count += match token {
            TokenTree::Group(group) => exits(group.stream()),
            _ => usize::from(path && ["exit", "_exit", "abort"].contains(&&*name)),
        };
    }
    count
}

/// Texts with a value as Rust writes it, outside of panics.
fn debugged(sources: &[Source], may: &[(&str, &str, &str)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for source in sources {
        let mut texts = Vec::new();
        formats(source.code.clone(), &mut texts);
        let listed = |text: &String| {
            may.iter().any(|(name, listed, _)| {
                *name == source.crate_name() && (listed.is_empty() || text == listed)
            })
        };
        let others = texts.into_iter().filter(|text| !listed(text));
        wrong.extend(others.map(|text| format!("{} shows a value by `{text}`", source.path)));
    }
    wrong
}

fn formats(code: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                let macro_name = match at.checked_sub(2).map(|first| &tokens[first..at]) {
                    // A comment of the documentation is an attribute.
                    Some([.., mark]) if mark.to_string() == "#" => continue,
                    Some([mark, _]) if mark.to_string() == "#" => continue,
                    Some([name, mark]) if mark.to_string() == "!" => name.to_string(),
                    None if at == 1 && tokens[0].to_string() == "#" => continue,
                    _ => String::new(),
                };
                let panics = ["assert", "debug_assert", "panic", "unreachable", "todo"];
                if !panics.iter().any(|start| macro_name.starts_with(start)) {
                    formats(group.stream(), found);
                }
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if text.contains(":?}") || text.contains(":#?}") {
                    found.push(text.trim_matches('"').to_owned());
                }
            }
            _ => {}
        }
    }
}

pub fn deny(sh: &Shell) -> Result<()> {
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

    fn source(path: &str, text: &str) -> [Source; 1] {
        [Source::new(path, text.to_owned()).unwrap()]
    }

    #[test]
    fn a_dependency_without_an_arrow_is_named() {
        let wrong = |name: &str, text: &str| dependencies(name, &text.parse().unwrap()).join("\n");
        assert_eq!(wrong("cli", "[dependencies]\nchronoscope-model = \"1\"\nclap = \"4\""), "");
        let found = wrong("report", "[dependencies]\nchronoscope-diagnose.workspace = true");
        assert!(found.contains("report depends on chronoscope-diagnose"), "{found}");
        let target = "[target.'cfg(unix)'.dependencies]\ncrossterm = \"1\"";
        assert!(wrong("survey", target).contains("only watch has"));
        let clap = "[dependencies]\nclap = { version = \"4\", optional = true }";
        assert_eq!(wrong("model", clap), "");
        assert!(wrong("survey", clap).contains("only cli has"));
        assert!(wrong("model", "[dependencies]\nclap = \"4\"").contains("only cli has"));
    }

    #[test]
    fn the_end_of_a_process_is_named() {
        let text = "fn a() { std::process::exit(1) } #[cfg(test)] fn b() { process::abort() }";
        let found = ended(&source("crates/report/src/a.rs", text), &[]);
        let end = "report ends the process here, not in 0 places: crates/report/src/a.rs";
        assert_eq!(found, [end]);
        assert_eq!(ended(&source("crates/cli/src/a.rs", text), &[]), [""; 0]);
        let most = [("report", 2, "two")];
        assert_eq!(ended(&source("crates/report/src/a.rs", text), &most).len(), 1);
        assert_eq!(ended(&source("crates/x/src/a.rs", "fn exit(exit: u8) {}"), &[]).len(), 0);
    }

    #[test]
    fn a_kind_that_rust_names_is_found() {
        let text =
            "/// `{:?}`\nfn a() { format!(\"{:?}\", b).to_lowercase(); assert!(c, \"{d:?}\") }";
        let found = debugged(&source("crates/report/src/a.rs", text), &[]);
        assert_eq!(found, ["crates/report/src/a.rs shows a value by `{:?}`"]);
        let may = [("report", "{:?}", "a duration")];
        assert_eq!(debugged(&source("crates/report/src/a.rs", text), &may), [""; 0]);
        let inner =
            source("crates/report/src/a.rs", "macro_rules! a { () => { b!(c, \"{d:?}\") } }");
        assert_eq!(debugged(&inner, &may).len(), 1);
    }
}

#[cfg(test)]
mod deny_tests {
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
