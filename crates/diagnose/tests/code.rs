//! The advised code compiles when pasted into a function.
//!
//! C, C++ and Rust without other crates are compiled, because every machine that builds this has
//! their compilers; Java and C# if they are installed; and only on Linux on x86-64, whose calls
//! most of the code uses.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use crate::machines;

use chronoscope_diagnose::{advise, judge};
use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::waits::Wait;
use chronoscope_model::{Advice, Report};
use chronoscope_probes::waits::{self, Asked};
use std::collections::BTreeSet;
use std::process::Command;

/// The lines of a program that must be outside a function.
const C: &str = "#define _GNU_SOURCE\n\
    #include <linux/futex.h>\n#include <poll.h>\n#include <pthread.h>\n#include <sched.h>\n\
    #include <signal.h>\n#include <stdint.h>\n#include <sys/epoll.h>\n#include <sys/prctl.h>\n\
    #include <sys/select.h>\n#include <sys/syscall.h>\n#include <sys/timerfd.h>\n\
    #include <time.h>\n#include <unistd.h>\n#include <x86intrin.h>\n";
const CXX: &str = "#include <chrono>\n#include <thread>\n";

/// Code that needs headers that not every Linux system has, other crates, another system, or C# 9,
/// which mcs does not know.
const ELSEWHERE: [&str; 7] = [
    "io_uring",
    "libc::",
    "rustix::",
    "chronoscope::",
    "spin_sleep::",
    "windows_sys::",
    "DllImport",
];

/// The advice for machines that differ in their clocks, and for every wait method.
fn advice() -> Vec<Advice> {
    let mut all = Vec::new();
    for mut report in [machines::tsc(), machines::kvm_clock(), machines::hpet()] {
        judge(&mut report);
        all.append(&mut report.advice);
    }
    let environment = machines::tsc().environment;
    // Enough waits for a judgement.
    let mut hdr = histogram::empty();
    hdr.record_n(100, 40).expect("in range");
    for entry in waits::ALL.iter().filter(|entry| here(entry.home)) {
        for (ns, slack) in [(1_000, None), (1_000_000, Some(1)), (2_500_000_000, None)] {
            let asked = Asked { ns, counter_hz: Some(2.6e9) };
            let wait = Wait {
                id: entry.id.into(),
                call: entry.call.into(),
                code: entry.lines(asked),
                language: entry.language,
                kind: entry.kind,
                available: true,
                requested_ns: Some(ns),
                slack_ns: slack.filter(|_| entry.slack),
                slice_ns: slack.map(|_| 100_000),
                samples: hdr.len(),
                max_ns: 100,
                overshoot: Histogram::of(&hdr),
                cpu_ns: Some(1.0),
                ..Wait::default()
            };
            all.extend(advise(&Report {
                environment: environment.clone(),
                waits: vec![wait],
                ..Report::default()
            }));
        }
    }
    all
}

fn here(home: &str) -> bool {
    !["Windows", "MinGW", "macOS", "AArch64"].iter().any(|other| home.contains(other))
}

/// Everything that is advised in a language, each as the body of a function.
fn functions(language: &str, open: &str) -> String {
    functions_of(advice(), language, open)
}

fn functions_of(advice: Vec<Advice>, language: &str, open: &str) -> String {
    let texts: BTreeSet<String> = advice
        .into_iter()
        .filter_map(|mut advice| advice.code.remove(language))
        .filter(|text| !ELSEWHERE.iter().any(|other| text.contains(other)))
        .collect();
    assert!(texts.len() > 5, "{language}: {texts:?}");
    let raises = if language == "Java" { " throws Exception" } else { "" };
    let all = texts.iter().enumerate();
    all.map(|(n, text)| format!("{open} f{n}(){raises} {{\n{text}\n}}\n")).collect()
}

fn compile(program: &str, args: &[&str], name: &str, source: &str) {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = folder.path().join(name);
    std::fs::write(&file, source).expect("a file in it");
    let output = Command::new(program)
        .args(args)
        .arg(&file)
        .current_dir(&folder)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}\n{source}");
}

#[test]
fn c_compiles() {
    let source = format!("{C}{}", functions("C", "void"));
    let args =
        ["-std=gnu11", "-fsyntax-only", "-Werror=implicit-function-declaration", "-mwaitpkg"];
    compile("cc", &args, "c.c", &source);
}

#[test]
fn cxx_compiles() {
    let source = format!("{C}{CXX}{}", functions("C++", "void"));
    compile("c++", &["-std=c++17", "-fsyntax-only"], "cxx.cpp", &source);
}

#[test]
fn rust_compiles() {
    let source = functions("Rust", "pub fn");
    let rustc = std::env::var("RUSTC").unwrap_or("rustc".into());
    let args = ["--edition=2024", "--crate-type=lib", "--emit=metadata"];
    compile(&rustc, &args, "rust.rs", &source);
}

/// Compiles the code as a class, with a compiler of the oldest version that is supported
/// or as told to be of that version. Does nothing if it is not installed.
fn class_compiles(
    language: &str,
    open: &str,
    name: &str,
    head: &str,
    program: &str,
    args: &[&str],
) {
    if Command::new(program).arg("--version").output().is_err() {
        return eprintln!("{program} is not installed");
    }
    let source = format!("{head}class T {{\n{}}}\n", functions_of(advice(), language, open));
    compile(program, args, name, &source);
}

#[test]
fn java_compiles_for_version_9() {
    let args = ["--release", "9", "-Xlint:-options"];
    class_compiles("Java", "static void", "T.java", "", "javac", &args);
}

#[test]
fn c_sharp_compiles_for_mono_too() {
    let head = "using System;\nusing System.IO;\nusing System.Threading;\n";
    class_compiles("C#", "static void", "t.cs", head, "mcs", &["-target:library"]);
}
