//! Reads `runtimes.txt`, whose first lines explain it. It is the project's own, so whatever is
//! wrong with it is a panic, and every test finds that.

use crate::{File, Program, Runtime, Way};
use chronoscope_model_macros::packed;
use std::sync::LazyLock;

/// The files that are written to build and run probes, by their paths.
macro_rules! files {
    ($($path:literal)*) => {
        const FILES: &[(&str, &[u8])] = &[$(($path, packed!("../" $path))),*];
    };
}

files! {
    "c/event.c"
    "c/own.c"
    "c/probe.c"
    "c/probe.h"
    "c/uv.c"
    "cxx/asio.cpp"
    "cxx/own.cpp"
    "cxx/probe.cpp"
    "dotnet/probe.cs"
    "dotnet/probe.csproj"
    "dotnet/probe.runtimeconfig.json"
    "erlang/probe.erl"
    "go/probe.go"
    "java/Probe.java"
    "luajit/probe.lua"
    "node/probe.js"
    "node/wasi.cjs"
    "perl/probe.pl"
    "php/probe.php"
    "python/probe.py"
    "ruby/probe.rb"
    "rust/async-io.toml"
    "rust/probe.rs"
    "rust/smol.toml"
    "rust/tokio.toml"
    "rust/version"
}

/// The runtimes, and the libraries.
pub(crate) static DECLARED: LazyLock<[Vec<&Runtime>; 2]> = LazyLock::new(|| {
    let (mut programs, mut all) = (Vec::new(), [Vec::new(), Vec::new()]);
    for block in include_str!("../runtimes.txt").split("\n\n") {
        let mut lines = block.lines().filter(|line| !line.starts_with('#')).peekable();
        while let Some(line) = lines.next_if(|line| line.starts_with("programs ")) {
            let (names, places) = parted(&line["programs ".len()..], ": ");
            let places = list(places);
            let program = |names| Program { name: "", names: list(names), places };
            programs.extend(names.split(" | ").map(program));
        }
        let Some(head) = lines.next() else { continue };
        let known: Vec<&Runtime> = all.iter().flatten().copied().collect();
        let runtime: &Runtime = Box::leak(Box::new(runtime(&head[2..], lines, &programs, &known)));
        all[usize::from(head.starts_with('+'))].push(runtime);
    }
    all
});

fn runtime(
    head: &'static str,
    lines: impl Iterator<Item = &'static str>,
    programs: &[Program],
    known: &[&Runtime],
) -> Runtime {
    let (id, rest) = parted(head, " | ");
    let (name, language) = parted(rest, " | ");
    let mut runtime = Runtime { id, name, language, ..Runtime::default() };
    let mut ways: Vec<Way> = Vec::new();
    for (key, value) in lines.map(|line| parted(line, ": ")) {
        if let Some(name) = key.strip_prefix("way ") {
            let like = runtime.ways.get(ways.len()).copied().unwrap_or_default();
            ways.push(Way { name, programs: needed(value, programs), ..like });
            continue;
        }
        match (key, ways.last_mut()) {
            ("like", None) => {
                let like = known.iter().find(|it| it.id == value).expect(value);
                runtime = Runtime { id, name, language, ..**like };
            }
            ("probe", None) => runtime.source = file(value),
            ("files", None) => runtime.files = each(value, file),
            ("levels", None) => runtime.levels = list(value),
            ("is", None) => {
                runtime.compiled = value.contains("compiled");
                runtime.every_way = value.contains("every way");
            }
            ("only on", None) => runtime.only_on = list(value),
            ("oldest", None) => runtime.oldest = Some(value),
            ("env", None) => runtime.env = each(value, |it| parted(it, "=")),
            ("version", Some(way)) => way.version = value,
            ("build", Some(way)) => way.build = value.split(" && ").collect::<Vec<_>>().leak(),
            ("run", Some(way)) => way.run = value,
            ("not on", Some(_)) => drop(ways.pop_if(|_| value == std::env::consts::OS)),
            _ => panic!("{id}: {key}: {value}"),
        }
    }
    if !ways.is_empty() {
        runtime.ways = ways.leak();
    }
    runtime
}

/// The programs of these names, the first of which is `{it}`.
fn needed(names: &'static str, programs: &[Program]) -> &'static [Program] {
    let found = each(names, |name| {
        let known = programs.iter().find(|program| program.names[0] == name);
        Program { name, ..*known.expect(name) }
    });
    found[0].name = "it";
    found
}

/// The file at a path, perhaps `as` another name than its own.
fn file(text: &'static str) -> File {
    let (path, name) = text.split_once(" as ").unwrap_or((text, text));
    let packed = FILES.iter().find(|(known, _)| *known == path).expect(text).1;
    File { name: name.rsplit('/').next().unwrap_or(name), packed }
}

fn parted(text: &'static str, by: &str) -> (&'static str, &'static str) {
    text.split_once(by).expect(text)
}

fn list(text: &'static str) -> &'static [&'static str] {
    each(text, |it| it)
}

fn each<T>(text: &'static str, of: impl Fn(&'static str) -> T) -> &'static mut [T] {
    text.split(", ").map(of).collect::<Vec<_>>().leak()
}

#[cfg(test)]
mod tests {
    use crate::find;

    /// Windows' compiler knows C# 5 only, and an assembly is the same wherever it runs.
    #[test]
    fn one_source_serves_every_dotnet() {
        let [framework, core, mono] = ["dotnet-framework", "dotnet-coreclr", "dotnet-mono"]
            .map(|id| find(id).expect("declared"));
        for other in [core, mono] {
            assert_eq!(other.source.packed, framework.source.packed);
            let mut ways = other.ways.iter().map(|way| way.build);
            assert!(ways.any(|build| build[0].contains("-langversion:5")));
        }
        for newer in ["$\"", "nameof(", " is null", "?."] {
            assert!(!include_str!("../dotnet/probe.cs").contains(newer), "{newer}");
        }
        if !cfg!(windows) {
            assert_eq!(framework.find_ways(None).expect_err("not here"), "only on windows");
        }
    }

    #[test]
    fn what_an_entry_leaves_out_is_as_with_the_one_that_it_names() {
        let [python, pypy] = ["python", "pypy"].map(|id| find(id).expect("declared"));
        assert_eq!((pypy.name, pypy.oldest, pypy.ways.len()), ("PyPy", python.oldest, 1));
        assert_eq!(pypy.ways[0].run, python.ways[0].run);
        assert_eq!(pypy.ways[0].programs[0].names, ["pypy3", "pypy"]);
        let wine = find("c").expect("declared").ways.iter().any(|way| way.name == "mingw");
        assert_eq!(wine, !cfg!(windows));
    }
}
