//! The call that is shown is the one that is timed: what it names stands in the file that waits.

use super::{ALL, FILES};
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
        // The moment that is waited for, which C++ and the library compute in native/waits.cpp.
        "std::chrono::steady_clock::now()" => "steady_clock::now",
        other => other.trim_end_matches("()").trim_start_matches("std::this_thread::"),
    }
}

#[test]
fn what_a_call_names_stands_in_the_file_that_waits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| {
        std::fs::read_to_string(folder.join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
    };
    let files =
        FILES.iter().flat_map(|(family, files)| files.iter().map(move |file| (*family, *file)));
    for (entry, (family, file)) in ALL.iter().zip(files) {
        let source = read(&format!("src/waits/{family}/{file}.rs"));
        // What stands before is the entry, which the call is part of.
        let (_, mut code) = source.split_once("opener:").expect("an opener");
        let shared = match family {
            "cxx" => read("native/waits.cpp"),
            "windows" if file.contains("timer") => read("src/waits/windows_timer.rs"),
            "busy" if file == "qpc" => read("src/waits/windows_qpc.rs"),
            "own" => read("src/waits/own/wait.rs"),
            // The sleep is that of another file, and the spin that of all.
            "hybrid" if file != "fixed" => {
                let sleep = ["linux", "windows"].map(|home| format!("src/waits/{home}/{file}.rs"));
                let sleep = sleep.iter().find(|path| folder.join(path).is_file());
                let both = [sleep.expect("a sleep"), "src/waits/windows_timer.rs"];
                both.map(read).concat() + &read("src/waits/os/windows.rs") + "os::monotonic"
            }
            _ => String::new(),
        };
        if !shared.is_empty() {
            code = &shared;
        }
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
