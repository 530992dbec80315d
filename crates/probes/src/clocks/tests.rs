use super::*;
use crate::catalogue::tests::check;
use crate::order::{Handed, Lapse, Line, Turns, Work};
use crate::shown::does;
use std::collections::HashSet;
use std::path::Path;

#[test]
fn every_entry_and_table_is_in_a_list() {
    check("src/clocks");
}

#[test]
fn ids_are_unique_well_formed_and_explained() {
    let mut seen = HashSet::new();
    for entry in every() {
        assert!(seen.insert(entry.id), "{} occurs twice", entry.id);
        let (family, variant) = entry.id.split_once('/').expect("family/variant");
        let fine = |s: &str| {
            !s.is_empty()
                && s.chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c))
        };
        assert!(fine(family) && fine(variant), "{}", entry.id);
        assert!(
            !entry.about().is_empty() && !entry.references().is_empty() && !entry.home.is_empty(),
            "{}: a text is missing",
            entry.id
        );
    }
}

#[test]
fn an_alternative_is_to_a_clock_of_the_same_kind() {
    for entry in every() {
        let Some(id) = entry.alternative_to else {
            continue;
        };
        let other = find(id).unwrap_or_else(|| panic!("{}: no clock {id} exists", entry.id));
        assert_ne!(id, entry.id);
        assert_eq!(entry.kind, other.kind, "{} and {id}", entry.id);
    }
}

#[test]
fn two_ways_to_make_a_system_call_have_the_same_facts() {
    let bare = every().filter_map(|entry| Some((entry, entry.id.strip_suffix("-bare")?)));
    let mut compared = 0;
    for (entry, clock) in bare {
        let other = find(&format!("{clock}-syscall"));
        let other = other.unwrap_or_else(|| panic!("{} has no other way", entry.id));
        assert_eq!(entry.facts, other.facts, "{}", entry.id);
        assert_eq!(entry.alternative_to, other.alternative_to, "{}", entry.id);
        compared += 1;
    }
    assert_eq!(compared, 9);
}

/// The clocks that every machine of this target has. A build without its compilers lacks most of
/// them, and must not pass the test.
fn certain() -> Vec<&'static str> {
    let mut ids = vec!["c/clock", "c/time", "rust/instant", "rust/system_time"];
    ids.extend(["chronoscope/instant", "chronoscope/ordered"]);
    if cfg!(native_cxx) {
        ids.extend(["cxx/steady_clock", "cxx/system_clock-nocast"]);
    }
    if cfg!(unix) {
        ids.extend(["posix/realtime", "posix/monotonic", "posix/thread-cputime"]);
        ids.push("c/getrusage");
    }
    if cfg!(target_os = "linux") {
        ids.extend(["linux/monotonic-raw", "linux/boottime", "linux/monotonic-coarse"]);
        ids.extend(["linux/monotonic-syscall", "linux/thread-cputime-syscall"]);
    }
    if cfg!(windows) {
        ids.extend(["windows/qpc", "windows/gettickcount64"]);
    }
    if cfg!(target_vendor = "apple") {
        ids.push("mach/absolute_time");
    }
    if cfg!(target_arch = "x86_64") {
        ids.extend(["x86/rdtsc-asm", "x86/rdtsc-intrinsic", "x86/lfence-rdtsc"]);
    }
    ids
}

#[test]
fn clocks_that_every_machine_has_can_be_opened() {
    for id in certain() {
        let entry = find(id).expect("an entry");
        if let Err(reason) = entry.open(Opening::Checked) {
            panic!("{id}: {reason}");
        }
    }
}

