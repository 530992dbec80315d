//! Opens the clocks that are devices, once: a device may admit one file at a time.

use crate::clocks::Unavailable;
use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::{IntoRawFd, RawFd};
use std::sync::OnceLock;

// SAFETY: native/device.c defines them so: each keeps a number.
unsafe extern "C" {
    safe fn cs_linux_ptp_use(fd: RawFd);
    safe fn cs_linux_rtc_use(fd: RawFd);
}

/// More PTP clocks than this are not looked at.
const PTP_CLOCKS: u32 = 16;

/// Opens the first PTP clock that can be opened.
pub(super) fn ptp() -> Result<(), Unavailable> {
    static OPENED: OnceLock<Result<RawFd, Unavailable>> = OnceLock::new();
    let paths = (0..PTP_CLOCKS).map(|n| format!("/dev/ptp{n}"));
    let opened = OPENED.get_or_init(|| first(paths, "no PTP hardware clock (no /dev/ptp0)"));
    opened.clone().map(|fd| cs_linux_ptp_use(fd))
}

/// Opens the real-time clock.
pub(super) fn rtc() -> Result<(), Unavailable> {
    static OPENED: OnceLock<Result<RawFd, Unavailable>> = OnceLock::new();
    let paths = ["/dev/rtc0", "/dev/rtc"].map(String::from).into_iter();
    let opened = OPENED.get_or_init(|| first(paths, "no real-time clock (no /dev/rtc0)"));
    opened.clone().map(|fd| cs_linux_rtc_use(fd))
}

/// The first of the files that can be opened; else the first refusal, and else that there is none.
fn first(paths: impl Iterator<Item = String>, none: &str) -> Result<RawFd, Unavailable> {
    let mut refusal = None;
    for path in paths {
        match File::open(&path) {
            Ok(file) => return Ok(file.into_raw_fd()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                refusal.get_or_insert_with(|| Unavailable(format!("{path}: {error}")));
            }
        }
    }
    Err(refusal.unwrap_or_else(|| Unavailable(none.into())))
}
