//! The first read in a new process: the tool starts itself, and the child does nothing before.

use chronoscope_measure::engine::machine::FirstRead;
use chronoscope_measure::engine::ruler::RulerKind;
use chronoscope_probes::clocks::{self, untouched};
use std::process::{Command, ExitCode, Stdio};

/// The argument that makes a child of the tool.
const CHILD: &str = "--first-read-of";

/// Warm runs of the ruler in the child, so that only the clock is new.
const WARM: usize = 16;

/// Whether this process is such a child: then it reads the clock and prints the ticks.
pub fn requested() -> Option<ExitCode> {
    // What is no Unicode is none of ours, and for the parser to refuse.
    let mut args = std::env::args_os()
        .skip(1)
        .map_while(|arg| arg.into_string().ok());
    if args.next()? != CHILD {
        return None;
    }
    let entry = args.next().and_then(|id| clocks::find(&id));
    let reader =
        entry.and_then(|entry| Some((untouched::open(entry).ok()?, clocks::empty(entry.language))));
    let kind = args.next().and_then(|kind| RulerKind::named(&kind));
    let (Some((reader, empty)), Some(kind)) = (reader, kind) else {
        return Some(ExitCode::from(3));
    };
    let timed = |batch: clocks::Batch| {
        let start = kind.start();
        batch(1);
        kind.stop().saturating_sub(start)
    };
    let ruler = (0..WARM)
        .map(|_| timed(empty.throughput))
        .min()
        .unwrap_or(0);
    let ticks = timed(reader.throughput).saturating_sub(ruler);
    println!("{ticks}");
    Some(ExitCode::SUCCESS)
}

/// How the engine starts such a child; `None` where the tool cannot find itself.
pub fn starter() -> Option<FirstRead> {
    let tool = std::env::current_exe().ok()?;
    Some(Box::new(move |id, kind| {
        let output = Command::new(&tool)
            .args([CHILD, id, kind.name()])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    }))
}
