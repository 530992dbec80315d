//! Waits that go on, on this machine. This test runs alone, because it counts the threads of its
//! process and stops it.

use chronoscope_model::recording::{Event, SCHEMA};
use chronoscope_model::waits::Load;
use chronoscope_survey::watch::{Live, Watch};
use chronoscope_survey::{Error, start_up};
use std::time::{Duration, Instant};

fn main() {
    let unprepared = Live::start(&Watch::default());
    assert!(matches!(unprepared.err(), Some(Error::NotStarted)));
    start_up();
    let began = Instant::now();
    let mut live = Live::start(&Watch { clock: Some("rust/instant".into()), ..Watch::default() }).expect("live");
    eprintln!("started in {:?}", began.elapsed());
    let mut n = 0;
    while began.elapsed() < Duration::from_secs(3) {
        std::thread::sleep(Duration::from_millis(100));
        for e in live.drain() {
            let s = serde_json::to_string(&e).unwrap();
            n += s.len();
            eprintln!("{}", &s[..s.len().min(400)]);
        }
    }
    for e in live.stop() {
        let s = serde_json::to_string(&e).unwrap();
        eprintln!("{}", &s[..s.len().min(400)]);
    }
    eprintln!("{n} bytes");
}
