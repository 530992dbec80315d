//! Checks whether the processor has the instructions that order a read (Intel SDM volume 2A,
//! CPUID).

use crate::clocks::Unavailable;
use crate::clocks::permission;
use core::arch::x86_64::{__cpuid, __cpuid_count};

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

fn has(flag: bool, what: &str) -> Result<(), Unavailable> {
    if flag { Ok(()) } else { Err(Unavailable(format!("this processor does not have {what}"))) }
}
