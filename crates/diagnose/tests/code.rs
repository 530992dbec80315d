//! The advised code compiles as it is printed: what stands at its top at the top of a file, and the
//! rest in a function. Each snippet is a file of its own, or in C and C++ shares one with those
//! that have the same headers, so that it needs no other's. That of waits that end by themselves,
//! and need no library, is also run.
//!
//! Code of other processors and systems is compiled by cross-compilers, and code of other languages
//! by theirs; what is not installed is skipped with a line. Code whose packages are not here is
//! only parsed. The host is Linux on x86-64, whose calls most of the code uses.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use crate::machines;

use chronoscope_diagnose::advise;
use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::waits::{Kind, Wait};
use chronoscope_model::{Environment, Report, snippet};
use chronoscope_probes::waits::{self, Asked, Entry};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The code of a language on a system: every sheet, and every wait with and without its settings.
fn snippets(language: &str, os: &str) -> BTreeSet<String> {
    let asked = [(1_000, None), (1_000_000, Some(1)), (2_500_000_000, None)];
    let mut all = of_waits(language, os, &asked, |_| true);
    all.extend(advise::every_sheet(language, &environment(os)));
    assert!(all.len() > 4, "{language}: {all:?}");
    let paced = all.iter().filter(|code| snippet::is_paced(code)).count();
    assert!(paced > 0 || os != "Linux", "{language} {os}");
    all
}

/// The code of waits of 1 ms without settings, but for those that spin alone, whose instructions
/// the processor may lack.
fn that_end(language: &str, os: &str) -> impl Iterator<Item = String> {
    let all = of_waits(language, os, &[(1_000_000, None)], |entry| entry.kind != Kind::Busy);
    all.into_iter().filter(|code| !snippet::is_paced(code))
}

fn environment(os: &str) -> Environment {
    match os {
        "Linux" => machines::tsc().environment,
        // Nothing else is known of it.
        os => Environment { os: os.into(), arch: "x86_64".into(), ..Environment::default() },
    }
}

/// The code of some waits of a language, for each of these durations and slacks.
fn of_waits(
    language: &str,
    os: &str,
    asked: &[(u64, Option<u64>)],
    wanted: fn(&Entry) -> bool,
) -> BTreeSet<String> {
    let environment = environment(os);
    let mut all = BTreeSet::new();
    // Enough waits for a judgement.
    let mut hdr = histogram::empty();
    hdr.record_n(100, 40).expect("in range");
    let own = |entry: &&&Entry| entry.language.name() == language && is_of(entry.home, os);
    for entry in waits::ALL.iter().filter(own).filter(|entry| wanted(entry)) {
        for &(ns, slack) in asked {
            let asked = Asked { ns, counter_hz: Some(2.6e9) };
            let wait = Wait {
                id: entry.id.into(),
                call: entry.call.into(),
                code: entry.lines(asked),
                language: entry.language,
                kind: entry.kind,
                available: true,
                requested_ns: Some(ns),
                slack_ns: slack.filter(|_| entry.slack && os == "Linux"),
                timer_period_ms: slack.filter(|_| entry.slack && os == "Windows").map(|_| 1),
                slice_ns: slack.filter(|_| os == "Linux").map(|_| 100_000),
                samples: hdr.len(),
                max_ns: 100,
                overshoot: Histogram::of(&hdr),
                cpu_ns: Some(1.0),
                ..Wait::default()
            };
            let paced =
                entry.paced(ns).map(|code| Wait { period_ns: Some(ns), code, ..wait.clone() });
            let waits = std::iter::once(wait).chain(paced).collect();
            let mut report =
                Report { environment: environment.clone(), waits, ..Report::default() };
            // A language that cannot ask for a slice has code without one.
            let mut found = advise(&report);
            if found.iter().all(|advice| advice.code.is_empty()) {
                report.waits.iter_mut().for_each(|row| row.slice_ns = None);
                found = advise(&report);
            }
            all.extend(found.into_iter().filter_map(|mut advice| advice.code.remove(language)));
        }
    }
    all
}

fn is_of(home: &str, os: &str) -> bool {
    let is = |names: &[&str]| names.iter().any(|name| home.contains(name));
    match os {
        "Windows" => is(&["Windows", "MinGW"]),
        "macOS" => is(&["macOS"]),
        _ => !is(&["Windows", "MinGW", "macOS", "AArch64"]),
    }
}

/// A snippet as the file that it becomes: what stands at the top of a file, and the rest.
fn split(code: &str) -> (String, String) {
    let is_head = |line: &&str| {
        let starts = |word: &str| line.starts_with(word);
        let import = starts("import ") || starts("using ") && !line.contains('=');
        starts("#include") || starts("#define _") || starts("static void ") || import
    };
    let (head, body): (Vec<&str>, Vec<&str>) = code.lines().partition(is_head);
    (head.join("\n"), body.join("\n"))
}

