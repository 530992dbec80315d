//! A process that is busy on the CPU of a waiting thread is named, by the record of switches where
//! that is permitted, and by its CPU time everywhere.
#![cfg(target_os = "linux")]

use chronoscope_probes::blame::{
    Found, Names, Record, Scan, Sources, Span, Task, Turn, this_thread,
};
use chronoscope_probes::blame::{hidden, read_task};
use chronoscope_probes::machine::affinity;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const NAME: &str = "planted-hog";
/// Whatever else runs, a busy process gets its CPU within this time.
const PATIENCE: Duration = Duration::from_secs(60);

/// A busy process of this name on the CPU of the calling thread, which it ends with.
struct Hog(Child);

impl Hog {
    fn start() -> Self {
        let script = format!("printf {NAME} > /proc/self/comm; while :; do :; done");
        let child = Command::new("sh").args(["-c", &script]).stdin(Stdio::null()).spawn();
        let hog = Self(child.expect("a shell"));
        let began = Instant::now();
        while hog.name().as_deref() != Some(NAME) {
            assert!(began.elapsed() < PATIENCE, "it is {:?}", hog.name());
            std::thread::sleep(Duration::from_millis(5));
        }
        hog
    }

    fn task(&self) -> Task {
        Task { pid: self.0.id(), tid: self.0.id() }
    }

    fn name(&self) -> Option<String> {
        read_task(self.task())?.name
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        // An error means that it has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sleeps and spins until the hog has had the CPU while this thread was ready to run.
fn seen(record: &mut Record, hog: Task) -> bool {
    let (mut sources, missing) = Sources::open();
    assert!(!missing.iter().any(|one| one.id == "switches"), "it has less privilege: {missing:?}");
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        sources.forget();
        record.look();
        let spin = Instant::now();
        while spin.elapsed() < Duration::from_millis(20) {
            std::hint::spin_loop();
        }
        // A spin on a shared CPU is preempted.
        let Some(switches) = sources.look(true, None).switches.map(<[_]>::to_vec) else {
            continue;
        };
        let pairs = switches.windows(2).filter(|pair| pair[0].turn == Turn::Preempted);
        let spans: Vec<Span> =
            pairs.map(|pair| Span { from: pair[0].at, to: pair[1].at }).collect();
        if spans.is_empty() {
            continue;
        }
        let Ok(Found { ran, .. }) = record.ran(this_thread(), &spans, None) else {
            continue;
        };
        let (sum, whole) = (
            ran.iter().map(|ran| ran.ns).sum::<u64>(),
            spans.iter().map(|span| span.to - span.from).sum::<u64>(),
        );
        assert!(sum <= whole, "{ran:?} in {spans:?}");
        if ran.iter().any(|ran| ran.task == hog && ran.ns > 0) {
            return true;
        }
    }
    false
}

#[test]
fn a_planted_hog_is_named() {
    if hidden().is_some() {
        eprintln!("not tested: /proc does not show every process");
        return;
    }
    let cpu = *affinity::allowed().last().expect("a CPU");
    let _pin = affinity::pin(cpu).expect("an allowed CPU");
    let hog = Hog::start();

    let mut names = Names::default();
    names.want(hog.task());
    let read = names.wanted().into_iter().map(|task| (task, read_task(task))).collect();
    names.learn(read);
    let mut culprit = chronoscope_model::why::Culprit {
        pid: hog.task().pid,
        tid: hog.task().tid,
        ..Default::default()
    };
    names.name(&mut culprit);
    assert_eq!((culprit.name.as_deref(), culprit.other_user), (Some(NAME), false));
    assert!(culprit.policy.is_some());

    match Record::open(cpu) {
        Ok(mut record) => assert!(seen(&mut record, hog.task()), "it was not seen"),
        Err(why) => eprintln!("not tested: {why}"),
    }

    // Everybody may see whose time grows. A scan that has no time for all goes on with the rest.
    let (mut scan, began) = (Scan::new(cpu), Instant::now());
    loop {
        let scanned = scan.look();
        let mut found = scanned.grown.iter().filter(|(ran, _)| ran.task == hog.task());
        if let Some((ran, named)) = found.next() {
            assert!(ran.ns > 0 && named.name.as_deref() == Some(NAME), "{named:?}");
            break;
        }
        assert!(began.elapsed() < PATIENCE, "it was not found");
        std::thread::sleep(Duration::from_millis(20));
    }
}
