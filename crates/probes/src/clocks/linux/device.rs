//! Opens the clocks that are devices.

use crate::clocks::Unavailable;
use crate::clocks::native::State;
use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::AsRawFd;

/// At most this many PTP clocks are tried.
const PTP_CLOCKS: u32 = 16;

/// Opens the first PTP clock that can be opened.
pub(super) fn ptp() -> Result<State, Unavailable> {
    let paths = (0..PTP_CLOCKS).map(|n| format!("/dev/ptp{n}"));
    first(paths, "there is no PTP hardware clock (no /dev/ptp0)")
}

pub(super) fn rtc() -> Result<State, Unavailable> {
    let paths = ["/dev/rtc0", "/dev/rtc"].map(String::from).into_iter();
    first(paths, "there is no real-time clock (no /dev/rtc0)")
}

/// The first file that can be opened, with its descriptor as the word. If none can be opened, the
/// error is that of the first refusal, or `none` if no file exists.
fn first(paths: impl Iterator<Item = String>, none: &str) -> Result<State, Unavailable> {
    let mut refusal = None;
    for path in paths {
        match File::open(&path) {
            Ok(file) => return Ok(State::holding(file.as_raw_fd() as usize, file)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                refusal.get_or_insert_with(|| Unavailable(format!("{path}: {error}")));
            }
        }
    }
    Err(refusal.unwrap_or_else(|| Unavailable(none.into())))
}