/// Runs a program once on a file for each of these sources.
fn check(program: &str, args: &[&str], ending: &str, sources: &[String]) {
    if Command::new(program).arg("--version").output().is_err() {
        return eprintln!("{program} is not installed");
    }
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let names: Vec<String> = (0..sources.len()).map(|n| format!("s{n}.{ending}")).collect();
    for (name, source) in names.iter().zip(sources) {
        std::fs::write(folder.path().join(name), source).expect("room");
    }
    let output = Command::new(program).args(args).args(&names).current_dir(&folder).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    let named = names.iter().zip(sources).filter(|(name, _)| errors.contains(name.as_str()));
    let shown: String = named.map(|(_, source)| source.as_str()).collect();
    assert!(output.status.success() && !names.is_empty(), "{program}: {errors}\n{shown}");
}

/// Builds each of these programs, unless there is nothing to build, and runs it.
fn run_each(sources: impl IntoIterator<Item = String>, file: &str, lines: &[&[&str]]) {
    let mut ran = 0;
    for source in sources {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        std::fs::write(folder.path().join(file), &source).expect("room");
        ran += 1;
        for line in lines {
            // The first start of Wine takes a while.
            let mut command = Command::new("timeout");
            command.arg("120").args(*line).current_dir(&folder).env("WINEDEBUG", "-all");
            let output = command.output().expect("timeout of coreutils");
            let errors = String::from_utf8_lossy(&output.stderr);
            if output.status.code() == Some(127) || errors.contains("ModuleNotFoundError") {
                eprintln!("{line:?}: not installed: {}", errors.lines().last().unwrap_or_default());
                break;
            }
            assert!(output.status.success(), "{line:?}: {}: {errors}\n{source}", output.status);
        }
    }
    assert!(ran > 0, "{file}");
}

/// Files of C or C++ with a function for each of these snippets, and a `main` that calls them all.
/// Headers take most of the time, so those that start alike share a file.
fn files_of(snippets: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for code in snippets {
        let (head, body) = split(&code);
        files.entry(head).or_default().push(body);
    }
    let file = |(head, bodies): (String, Vec<String>)| {
        let function = |(nth, body): (usize, &String)| {
            let macros = body.lines().filter_map(|line| line.strip_prefix("#define "));
            let names = macros.filter_map(|rest| rest.split([' ', '(']).next());
            let own: String = names.map(|name| format!("#undef {name}\n")).collect();
            format!("void f{nth}(void);\nvoid f{nth}(void) {{\n{body}\n}}\n{own}")
        };
        let functions: String = bodies.iter().enumerate().map(function).collect();
        let calls: String = (0..bodies.len()).map(|nth| format!("f{nth}(); ")).collect();
        format!("{head}\n{functions}int main(void) {{ {calls}return 0; }}\n")
    };
    files.into_iter().map(file).collect()
}

/// Programs of C or C++ of waits that need no library.
fn programs_of(language: &str, os: &str) -> Vec<String> {
    const LIBRARIES: [&str; 4] = ["chronoscope", "event2/", "uv.h", "asio"];
    let plain = |code: &String| !LIBRARIES.iter().any(|it| code.contains(it));
    files_of(that_end(language, os).filter(plain))
}

fn c_of(language: &str, os: &str) -> Vec<String> {
    // The library's header is in another crate, and those of others may not be installed.
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../capi/include");
    let is_here =
        |name: &str| own.join(name).exists() || Path::new("/usr/include").join(name).exists();
    let needs = |code: &str, name: &str| code.contains(&format!("#include <{name}>"));
    let libraries = ["chronoscope.h", "chronoscope.hpp", "event2/event.h", "uv.h", "asio.hpp"];
    let missing: Vec<&str> = libraries.into_iter().filter(|name| !is_here(name)).collect();
    let here = |code: &String| !missing.iter().any(|name| needs(code, name));
    files_of(snippets(language, os).into_iter().filter(here))
}

/// The arguments of every C compiler.
const SYNTAX: [&str; 3] =
    ["-fsyntax-only", "-Werror=implicit-function-declaration", "-Werror=format"];

