//! A recording in the view.

use crate::error::Usage;
use crate::stop::Stop;
use chronoscope_model::recording::Event;
use chronoscope_report::recording::Reader;
use chronoscope_watch::{Ended, Replay, View};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Plays a recording until it is left.
///
/// # Errors
/// It is none, it cannot be read, or there is no terminal.
pub fn run(path: &Path, view: View, stop: &Stop) -> anyhow::Result<Ended> {
    let cannot = |error| Usage(format!("cannot replay {}: {error}", path.display()));
    let file = File::open(path).map_err(cannot)?;
    let mut reader = Reader::new(BufReader::new(file)).map_err(cannot)?;
    let mut first = Some(Event::Start(Box::new(reader.start.clone())));
    let next = || match first.take() {
        Some(start) => Ok(Some(start)),
        None => reader.next(),
    };
    let interrupt = stop.interrupt.clone();
    let speed = view.speed.unwrap_or(1.0);
    let mut replay = Replay::new(next, speed, move || interrupt.is_set());
    chronoscope_watch::run(&mut replay, view).map_err(|error| cannot(error).into())
}
