//! Measures waits without the command-line tool: `waits DURATION COUNT [LOAD] [ID…]`.

use chronoscope_measure::engine::Interrupt;
use chronoscope_measure::waits::{Hooks, Plan, Slack, WaitSpec, run};
use chronoscope_model::units::{human_ns, parse_duration};
use chronoscope_probes::waits::{ALL, find};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (Some(wait), Some(count)) = (args.first(), args.get(1)) else {
        eprintln!("waits DURATION COUNT [LOAD] [ID…]");
        return;
    };
    let plan = || -> Result<Plan, String> {
        let mut methods = Vec::new();
        for id in args.iter().skip(3) {
            methods.push(find(id).ok_or(format!("unknown wait method {id}"))?);
        }
        if methods.is_empty() {
            methods = ALL.to_vec();
        }
        let spec = WaitSpec {
            slack: vec![Slack::Default, Slack::Ns(1)],
            wait: vec![parse_duration(wait).map_err(|e| e.to_string())?],
            count: Some(count.parse().map_err(|_| "the count must be a whole number".to_owned())?),
            load: vec![args.get(2).map_or("none", |l| l.as_str()).parse()?],
            ..WaitSpec::default()
        };
        Ok(Plan { methods, spec, ..Plan::default() })
    };
    let mut hooks = Hooks {
        interrupt: &Interrupt::default(),
        progress: &mut |p| eprint!("\r{} waits ", p.samples),
        checkpoint: None,
        done: &mut |_, _, _| {},
    };
    let found = plan().and_then(|plan| run(&plan, None, &mut hooks).map_err(|e| e.to_string()));
    match found {
        Ok(found) => {
            for row in found.rows.iter().filter(|row| row.available) {
                let h = &row.overshoot;
                println!(
                    "{:28} {:>6} n {:6} early {} p50 {:>9} p99 {:>9} max {:>9} cpu {:>8} sw \
                     {:?}/{:?}",
                    row.id,
                    row.slack_ns.map_or(String::new(), |ns| ns.to_string()),
                    row.samples,
                    row.early,
                    percentile(h.p50_ns),
                    percentile(h.p99_ns),
                    human_ns(row.max_ns as f64),
                    human_ns(row.cpu_ns.unwrap_or(0.0)),
                    row.voluntary_switches.unwrap_or(0),
                    row.involuntary_switches.unwrap_or(0),
                );
            }
            for row in found.rows.iter().filter(|row| !row.available) {
                println!("{:28} {}", row.id, row.unavailable_reason.as_deref().unwrap_or(""));
            }
            if let Some(run) = found.rows.iter().find_map(|row| row.load_run.as_ref()) {
                println!("{run:?}");
            }
        }
        Err(why) => eprintln!("{why}"),
    }
}

fn percentile(ns: Option<u64>) -> String {
    ns.map_or("-".into(), |ns| human_ns(ns as f64))
}