#[test]
fn c_compiles_on_each_system() {
    let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../capi/include");
    check("cc", &[&SYNTAX[..], &["-mwaitpkg", include]].concat(), "c", &c_of("C", "Linux"));
    check("x86_64-w64-mingw32-gcc", &SYNTAX, "c", &c_of("C", "Windows"));
    run_each(programs_of("C", "Linux"), "s.c", &[&["cc", "s.c", "-o", "s"], &["./s"]]);
    let arm = Environment { arch: "aarch64".into(), ..machines::tsc().environment };
    let arm = advise::every_sheet("C", &arm).into_iter().filter(|code| code.contains("cntvct"));
    let arm = files_of(arm);
    assert!(!arm.is_empty());
    check("aarch64-linux-gnu-gcc", &SYNTAX, "c", &arm);
}

#[test]
fn cxx_compiles_on_each_system() {
    let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../capi/include");
    let args = ["-std=c++17", "-fsyntax-only"];
    check("c++", &[&args[..], &[include]].concat(), "cpp", &c_of("C++", "Linux"));
    // The other of its two compilers has no threads.
    check("x86_64-w64-mingw32-g++-posix", &args, "cpp", &c_of("C++", "Windows"));
    run_each(programs_of("C++", "Linux"), "s.cpp", &[&["c++", "s.cpp", "-o", "s"], &["./s"]]);
}

#[test]
fn code_for_windows_runs_under_wine() {
    for (language, compiler, file) in [("C", "gcc-posix", "s.c"), ("C++", "g++-posix", "s.cpp")] {
        // The other of the two has no nanosleep.
        let compiler = &*format!("x86_64-w64-mingw32-{compiler}");
        let build = [compiler, "-static", file, "-o", "s.exe", "-lwinmm"];
        run_each(programs_of(language, "Windows"), file, &[&build, &["wine", "s.exe"]]);
    }
}

/// The compiled crates that a snippet may use, next to this test.
fn externs(code: &str) -> Option<Vec<String>> {
    let deps = std::env::current_exe().ok()?.parent()?.to_path_buf();
    let mut args = vec![format!("-Ldependency={}", deps.display())];
    for name in ["libc", "chronoscope", "io_uring", "spin_sleep", "windows_sys"] {
        if code.contains(&format!("{name}::")) {
            let found = std::fs::read_dir(&deps).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
            let is = |path: &PathBuf| {
                let file = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
                file.starts_with(&format!("lib{name}-")) && file.ends_with(".rlib")
            };
            let newest = found
                .filter(is)
                .max_by_key(|path| path.metadata().and_then(|it| it.modified()).ok())?;
            args.push(format!("--extern={name}={}", newest.display()));
        }
    }
    Some(args)
}

#[test]
fn rust_compiles_or_parses() {
    let rustc = std::env::var("RUSTC").unwrap_or("rustc".into());
    let functions = |codes: &[String]| -> String {
        let ends = "Result<(), Box<dyn std::error::Error>>";
        let each = codes.iter().enumerate();
        each.map(|(nth, code)| format!("pub fn f{nth}() -> {ends} {{\n{code}\n;Ok(())\n}}\n"))
            .collect()
    };
    let own = |code: &String| {
        let others = ["cntvct", "windows_sys::", "async_io::", "smol::", "tokio::"];
        !others.iter().any(|word| code.contains(word)) && externs(code).is_some()
    };
    // In one crate, because the compiler and the linker take most of the time to start.
    let plain: Vec<String> = that_end("Rust", "Linux").filter(own).collect();
    let calls: String = (0..plain.len()).map(|nth| format!("f{nth}().unwrap(); ")).collect();
    let source = functions(&plain) + &format!("fn main() {{ {calls} }}\n");
    let more = externs(&source).expect("crates that each has found");
    let build = [&*rustc, "--edition=2024", "s.rs", "-o", "s"].into_iter();
    let build: Vec<&str> = build.chain(more.iter().map(String::as_str)).collect();
    run_each([source], "s.rs", &[&build, &["./s"]]);

    let all = ["Linux", "Windows"].into_iter().flat_map(|os| snippets("Rust", os));
    let (compiled, parsed): (Vec<String>, Vec<String>) = all.partition(own);
    assert!(compiled.len() > 20, "{compiled:?}");
    let source = functions(&compiled);
    let more = externs(&source).expect("crates that each has found");
    let usual = ["--edition=2024", "--crate-type=lib", "--emit=metadata", "--out-dir=."];
    let args: Vec<&str> = usual.into_iter().chain(more.iter().map(String::as_str)).collect();
    check(&rustc, &args, "rs", &[source]);
    let parsed: Vec<String> = parsed.into_iter().map(|code| functions(&[code])).collect();
    check("rustfmt", &["--edition=2024"], "rs", &parsed);
}

/// The lines that declare foreign functions, which are members of a class before C# 9, and the
/// others.
fn members(body: &str) -> (String, String) {
    let mut open = false;
    let (members, rest): (Vec<&str>, Vec<&str>) = body.lines().partition(|line| {
        let foreign = open || line.starts_with('[') || line.starts_with("static extern");
        open = foreign && !line.ends_with(';');
        foreign
    });
    (members.join("\n"), rest.join("\n"))
}

