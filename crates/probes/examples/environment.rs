//! Prints the facts of this machine, or of a recorded one, as JSON:
//! `cargo run -p chronoscope-probes --example environment [RECORDING]`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use chronoscope_probes::machine::{Root, environment};

fn main() -> ExitCode {
    let begin = Instant::now();
    let root = match std::env::args_os().nth(1) {
        Some(folder) => Root::recorded(Path::new(&folder)),
        None => Ok(Root::host()),
    };
    let found = root.map_err(|why| why.to_string()).and_then(|root| {
        serde_json::to_string_pretty(&environment(&root)).map_err(|error| error.to_string())
    });
    let took = begin.elapsed();
    match found {
        Ok(json) => {
            println!("{json}");
            eprintln!("found in {:.1} ms", took.as_secs_f64() * 1e3);
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("cannot describe the machine: {why}");
            ExitCode::FAILURE
        }
    }
}
