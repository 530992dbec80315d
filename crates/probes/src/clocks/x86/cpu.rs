//! What reads of the counter need: the instructions that order them (Intel SDM volume 2A, CPUID),
//! and the counter's rate.

use crate::clocks::Unavailable;
use crate::clocks::native::State;
use crate::clocks::permission;
use crate::time::Instant;
use chronoscope::counter;
use core::arch::x86_64::{__cpuid, __cpuid_count};
use std::sync::OnceLock;
use std::time::Duration;

/// RDTSCP: leaf 0x8000_0001, EDX bit 27.
pub(super) fn rdtscp() -> Result<(), Unavailable> {
    permission::counter()?;
    let known = __cpuid(0x8000_0000).eax >= 0x8000_0001;
    has(
        known && __cpuid(0x8000_0001).edx & 1 << 27 != 0,
        "rdtscp (CPUID 0x80000001 EDX[27] is 0): `lfence; rdtsc` is ordered as well",
    )
}

/// SERIALIZE: leaf 7, subleaf 0, EDX bit 14.
pub(super) fn serialize() -> Result<(), Unavailable> {
    permission::counter()?;
    let known = __cpuid(0).eax >= 7;
    has(
        known && __cpuid_count(7, 0).edx & 1 << 14 != 0,
        "serialize (CPUID 7 EDX[14] is 0): `lfence; rdtsc` orders reads, and cpuid serialises",
    )
}

/// How long the rate is measured, and so the start of each command that lists clocks. With brackets
/// of some 50 ns, its error is about 12 ppm.
const MEASURED: Duration = Duration::from_millis(4);

/// The counter's rate in kHz, as a program measures it that converts its reads to milliseconds:
/// once, against the system's monotonic clock. This reads the counter, but runs none of the code of
/// the clock, so the first read of that is still cold.
pub(super) fn khz() -> Result<State, Unavailable> {
    static KHZ: OnceLock<usize> = OnceLock::new();
    permission::counter()?;
    let khz = *KHZ.get_or_init(|| {
        let (start, from) = together();
        while start.elapsed() < MEASURED {
            std::hint::spin_loop();
        }
        let (end, to) = together();
        let ms = (end - start).as_secs_f64() * 1e3;
        (to.wrapping_sub(from) as f64 / ms).round() as usize
    });
    match khz {
        0 => Err(Unavailable("the TSC did not count while its rate was measured".into())),
        khz => Ok(State::of(khz)),
    }
}

/// Both clocks at one moment: the closest of a few attempts.
fn together() -> (Instant, u64) {
    let attempts = (0..16).map(|_| {
        let before = counter::now_ordered();
        let time = Instant::now();
        let width = counter::now_ordered().wrapping_sub(before);
        (width, time, before.wrapping_add(width / 2))
    });
    let closest = attempts.min_by_key(|(width, ..)| *width);
    closest.map_or_else(|| (Instant::now(), counter::now()), |(_, time, ticks)| (time, ticks))
}

fn has(flag: bool, what: &str) -> Result<(), Unavailable> {
    if flag { Ok(()) } else { Err(Unavailable(format!("this processor does not have {what}"))) }
}
