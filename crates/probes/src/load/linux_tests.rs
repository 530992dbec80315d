use super::super::{Order, Running, start};
use crate::machine::affinity;
use chronoscope_model::waits::Load;
use std::time::{Duration, Instant};

fn order(load: Load) -> Order {
    let cpus = affinity::allowed();
    Order { load, processes: cpus.len(), cpus, fifo: None, whole: false }
}

/// A load that was started, or refused for lack of privilege, which a test must allow for.
fn started(order: &Order) -> Option<Running> {
    match start(order) {
        Ok(running) => Some(running),
        Err(reason) => {
            assert!(reason.0.contains("priority") && reason.0.contains("CAP_SYS_NICE"), "{reason}");
            None
        }
    }
}

fn exists(pid: i32) -> bool {
    // A process that has ended and is not reaped is still there, as a zombie.
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .ok()
        .and_then(|stat| Some(stat.rsplit_once(") ")?.1.chars().next()? != 'Z'))
        .unwrap_or(false)
}

#[test]
fn every_load_runs_gets_time_and_leaves_nothing_behind() {
    let before = affinity::allowed();
    for load in Load::ALL.into_iter().filter(|load| *load != Load::None) {
        let Some(mut running) = started(&order(load)) else {
            continue;
        };
        let pids: Vec<i32> = running.children.iter().map(|w| w.child.pid()).collect();
        assert_eq!(pids.len(), before.len());
        assert!(pids.iter().all(|&pid| exists(pid)), "{}", load.name());
        // A process gets CPU time when the machine has some; an idle-class process may have to
        // wait.
        let patience = Instant::now();
        while running.so_far().cpus() <= 0.0 && patience.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let got = running.stop();
        assert!(got.cpus() > 0.0, "{} got no time", load.name());
        assert!(got.about.len() > 20, "{} does not describe itself", load.name());
        assert_eq!(got.lost(), 0, "{got:?}");
        assert!(!pids.iter().any(|&pid| exists(pid)), "{} left a process behind", load.name());
    }
    // The caller's CPUs and priority are unchanged.
    assert_eq!(affinity::allowed(), before);
    // SAFETY: asks for this process's own nice value and policy.
    let (nice, policy) = unsafe {
        (
            libc::getpriority(libc::PRIO_PROCESS, 0),
            // Not the C library's function, which only fails in musl.
            libc::syscall(libc::SYS_sched_getscheduler, 0),
        )
    };
    assert!(nice >= 0 && policy == libc::SCHED_OTHER as libc::c_long);
}

#[test]
fn a_nice_load_has_the_lowest_nice_value() {
    let running = start(&order(Load::LowNice)).expect("no privilege is needed");
    for watched in &running.children {
        // SAFETY: asks for the nice value of a child that is not reaped.
        let nice =
            unsafe { libc::getpriority(libc::PRIO_PROCESS, watched.child.pid() as libc::id_t) };
        assert_eq!(nice, 19);
    }
    assert_eq!(running.stop().scheduling, "nice 19");
}

#[test]
fn a_load_describes_what_it_does() {
    let about = crate::load::about;
    assert!(about(Load::Low).contains("sleeps for 100 us"), "{}", about(Load::Low));
    assert_eq!(about(Load::Low), about(Load::LowNice));
    assert!(about(Load::Io).contains("64 MiB") && about(Load::Io).contains("fdatasync"));
    assert!(about(Load::Timers).contains("200 us to 319 us"), "{}", about(Load::Timers));
    assert_eq!(about(Load::None), "");
}

#[test]
fn a_real_time_load_outlives_what_one_may_run_without_a_pause() {
    let mut order = order(Load::High);
    // It runs on one of several CPUs: nothing of the test itself would run alongside it.
    if order.cpus.len() < 2 {
        eprintln!("left out: a real-time load on the only CPU");
        return;
    }
    order.cpus.truncate(1);
    order.processes = 1;
    order.fifo = Some(1);
    let Some(mut running) = started(&order) else {
        eprintln!("left out: no privilege for SCHED_FIFO");
        return;
    };
    // The kernel's limit is one second of CPU time.
    let patience = Instant::now();
    while running.so_far().processes[0].cpu_s < 1.5
        && running.children[0].child.alive()
        && patience.elapsed() < Duration::from_secs(20)
    {
        std::thread::sleep(Duration::from_millis(20));
    }
    let so_far = running.so_far();
    assert!(running.children[0].child.alive(), "it ended: {so_far:?}");
    assert!(so_far.processes[0].cpu_s > 1.2, "{so_far:?}");
    assert_eq!(running.stop().lost(), 0);
}

#[test]
fn a_load_ends_with_the_thread_that_started_it() {
    let pids = std::thread::spawn(|| {
        let running = start(&order(Load::Normal)).expect("no privilege is needed");
        let pids: Vec<i32> = running.children.iter().map(|w| w.child.pid()).collect();
        // As if the tool had been killed: nothing is dropped.
        std::mem::forget(running);
        pids
    })
    .join()
    .expect("no panic");
    let patience = Instant::now();
    while pids.iter().any(|&pid| exists(pid)) {
        assert!(patience.elapsed() < Duration::from_secs(20), "they live on");
        std::thread::sleep(Duration::from_millis(5));
    }
    for pid in pids {
        let mut status = 0;
        // SAFETY: the children are ours; this reaps them.
        unsafe { libc::waitpid(pid, &raw mut status, 0) };
    }
}

#[test]
fn a_load_ends_with_a_panic_of_the_thread_that_holds_it() {
    let (say, hear) = std::sync::mpsc::channel();
    let panicked = std::thread::spawn(move || {
        let running = start(&order(Load::Normal)).expect("no privilege is needed");
        let pids: Vec<i32> = running.children.iter().map(|w| w.child.pid()).collect();
        say.send(pids).expect("somebody listens");
        std::panic::resume_unwind(Box::new("as if something had gone wrong"));
    })
    .join();
    assert!(panicked.is_err());
    // What is dropped in unwinding is ended and reaped, at once.
    let pids = hear.recv().expect("it was said");
    assert!(!pids.is_empty() && !pids.iter().any(|&pid| exists(pid)));
}

#[test]
fn a_process_that_is_killed_from_outside_is_told() {
    let mut running = start(&order(Load::Normal)).expect("no privilege is needed");
    assert_eq!(running.so_far().lost(), 0);
    let pid = running.children[0].child.pid();
    // SAFETY: the child is ours and not reaped, so the number is its own.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGKILL) }, 0);
    let patience = Instant::now();
    while running.so_far().lost() == 0 {
        assert!(patience.elapsed() < Duration::from_secs(20), "not seen");
        std::thread::sleep(Duration::from_millis(5));
    }
    let got = running.stop();
    assert!(got.processes[0].ended_s.is_some_and(|s| s > 0.0));
    assert_eq!(got.lost(), 1);
}

#[test]
fn more_processes_than_processors_share_them_and_say_so() {
    let mut order = order(Load::Low);
    order.processes = order.cpus.len() + 1;
    let running = start(&order).expect("no privilege is needed");
    let got = running.stop();
    assert_eq!(got.processes.len(), order.processes);
    assert!(got.notes.iter().any(|note| note.contains("share")));
}

#[test]
fn a_processor_that_is_not_there_is_named_as_the_reason() {
    for cpu in [1000, 100_000] {
        let mut order = order(Load::Normal);
        order.cpus = vec![cpu];
        let reason = start(&order).expect_err("no such processor").0;
        assert!(reason.contains("sched_setaffinity"), "{reason}");
    }
}
