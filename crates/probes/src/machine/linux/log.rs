//! The kernel's log, one record per read (kernel, `Documentation/ABI/testing/dev-kmsg`).

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;

use crate::machine::root::Missing;

/// Longer than any record (kernel, CONSOLE_EXT_LOG_MAX is 8192).
const RECORD: usize = 8192;
/// All facts of the machine must appear at once, so a huge log is cut. A log of the usual size, 256
/// KiB, has some 2500 records and takes 5 ms. The limit is not a time, because a fault at the end
/// of the log would then be overlooked on a busy machine.
const RECORDS: usize = 16 << 10;

/// The present records, one per line; does not wait for more.
pub fn kernel_log() -> Result<String, Missing> {
    let mut file =
        OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open("/dev/kmsg")?;
    let mut log = String::new();
    let mut record = [0; RECORD];
    for _ in 0..RECORDS {
        match file.read(&mut record) {
            Ok(0) => break,
            Ok(length) => log.push_str(&String::from_utf8_lossy(&record[..length])),
            // EPIPE: the oldest record was overwritten during the read; the next one is available.
            Err(e) if matches!(e.kind(), ErrorKind::BrokenPipe | ErrorKind::Interrupted) => {}
            Err(e) if e.kind() == ErrorKind::WouldBlock => break,
            // If the first read fails, its error is returned; after that, what was read counts.
            Err(e) if log.is_empty() => return Err(e.into()),
            Err(_) => break,
        }
    }
    if log.is_empty() { Err(Missing::Empty) } else { Ok(log) }
}
