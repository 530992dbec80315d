//! Events as a run has them, from a fixed seed.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[allow(dead_code, reason = "not every file of tests needs it")]
pub mod tmux;

use chronoscope_model::environment::Environment;
use chronoscope_model::recording::{
    Deltas, Event, Late, LoadSince, Machine, Row, SCHEMA, Start, Waits,
};
use chronoscope_model::waits::Load;
use chronoscope_model::why::{Cause, Culprit, Interrupts, Known, Part, Worst};

/// 14:01:09 UTC.
const WALL_NS: u64 = 1_763_992_869_000_000_000;

pub fn start() -> Start {
    let row =
        |id: &str| Row { id: id.into(), requested_ns: 1_000_000, cpu: Some(1), ..Row::default() };
    Start {
        schema: SCHEMA.into(),
        wall_ns: WALL_NS,
        rows: vec![row("rust/thread-sleep"), row("chronoscope/wait")],
        clock: Some("rust/instant".into()),
        environment: Environment { allowed_cpus: vec![0, 1], ..Environment::default() },
        ..Start::default()
    }
}

/// Two methods in turns for 133 s, with a load in the last ones.
pub fn events() -> Vec<Event> {
    let mut rng = fastrand::Rng::with_seed(30);
    let mut events = vec![Event::Start(Box::new(start()))];
    events.push(Event::Load(LoadSince { at_ns: 0, load: Load::None }));
    for tenth in 0..1_330u64 {
        let at_ns = tenth * 100_000_000;
        if tenth == 1_200 {
            events.push(Event::Load(LoadSince { at_ns, load: Load::Normal }));
        }
        let row = (tenth % 2) as usize;
        let usual = [70_000.0, 350.0][row];
        let mut late = || {
            let x = rng.f64();
            let times = match x {
                0.0..0.985 => 0.8 + 0.5 * rng.f64(),
                0.985..0.999 => 4.0 + 4.0 * rng.f64(),
                _ => return (1e6 * (0.3 + 4.0 * rng.f64())) as i64,
            };
            (usual * times) as i64
        };
        let late_ns: Vec<i64> = (0..20).map(|_| late()).collect();
        let after_ns = (0..20).map(|nth| if nth == 0 { 0 } else { 5_000_000 });
        events.push(Event::Waits(Waits { row, at_ns, after_ns: after_ns.collect(), late_ns }));
        if tenth % 10 == 9 {
            events.push(Event::Machine(Machine {
                at_ns,
                drift_ppm: Some(0.013),
                steal_ns: Some(if tenth == 999 { 10_000_000 } else { 0 }),
                cpu: vec![Some(0.019), Some(0.039)],
                ..Machine::default()
            }));
            events.push(Event::Deltas(Deltas {
                at_ns,
                clock: "rust/instant".into(),
                counts: vec![(20, 90), (30, 909), (120, 1), (9_000, u64::from(tenth % 70 == 9))],
                ns_per_tick: 10.0,
                backwards: 0,
            }));
        }
    }
    let at = |s: f64| (s * 1e9) as u64;
    let lates = [
        late(0, at(49.402), &[(Cause::RunQueue, 1_860_000), (Cause::Return, 20_000)], &["rustc"]),
        late(0, at(91.115), &[(Cause::Preempted, 4_110_000)], &["kworker/1:2-events", "sh"]),
        late(1, at(130.006), &[(Cause::Steal, 5_010_000), (Cause::Return, 10_000)], &[]),
    ];
    for event in lates {
        if let Event::Late(Late { row, at_ns, ref wake, .. }) = event {
            let late_ns = vec![wake.late_ns as i64];
            events.push(Event::Waits(Waits { row, at_ns, after_ns: vec![0], late_ns }));
        }
        events.push(event);
    }
    events
}

/// A late wake-up with these parts, and what ran instead.
pub fn late(row: usize, at_ns: u64, parts: &[(Cause, u64)], names: &[&str]) -> Event {
    let culprits = names.iter().enumerate().map(|(nth, name)| Culprit {
        name: Some((*name).into()),
        pid: 4_000 + nth as u32,
        tid: 4_000 + nth as u32,
        policy: Some("SCHED_OTHER".into()),
        ns: parts[0].1 / (nth as u64 + 1),
        wake_ups: 1,
        known: Known::Seen,
        ..Culprit::default()
    });
    let wake = Worst {
        late_ns: parts.iter().map(|(_, ns)| ns).sum(),
        parts: parts.iter().map(|&(cause, ns)| Part { cause, ns }).collect(),
        cpu: Some(1),
        culprits: culprits.collect(),
        interrupts: vec![
            interrupts("24", "eth0\u{1b}[1m", Some(12_000)),
            interrupts("NET_RX", "soft interrupt", Some(9_000)),
            interrupts("LOC", "Local timer interrupts", None),
        ],
        idle: Some("C1".into()),
        ..Worst::default()
    };
    Event::Late(Late { row, at_ns, hz: Some(2.6e9), wake })
}

fn interrupts(id: &str, name: &str, ns: Option<u64>) -> Interrupts {
    Interrupts { id: id.into(), name: name.into(), count: 2, ns }
}
