//! The call that is shown is the one that is timed: what it names stands in the code that waits.

use super::ALL;
use crate::lists::tests::sources;
use crate::shown::does;
use std::path::Path;

/// What stands in the source for a function or an instruction of a call. An iteration of a busy
/// wait is in `spin.rs`, and so are the reads of its clock.
fn source_of(shown: &str) -> &str {
    match shown {
        "__rdtsc()" => "counter",
        "_mm_pause()" => "spin_loop",
        "_tpause()" => "tpause {",
        "_umonitor()" => "umonitor {",
        "_umwait()" => "umwait {",
        "start.elapsed()" | "elapsed()" => "spin_elapsed",
        "duration.saturating_sub()" => "saturating_sub",
        // `File::read` and `os::monotonic` make these calls.
        "read()" => ".read(",
        "clock_gettime()" => "os::monotonic",
        "chronoscope::wait::sleep()" => "waiter.sleep",
        // The moment that is waited for, which C++ and the library compute in native/waits.cpp.
        "std::chrono::steady_clock::now()" => "steady_clock::now",
        other => other.trim_end_matches("()").trim_start_matches("std::this_thread::"),
    }
}

#[test]
fn what_a_call_names_stands_in_the_code_that_waits() {
    let sources = sources("src/waits");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| {
        std::fs::read_to_string(folder.join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
    };
    for entry in ALL {
        let id = format!(" id: \"{}\"", entry.id);
        let (_, source) = sources.iter().find(|(_, text)| text.contains(&id)).expect("the entry");
        let (_, entry_on) = source.split_once(&id).expect("the entry");
        // What stands before is the entry, which the call is part of. What follows a table is the
        // code of all its rows.
        let (_, code) = entry_on.split_once("opener:").expect("an opener");
        let (own, rest) = code.split_once(" id: \"").unwrap_or((code, ""));
        let (_, rest) = rest.split_once("\n];\n").unwrap_or_default();
        let (family, name) = entry.id.split_once('/').unwrap_or_default();
        let elsewhere = match family {
            "cxx" => read("native/waits.cpp"),
            "windows" if name.contains("timer") => read("src/waits/windows_timer.rs"),
            "busy" if name == "qpc" => read("src/waits/windows_qpc.rs"),
            "busy" if name == "monotonic" => read("src/waits/spin.rs"),
            // The sleep is another entry's, and the spin is shared by all.
            "hybrid" if name != "fixed" => {
                let sleep = ["linux/timerfd.rs", "windows.rs", "windows_timer.rs", "unix.rs"];
                let sleep = sleep.map(|file| read(&format!("src/waits/{file}"))).concat();
                sleep + &read("src/waits/windows_qpc.rs") + "os::monotonic"
            }
            _ => String::new(),
        };
        let code = format!("{own}{rest}{elsewhere}");
        for shown in does(entry.call) {
            let name = source_of(&shown);
            assert!(
                code.contains(name),
                "{}: `{}` is shown, but {name} is nowhere in what waits",
                entry.id,
                entry.call
            );
        }
    }
}
