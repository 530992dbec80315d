//! The call that is shown is the one that is timed: it does what the machine code must contain,
//! which `cargo xtask disasm` checks, and C's readers are given the clock that it names.

use super::every;
use crate::shown::does;
use std::path::Path;

/// What some functions are in the machine code. The library's own clock and some peers are
/// inlined, and so are intrinsics; the vDSO's function is called through a pointer.
fn compiled(function: &str) -> Vec<&str> {
    match function {
        "_mm_lfence()" => vec!["lfence"],
        "_mm_mfence()" => vec!["mfence"],
        "_serialize()" => vec!["serialize"],
        "__rdtsc()" | "__builtin_ia32_rdtsc()" => vec!["rdtsc"],
        "__rdtscp()" => vec!["rdtscp"],
        "__vdso_clock_gettime()" | "__kernel_clock_gettime()" => vec!["(*)"],
        "chronoscope::Instant::now()" if cfg!(target_arch = "x86_64") => vec!["rdtsc"],
        "chronoscope::Instant::now()" if cfg!(target_arch = "aarch64") => vec!["mrs cntvct_el0"],
        "chronoscope::Instant::now_ordered()" if cfg!(target_arch = "x86_64") => {
            vec!["lfence", "rdtsc"]
        }
        "chronoscope::Instant::now_ordered()" if cfg!(target_arch = "aarch64") => {
            vec!["isb", "mrs cntvct_el0"]
        }
        "chronoscope::Instant::now()" | "chronoscope::Instant::now_ordered()" => {
            vec!["Instant::now()"]
        }
        "high_resolution_clock::now()" => vec!["system_clock::now()"],
        "minstant::Instant::now()" | "fastant::Instant::now()" => vec!["rdtsc"],
        "quanta::Instant::now()" | "coarsetime::Instant::now()" => vec!["Instant::now()"],
        "quanta::Instant::recent()" | "coarsetime::Instant::recent()" => vec!["Instant::recent()"],
        other => vec![other],
    }
}

#[test]
fn the_call_shown_does_what_the_loop_must_contain() {
    for entry in every() {
        let shown = does(entry.call);
        let divides = entry.call.contains(" / ").then_some("div");
        let shown: Vec<&str> = shown.iter().flat_map(|one| compiled(one)).chain(divides).collect();
        let same = |shown: &str, expected: &str| {
            let mut any = expected.split('|');
            // Where a disassembler does not know a register's name, the mnemonic alone is expected.
            any.any(|one| one == shown || shown.split(' ').next() == Some(one))
        };
        assert!(
            shown.len() == entry.expect.len()
                && shown.iter().zip(entry.expect).all(|(s, e)| same(s, e)),
            "{}: `{}` does {shown:?}, but the loop must contain {:?}",
            entry.id,
            entry.call,
            entry.expect
        );
    }
}

/// The places where the readers of C and C++ are defined.
fn native() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("native");
    let files = std::fs::read_dir(folder).expect("the folder of the readers");
    let sources = files.filter_map(|file| {
        let path = file.expect("a file").path();
        let known = path.extension().is_some_and(|e| e == "c" || e == "cpp");
        known.then(|| std::fs::read_to_string(path).expect("a source"))
    });
    sources.collect()
}

/// A name that decides which clock a function reads: `CLOCK_TAI`, `RTC_RD_TIME`, `steady_clock`.
fn selects(word: &&str) -> bool {
    let upper = word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let capitals = ["CLOCK_", "RUSAGE_", "RTC_"];
    (upper && capitals.iter().any(|start| word.starts_with(start))) || word.ends_with("_clock")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

#[test]
fn the_reader_of_a_call_is_given_the_clock_that_the_call_names() {
    let native = native();
    let mut compared = 0;
    for entry in every().filter(|entry| entry.language != super::Language::Rust) {
        let symbol = entry.id.replace(['/', '-'], "_");
        let defined = native.split(&format!("({symbol},")).nth(1);
        let Some(defined) = defined.and_then(|rest| rest.split(";\n").next()) else {
            panic!("{}: nothing in native/ defines {symbol}", entry.id);
        };
        for name in words(entry.call).filter(selects) {
            compared += 1;
            assert!(
                words(defined).any(|word| word == name),
                "{}: `{}` is not read by ({symbol},{defined}",
                entry.id,
                entry.call
            );
        }
    }
    assert!(compared > 30, "only {compared} names were compared");
}