#[test]
fn java_compiles_for_version_9() {
    let file = |(nth, code): (usize, String)| {
        let (head, body) = split(&code);
        let main = "public static void main(String[] a) throws Exception";
        format!("{head}\nclass T{nth} {{ {main} {{\n{body}\n}} }}\n")
    };
    // `var` came with version 10, and virtual threads with 21.
    let is_new = |code: &String| code.contains("Virtual") || code.contains("var ");
    let plain = that_end("Java", "Linux").filter(|code| !is_new(code));
    run_each(plain.enumerate().map(file), "T.java", &[&["java", "T.java"]]);
    let all: Vec<String> = snippets("Java", "Linux").into_iter().enumerate().map(file).collect();
    let (new, old): (Vec<String>, Vec<String>) = all.into_iter().partition(is_new);
    check("javac", &["--release", "9", "-Xlint:-options"], "java", &old);
    check("javac", &["-XDshould-stop.ifNoError=PARSE"], "java", &new);
}

#[test]
fn c_sharp_compiles_for_mono_too() {
    let file = |(nth, code): (usize, String)| {
        let (head, body) = split(&code);
        let (members, body) = members(&body);
        let (open, wait) = match body.contains("await ") {
            true => ("async System.Threading.Tasks.Task", ".Wait()"),
            false => ("void", ""),
        };
        let main = format!("static void Main() {{ f(){wait}; }}");
        format!("{head}\nclass T{nth} {{\n{members}\n{main}\nstatic {open} f() {{\n{body}\n}} }}\n")
    };
    // Mono's class library lacks it.
    let is_here = |code: &String| !code.contains("PeriodicTimer");
    let all = snippets("C#", "Linux").into_iter().filter(is_here);
    let all: Vec<String> = all.enumerate().map(file).collect();
    check("mcs", &["-target:library"], "cs", &all);
    let all = that_end("C#", "Linux").filter(is_here).enumerate().map(file);
    run_each(all, "s.cs", &[&["mcs", "s.cs"], &["mono", "s.exe"]]);
}

#[test]
fn go_parses_and_what_needs_no_module_compiles() {
    let file = |code: &str, package: &str, name: &str| {
        let (head, body) = split(code);
        // Go refuses variables that nothing reads.
        let declared = body.lines().filter_map(|line| {
            let name = line.strip_prefix("var ").or(line.split_once(" := ").map(|it| it.0))?;
            Some(format!("_ = {}\n", name.split([' ', ',']).next()?))
                .filter(|_| !line.starts_with(['\t', ' ']))
        });
        let declared: String = declared.collect();
        // Nothing follows a loop that does not end.
        let declared = if body.contains("\nfor {") { String::new() } else { declared };
        format!("package {package}\n{head}\nfunc {name}() {{\n{body}\n{declared}}}\n")
    };
    let all = snippets("Go", "Linux").into_iter().enumerate();
    let all: Vec<String> = all.map(|(nth, code)| file(&code, "all", &format!("f{nth}"))).collect();
    check("gofmt", &["-e", "-l"], "go", &all);
    let plain: Vec<String> = all.into_iter().filter(|code| !code.contains("golang.org")).collect();
    check("go", &["vet"], "go", &plain);
    let all = that_end("Go", "Linux").map(|code| file(&code, "main", "main"));
    run_each(all, "s.go", &[&["go", "run", "s.go"]]);
}

#[test]
fn python_and_javascript_parse() {
    // `node --check` takes one file.
    const PARSE: &str = "for (const file of process.argv.slice(1))
        new (require('vm').Script)(require('fs').readFileSync(file, 'utf8'), file);";
    let of_all = |language: &str| -> BTreeSet<String> {
        ["Linux", "Windows", "macOS"].into_iter().flat_map(|os| snippets(language, os)).collect()
    };
    let all: Vec<String> = of_all("Python").into_iter().collect();
    check("python3", &["-m", "py_compile"], "py", &all);
    let wrap = |code: String| format!("async function f() {{\n{code}\n}}\n");
    let all: Vec<String> = of_all("JavaScript").into_iter().map(wrap).collect();
    check("node", &["-e", PARSE], "js", &all);
    run_each(that_end("Python", "Linux"), "s.py", &[&["python3", "s.py"]]);
    let all = that_end("JavaScript", "Linux").filter(|code| !code.contains("Bun."));
    let all = all.map(|code| format!("(async () => {{\n{code}\n}})();\n"));
    run_each(all, "s.js", &[&["node", "s.js"]]);
}
