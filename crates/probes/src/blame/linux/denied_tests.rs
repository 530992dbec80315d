//! Sandboxes: what is denied is named, and the rest goes on. A filter of system calls belongs to
//! the thread that installs it, and ends with it.

use super::{Record, Scan, Sources, read_task, this_thread};
use crate::blame::Missing;
use std::time::Duration;

/// Offset of the number of the system call in `struct seccomp_data` (linux/seccomp.h).
const NUMBER: u32 = 0;

/// Runs `test` in a thread in which these system calls fail with `error`; not at all where filters
/// cannot be installed, as under qemu-user.
fn without(calls: &[libc::c_long], error: i32, test: impl FnOnce() + Send) {
    let instruction = |code: u32, jt, jf, k| libc::sock_filter { code: code as u16, jt, jf, k };
    let (load, equal) =
        (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K);
    let give = libc::BPF_RET | libc::BPF_K;
    let mut filter = vec![instruction(load, 0, 0, NUMBER)];
    for &call in calls {
        filter.push(instruction(equal, 0, 1, call as u32));
        filter.push(instruction(give, 0, 0, libc::SECCOMP_RET_ERRNO | error as u32));
    }
    filter.push(instruction(give, 0, 0, libc::SECCOMP_RET_ALLOW));
    let install = move || {
        let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
        // SAFETY: the program outlives the calls, and both concern this thread only.
        unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program)
                    == 0
        }
    };
    std::thread::scope(|scope| {
        let mut install = install;
        let thread = scope.spawn(move || match install() {
            true => test(),
            false => eprintln!("not tested: this system installs no filters of system calls"),
        });
        thread.join().expect("the test in the thread");
    });
}

fn reason<'a>(missing: &'a [Missing], id: &str) -> &'a str {
    let found = missing.iter().find(|one| one.id == id);
    found.map_or_else(|| panic!("{id}: {missing:?}"), |one| one.reason.as_str())
}

#[test]
fn without_perf_events_the_rest_goes_on() {
    let (here, _) = Sources::open();
    let queue = here.queue.is_some();
    for (error, says) in [
        (libc::EACCES, "perf_event_paranoid"),
        (libc::EPERM, "seccomp"),
        (libc::ENOSYS, "no perf_event_open"),
    ] {
        without(&[libc::SYS_perf_event_open], error, || {
            let (mut sources, missing) = Sources::open();
            let why = reason(&missing, "switches");
            assert!(why.contains(says), "{why}");
            sources.look(true);
            std::thread::sleep(Duration::from_millis(1));
            let seen = sources.look(true);
            assert_eq!(seen.switches, None);
            assert_eq!(seen.lost, 0);
            assert_eq!(seen.queued_ns.is_some(), queue);
            // Whose time has grown can be seen all the same.
            let why = Record::open(0).expect_err("denied");
            assert!(why.contains(says), "{why}");
            assert!(read_task(this_thread()).is_some_and(|it| it.name.is_some()));
            Scan::new(0).look();
        });
    }
}

/// No schedstat, no control groups, no idle states: nothing can be opened.
#[test]
fn without_files_the_switches_are_seen() {
    let opens = [
        libc::SYS_openat,
        #[cfg(any(target_arch = "x86_64", target_arch = "x86", target_arch = "arm"))]
        libc::SYS_open,
    ];
    let (here, _) = Sources::open();
    let switches = here.switches.is_some();
    without(&opens, libc::EACCES, || {
        let (mut sources, missing) = Sources::open();
        for id in ["schedstat", "cpu-stat", "cpuidle"] {
            assert!(!reason(&missing, id).is_empty());
        }
        sources.look(true);
        std::thread::sleep(Duration::from_millis(1));
        let seen = sources.look(true);
        assert_eq!((seen.queued_ns, seen.throttled_ns), (None, None));
        assert_eq!(seen.idle, None);
        assert_eq!(seen.switches.is_some(), switches);
    });
}
