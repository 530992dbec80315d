use super::*;
use crate::lists::tests::{check, sources};
use crate::order::{Handed, Lapse, Line, Turns, Work};
use std::collections::HashSet;

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
            !entry.about.is_empty() && !entry.references.is_empty() && !entry.home.is_empty(),
            "{}: a text is missing",
            entry.id
        );
    }
}

#[test]
fn files_are_named_after_their_clocks() {
    let sources = sources("src/clocks");
    for (path, text) in sources.iter().filter(|(_, text)| text.contains("const ENTRY: Entry")) {
        let (_, rest) = text.split_once("    id: \"").expect("an id");
        let (id, _) = rest.split_once('"').expect("the end of the id");
        let file = path.file_stem().expect("a name").to_string_lossy();
        assert!(id.replace(['/', '-'], "_").ends_with(&*file), "{id} is in {file}.rs");
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
                assert!(reader.around(3, &[1, 2]) == 9 && reader.loop_address() != 0);
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
