//! Planted disturbances are seen, and what cannot be seen is never called clean.

use std::time::Duration;

use chronoscope::witness::{Disturbance, Level, Verdict, Witness};

const LEVELS: [Level; 3] = [Level::Marks, Level::Entries, Level::Gauges];

/// The verdict on one piece.
fn verdict<T>(witness: &mut Witness, piece: impl FnOnce() -> T) -> Verdict {
    witness.begin();
    piece();
    witness.end()
}

/// The share of pieces of which that was seen; `None` if it cannot be seen here.
fn share(level: Level, what: Disturbance, mut piece: impl FnMut(usize)) -> Option<f64> {
    const PIECES: usize = 200;
    let mut witness = Witness::new(level);
    let seen: Option<Vec<bool>> =
        (0..PIECES).map(|nth| verdict(&mut witness, || piece(nth)).saw(what)).collect();
    Some(seen?.into_iter().filter(|seen| *seen).count() as f64 / PIECES as f64)
}

#[test]
fn a_piece_that_sleeps_or_handles_a_signal_has_lost_its_mark() {
    // Not shorter: a timer that fires before the thread gave its CPU up switches nothing.
    let slept = share(Level::Marks, Disturbance::Preempted, |_| {
        std::thread::sleep(Duration::from_millis(2));
    });
    assert!(slept.is_none_or(|share| share == 1.0), "{slept:?}");
    #[cfg(target_os = "linux")]
    {
        extern "C" fn handle(_: libc::c_int) {}
        // SAFETY: the handler does nothing; the thread sends the signal to itself.
        let raised = unsafe {
            libc::signal(libc::SIGURG, handle as extern "C" fn(libc::c_int) as usize);
            share(Level::Marks, Disturbance::Preempted, |_| {
                libc::raise(libc::SIGURG);
            })
        };
        assert!(raised.is_none_or(|share| share == 1.0), "{raised:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_piece_that_changes_its_cpu_has_moved() {
    // SAFETY: sets of CPUs are plain bits, and the places are valid for their size.
    unsafe {
        let size = size_of::<libc::cpu_set_t>();
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        assert_eq!(libc::sched_getaffinity(0, size, &raw mut allowed), 0);
        let cpus: Vec<usize> = (0..1024).filter(|cpu| libc::CPU_ISSET(*cpu, &allowed)).collect();
        let to = |cpu: usize| {
            let mut one: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(cpu, &mut one);
            assert_eq!(libc::sched_setaffinity(0, size, &raw const one), 0);
        };
        to(cpus[0]);
        let moved = share(Level::Marks, Disturbance::Moved, |nth| to(cpus[(nth + 1) % cpus.len()]));
        libc::sched_setaffinity(0, size, &raw const allowed);
        assert!(cpus.len() < 3 || moved.is_none_or(|share| share > 0.95), "{moved:?}");
        assert!(cpus.len() != 2 || moved.is_none_or(|share| share == 1.0), "{moved:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_page_fault_is_seen_as_an_entry() {
    const PAGE: usize = 4096;
    // SAFETY: new memory wherever the kernel likes; each write is inside of it.
    unsafe {
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let memory = libc::mmap(std::ptr::null_mut(), 256 * PAGE, access, kind, -1, 0);
        assert_ne!(memory, libc::MAP_FAILED);
        // From a page of a file, so that no kernel maps several at once.
        libc::madvise(memory, 256 * PAGE, libc::MADV_NOHUGEPAGE);
        let faults = share(Level::Entries, Disturbance::Interrupted, |nth| {
            memory.cast::<u8>().add(nth * PAGE).write_volatile(1);
        });
        libc::munmap(memory, 256 * PAGE);
        assert!(faults.is_none_or(|share| share == 1.0), "{faults:?}");
    }
}

#[test]
fn what_was_taken_is_what_the_thread_did_not_run() {
    let (mut witness, began) = (Witness::new(Level::Gauges), std::time::Instant::now());
    let slept = verdict(&mut witness, || std::thread::sleep(Duration::from_millis(5)));
    // A kernel may count CPU time in whole ticks.
    assert!(slept.taken_ns().is_none_or(|taken| taken >= 1_000_000), "{slept:?}");
    // Pieces too short for a look at the CPU time hide nothing of a later one, and add nothing.
    for _ in 0..10 {
        let short: Vec<Verdict> = (0..7).map(|_| verdict(&mut witness, || ())).collect();
        let slept = verdict(&mut witness, || std::thread::sleep(Duration::from_millis(5)));
        let within = 1_000_000..=began.elapsed().as_nanos() as u64;
        assert!(slept.taken_ns().is_none_or(|taken| within.contains(&taken)), "{slept:?}");
        assert!(short.iter().all(|it| it.taken_ns() <= Some(*within.end())), "{short:?}");
        assert!(short.iter().all(|it| it.is_clean() != Some(true) || it.taken_ns() < Some(20_000)));
    }
}

#[test]
fn a_piece_of_nothing_is_mostly_clean_or_unknown() {
    for level in LEVELS {
        let mut witness = Witness::new(level);
        let found: Vec<Verdict> = (0..1000).map(|_| verdict(&mut witness, || ())).collect();
        // The machine may be loaded, and a neighbour on the core for all of the time.
        let marks = [Disturbance::Preempted, Disturbance::Moved, Disturbance::Interrupted];
        for what in marks {
            let seen = found.iter().filter(|verdict| verdict.saw(what) == Some(true)).count();
            assert!(seen < 500, "{level:?}: {what:?} in {seen} of 1000");
        }
        let unknown = found.iter().filter(|verdict| verdict.is_clean().is_none()).count();
        assert!(unknown == 0 || found.iter().all(|verdict| verdict.is_clean() != Some(true)));
    }
}

/// An end without a beginning, a piece within a piece, and a witness that is dropped in between.
#[test]
fn what_cannot_be_seen_is_never_clean() {
    for level in LEVELS {
        let mut witness = Witness::new(level);
        let none = witness.end();
        assert_eq!((none.is_clean(), none.found_bits(), none.taken_ns()), (None, 0, None));
        let nested = verdict(&mut witness, || {
            let mut inner = Witness::new(level);
            inner.begin();
            drop(inner);
        });
        assert_ne!(nested.is_clean(), Some(true), "{nested}");
        assert_eq!(witness.end().is_clean(), None);
    }
}

#[test]
fn a_verdict_says_what_it_saw() {
    let mut witness = Witness::new(Level::Entries);
    let slept = verdict(&mut witness, || std::thread::sleep(Duration::from_millis(2)));
    match slept.saw(Disturbance::Preempted) {
        Some(_) => assert!(slept.to_string().starts_with("preempted"), "{slept}"),
        None => assert!(slept.to_string().starts_with("unknown: preempted, moved"), "{slept}"),
    }
    assert_eq!(slept.found_bits() & slept.unknown_bits(), 0);
}

/// A thread that another one competes with for its CPU is preempted as often as the kernel counts.
#[cfg(target_os = "linux")]
#[test]
fn a_rival_on_the_same_cpu_is_seen_as_often_as_the_kernel_switches() {
    use std::sync::atomic::{AtomicBool, Ordering};
    static DONE: AtomicBool = AtomicBool::new(false);
    // SAFETY: sets of CPUs are plain bits, and the places are valid for their size.
    let pin = || unsafe {
        let size = size_of::<libc::cpu_set_t>();
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        assert_eq!(libc::sched_getaffinity(0, size, &raw mut set), 0);
        let first = (0..1024).find(|cpu| libc::CPU_ISSET(*cpu, &set)).unwrap();
        set = std::mem::zeroed();
        libc::CPU_SET(first, &mut set);
        libc::sched_setaffinity(0, size, &raw const set);
    };
    let switches = || unsafe {
        // SAFETY: a valid place.
        let mut used: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &raw mut used);
        used.ru_nvcsw + used.ru_nivcsw
    };
    let watched = std::thread::spawn(move || {
        pin();
        let rival = std::thread::spawn(|| {
            while !DONE.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
        let mut witness = Witness::new(Level::Marks);
        let (mut agreed, mut marked) = (0, 0);
        for _ in 0..200 {
            let before = switches();
            let start = chronoscope::Instant::now();
            let found =
                verdict(&mut witness, || while start.elapsed() < Duration::from_millis(2) {});
            let switched = switches() > before;
            let saw = found.saw(Disturbance::Preempted);
            agreed += u32::from(saw.is_none_or(|saw| saw == switched));
            marked += u32::from(saw != Some(false));
        }
        DONE.store(true, Ordering::Relaxed);
        rival.join().unwrap();
        (agreed, marked)
    });
    let (agreed, marked) = watched.join().unwrap();
    // A switch may fall between the count and the mark, and a signal is no switch.
    assert!(agreed >= 190 && marked >= 20, "{agreed} agreed, {marked} marked of 200");
}

#[test]
fn disturbed_runs_are_made_again_as_often_as_were_wanted() {
    for level in LEVELS {
        let mut runs = 0;
        let timed = Witness::new(level).time(100, || {
            runs += 1;
            std::thread::sleep(Duration::from_micros(20));
        });
        assert_eq!(runs, 100 + timed.left_out);
        assert!(timed.took >= Duration::from_millis(2), "{timed:?}");
        assert!(timed.left_out <= 100 && timed.disturbed <= 100, "{timed:?}");
        let seen = Witness::new(level).end().unknown_bits() == 0;
        assert!(!seen || timed.disturbed > 90, "{timed:?}");
    }
}
