//! The effect of separate threads and settled cores on each method:
//! `isolation [DURATION] [SECONDS]`. Both ways of measuring take turns of half a second, so that a
//! slow period of the machine affects both.

use chronoscope_measure::engine::Interrupt;
use chronoscope_measure::waits::{Hooks, Plan, Slack, WaitSpec, run};
use chronoscope_model::histogram::{Decoded, empty};
use chronoscope_model::quantile::{Percentile, Quantile};
use chronoscope_model::units::{human_ns, parse_duration};
use chronoscope_model::waits::Load;
use chronoscope_probes::machine::affinity;
use chronoscope_probes::waits::{Entry, find};
use std::collections::BTreeMap;
use std::time::Duration;

/// Two sleeps, and methods that may affect them: spins, and sleeps that end in a spin.
const METHODS: [&str; 5] = [
    "linux/clock_nanosleep-abs",
    "rust/thread-sleep",
    "busy/instant",
    "hybrid/fixed",
    "chronoscope/wait",
];
/// How long one way of measuring lasts before it is the other's turn.
const SLICE: Duration = Duration::from_millis(500);

/// The load, the method, and whether the method had a thread of its own.
type Key = (Load, &'static str, bool);

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let wait = args.first().map_or(Ok(Duration::from_millis(1)), |arg| parse_duration(arg));
    let seconds = args.get(1).map_or(Ok(10.0), |arg| arg.parse::<f64>());
    let (Ok(wait), Ok(seconds)) = (wait, seconds) else {
        eprintln!("isolation [DURATION] [SECONDS]");
        return;
    };
    let methods: Vec<&'static Entry> = METHODS.iter().filter_map(|id| find(id)).collect();
    let methods: Vec<&'static Entry> =
        methods.into_iter().filter(|entry| !entry.is_on_other_system()).collect();
    let mut found: BTreeMap<Key, Decoded> = BTreeMap::new();
    let turns = (seconds / SLICE.as_secs_f64() / 4.0).ceil().max(1.0) as u64;
    for turn in 0..turns {
        for load in [Load::None, Load::Normal] {
            for isolated in [turn % 2 == 0, turn % 2 == 1] {
                let plan = Plan {
                    methods: methods.clone(),
                    spec: WaitSpec {
                        slack: vec![Slack::Ns(1)],
                        wait: vec![wait],
                        duration: Some(SLICE.max(wait * 10)),
                        load: vec![load],
                        ..WaitSpec::default()
                    },
                    cpus: affinity::allowed().last().copied().into_iter().collect(),
                    one_thread: !isolated,
                    seed: turn,
                    ..Plan::default()
                };
                if let Err(why) = measure(&plan, load, &mut found) {
                    eprintln!("{why}");
                    return;
                }
            }
        }
    }
    println!(
        "load    method                     thread  waits  p50 (95 %)  p90 (95 %)  p99 (95 %)"
    );
    for ((load, id, isolated), hdr) in &found {
        let thread = if *isolated { "own" } else { "shared" };
        print!("{:7} {id:26} {thread:7} {:5}", load.name(), hdr.len());
        for percentile in [Percentile::P50, Percentile::P90, Percentile::P99] {
            let text = Quantile::of(hdr, percentile).map_or("-".to_owned(), |q| {
                let ns = |ns: u64| human_ns(ns as f64);
                format!("{} ({} to {})", ns(q.value), ns(q.low), ns(q.high))
            });
            print!("  {text}");
        }
        println!();
    }
}

/// Adds the overshoots of one turn.
fn measure(plan: &Plan, load: Load, found: &mut BTreeMap<Key, Decoded>) -> Result<(), String> {
    let mut hooks = Hooks {
        interrupt: &Interrupt::default(),
        progress: &mut |_| {},
        checkpoint: None,
        done: &mut |_, _, _| {},
    };
    let rows = run(plan, None, &mut hooks).map_err(|error| error.to_string())?.rows;
    for (entry, row) in plan.methods.iter().zip(&rows) {
        let hdr = row.overshoot.decode()?;
        let all = found.entry((load, entry.id, !plan.one_thread)).or_insert_with(empty);
        all.add(&hdr).map_err(|error| format!("{error:?}"))?;
    }
    Ok(())
}
