//! The page about time that a hypervisor shares with its guest, `/dev/vmclock0`: whether the guest
//! was moved or restored, and what time it is (Linux, `include/uapi/linux/vmclock-abi.h`).

use chronoscope::wall::VmClock;
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
    /// How the page gives the time; absent if it ends before.
    pub time: Option<VmClock>,
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
    let mut words = [0; 14];
    for (word, eight) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_le_bytes(eight.try_into().ok()?);
    }
    let status = match bytes.get(34)? {
        1 => "initialising",
        2 => "synchronised",
        3 => "free-running",
        4 => "unreliable",
        _ => "unknown",
    };
    let [first, version, disruption_marker, flags, .., generation] = words;
    if first as u32 != MAGIC || version as u16 != 1 {
        return None;
    }
    let has_generation = flags & HAS_GENERATION != 0 && bytes.len() >= size_of_val(&words);
    Some(Page {
        disruption_marker,
        generation: has_generation.then_some(generation),
        status,
        // All that says the time is before the number of the generation.
        time: (bytes.len() >= size_of_val(&words[..13])).then_some(VmClock(words)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `VMCLOCK_COUNTER_X86_TSC`, or `VMCLOCK_COUNTER_ARM_VCNT`.
    const COUNTER: u8 = if cfg!(target_arch = "x86_64") { 1 } else { 0 };

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

    /// A counter of 1 GHz at 1000, half a second after the stated one, known to 100 ns and one part
    /// in a billion.
    #[test]
    fn the_time_is_that_of_the_counter_with_the_errors_that_are_stated() {
        if !cfg!(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "arm")) {
            return;
        }
        let mut bytes = page();
        bytes[10] = COUNTER;
        // The errors of the time and of the period are valid.
        bytes[24] = 1 << 6 | 1 << 4;
        let per_ns = u64::MAX / 1_000_000_000;
        for (at, value) in [
            (40, 1000),
            (48, per_ns),
            (64, per_ns / 1_000_000_000),
            (72, 1_700_000_000),
            (80, 1 << 63),
            (96, 100),
        ] {
            bytes[at..at + 8].copy_from_slice(&u64::to_le_bytes(value));
        }
        let time = |bytes: &[u8]| parse(bytes).expect("a page").time.expect("a whole page");
        let [low, high] = time(&bytes).utc_ns(1_000_001_000).expect("a time");
        let truth = 1_700_000_001_500_000_000;
        assert!(low <= truth && truth <= high && high - low < 210, "{low} {high}");
        assert!(time(&bytes).utc_ns(999).is_err());
        // TAI is ahead of UTC by the offset, which has to be stated.
        bytes[11] = 1;
        assert!(time(&bytes).utc_ns(1000).is_err());
        bytes[24] |= 1;
        bytes[36] = 37;
        let tai = time(&bytes).utc_ns(1_000_001_000).expect("a time");
        assert_eq!(tai[0], low - 37_000_000_000);
        bytes[34] = 4;
        assert!(time(&bytes).utc_ns(1000).is_err());
    }

    proptest! {
        #[test]
        fn no_page_gives_an_impossible_time(
            bytes in prop::collection::vec(any::<u8>(), 112),
            counter in any::<u64>(),
        ) {
            let mut bytes = bytes;
            bytes[..12].copy_from_slice(&page()[..12]);
            bytes[10] = COUNTER;
            bytes[11] = 0;
            bytes[34] = 2;
            let found = parse(&bytes).and_then(|page| page.time).map(|it| it.utc_ns(counter));
            if let Some(Ok([low, high])) = found {
                prop_assert!(low <= high);
            }
        }

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