#[test]
fn a_clock_opens_and_reads_or_gives_a_reason() {
    for entry in every() {
        match entry.open(Opening::Checked) {
            Ok(mut reader) => {
                reader.throughput(0, 11);
                reader.latency(0, 11);
                let mut values = [0; 5];
                reader.fill(&mut values);
                assert!(values[4] > 0 || entry.kind == Kind::Cpu, "{} reads zero", entry.id);
                assert!(
                    (0..COPIES).all(|copy| reader.around(copy, 3, &[1, 2]) == 9)
                        && reader.loop_address() != 0
                );
                for work in [Work::Nothing, Work::Load, Work::LoadAndBranch, Work::Chain] {
                    let mut lapses = [Lapse::default(); 3];
                    reader.after(work, false, &Line::default(), &mut lapses);
                    reader.after(work, true, &Line::default(), &mut lapses);
                    let seen = lapses.iter().any(|lapse| lapse.later > 0);
                    assert!(!seen || reader.shows_later(), "{}", entry.id);
                    // On other machines the counter may be too coarse to change in so short a time.
                    let all = lapses.iter().all(|lapse| lapse.later > 0);
                    let coarse = !cfg!(target_arch = "x86_64");
                    assert!(all || coarse || !reader.shows_later(), "{}", entry.id);
                }
            }
            Err(reason) => assert!(!reason.0.is_empty(), "{} has no reason", entry.id),
        }
    }
}

#[test]
fn every_clock_states_what_it_is_built_on() {
    use chronoscope_model::clock::BuiltOn;
    for entry in every() {
        let on = entry.facts.built_on;
        assert_ne!(on, BuiltOn::Unknown, "{}", entry.id);
        let direct = matches!(on, BuiltOn::Counter | BuiltOn::Cycles);
        let reads = entry.facts.reads == chronoscope_model::clock::Reads::Counter;
        assert_eq!(direct, reads, "{}", entry.id);
        assert_eq!(on == BuiltOn::CpuTime, entry.kind == Kind::Cpu, "{}", entry.id);
    }
}

#[test]
fn a_clock_hands_its_values_to_a_second_reader() {
    for entry in certain().into_iter().filter_map(find) {
        if entry.facts.built_on == chronoscope_model::clock::BuiltOn::CpuTime {
            continue;
        }
        let (mut first, mut second) = match [(); 2].map(|()| entry.open(Opening::Checked)) {
            [Ok(first), Ok(second)] => (first, second),
            _ => panic!("{} cannot be opened twice", entry.id),
        };
        let turns = Turns::default();
        let (a, b) = std::thread::scope(|scope| {
            let b = scope.spawn(|| second.hand(&turns, 1, 20));
            (first.hand(&turns, 0, 20), b.join().expect("no panic"))
        });
        // On a busy machine the other thread may be kept waiting until the game is given up.
        assert!(a.turns.abs_diff(b.turns) <= 1 && a.turns <= 20, "{a:?} {b:?}");
    }
}

#[test]
fn hand_overs_that_run_backwards_are_counted() {
    use std::sync::atomic::{AtomicU64, Ordering};
    // Shared by both players; every read is smaller than the one before.
    let clock = AtomicU64::new(1 << 40);
    let play = |step: fn(&AtomicU64) -> u64| -> [Handed; 2] {
        let turns = Turns::default();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| turns.play(1, 50, || step(&clock)));
            [turns.play(0, 50, || step(&clock)), second.join().expect("no panic")]
        })
    };
    let [a, b] = play(|clock| clock.fetch_sub(7, Ordering::Relaxed));
    // The first turn of all is handed a zero.
    assert!(a.backwards + b.backwards + 1 >= a.turns + b.turns, "{a:?} {b:?}");
    assert!(b.turns == 0 || (a.worst.max(b.worst)) == 7, "{a:?} {b:?}");
    let [a, b] = play(|clock| clock.fetch_add(7, Ordering::Relaxed));
    assert_eq!((a.backwards, b.backwards, a.worst, b.worst), (0, 0, 0, 0));
}

/// What some functions are in the machine code. The library's own clock and some peers are
/// inlined, and so are intrinsics; the vDSO's function is called through a pointer.
fn compiled(function: &str) -> Vec<&str> {
    match function {
        "_mm_lfence()" => vec!["lfence"],
        "_mm_mfence()" => vec!["mfence"],
        "_serialize()" => vec!["serialize"],
        "__cpuid()" => vec!["cpuid"],
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

/// `cargo xtask disasm` checks that the machine code contains it.
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
    for entry in every().filter(|entry| entry.language != Language::Rust) {
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
