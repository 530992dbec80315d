//! The page about time that a hypervisor shares with its guest, `/dev/vmclock0`: whether the guest
//! was moved or restored (Linux, `include/uapi/linux/vmclock-abi.h`).

use std::fs::File;
use std::io::Read;

pub const PATH: &str = "/dev/vmclock0";
/// `VMCLOCK_MAGIC`: "VCLK" in ASCII, little-endian.
const MAGIC: u32 = 0x4b4c_4356;
/// `VMCLOCK_FLAG_VM_GEN_COUNTER_PRESENT`.
const HAS_GENERATION: u64 = 1 << 8;
/// The most that is read: the structure has 112 bytes.
const MOST: u64 = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Changes when the guest is disrupted, for example by a migration.
    pub disruption_marker: u64,
    /// Changes when the guest is restored from a snapshot; absent if the hypervisor has none.
    pub generation: Option<u64>,
    /// How reliable the hypervisor says that the clock is.
    pub status: &'static str,
}

/// Reads the page.
///
/// # Errors
/// The reason why there is no page, in words that a user can act on.
pub fn read() -> Result<Page, String> {
    let file = File::open(PATH).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            format!("no {PATH}: the hypervisor offers none, or the kernel is older than 6.13")
        }
        _ => format!("{PATH}: {error}"),
    })?;
    let mut bytes = Vec::new();
    let read = file.take(MOST).read_to_end(&mut bytes);
    read.map_err(|error| format!("{PATH}: {error}"))?;
    parse(&bytes).ok_or_else(|| format!("{PATH} has a format that this version does not know"))
}

/// The page in these bytes, if they are one of version 1.
pub fn parse(bytes: &[u8]) -> Option<Page> {
    let long = |at: usize| -> Option<u64> {
        let bytes = bytes.get(at..at + 8)?.try_into().ok()?;
        Some(u64::from_le_bytes(bytes))
    };
    let first = long(0)? as u32;
    let version = long(8)? as u16;
    if first != MAGIC || version != 1 {
        return None;
    }
    let has = long(24)? & HAS_GENERATION != 0;
    Some(Page {
        disruption_marker: long(16)?,
        generation: has.then(|| long(104)).flatten(),
        status: match bytes.get(34)? {
            1 => "initialising",
            2 => "synchronised",
            3 => "free-running",
            4 => "unreliable",
            _ => "unknown",
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page() -> Vec<u8> {
        let mut bytes = vec![0; 112];
        bytes[..4].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[8] = 1;
        bytes[16] = 42;
        bytes[25] = 1;
        bytes[34] = 2;
        bytes[104] = 9;
        bytes
    }

    #[test]
    fn the_markers_are_found_where_the_header_puts_them() {
        let found = parse(&page()).expect("a page");
        assert_eq!(
            (found.disruption_marker, found.generation, found.status),
            (42, Some(9), "synchronised")
        );
        let mut without = page();
        without[25] = 0;
        assert_eq!(parse(&without).expect("a page").generation, None);
        let mut other = page();
        other[8] = 2;
        assert_eq!(parse(&other), None);
        assert_eq!(parse(&page()[..30]), None);
    }

    proptest! {
        #[test]
        fn no_bytes_cause_a_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            cut in 0..113usize,
        ) {
            let _ = parse(&bytes);
            let _ = parse(&page()[..cut.min(112)]);
        }
    }
}
