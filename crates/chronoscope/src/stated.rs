//! What ClockBound's daemon and a hypervisor state of the time, in pages that they share: what it
//! was at one value of the processor's counter, how fast that counts, and how far both can be off.

use std::ffi::CString;
use std::io;
use std::path::Path;

use crate::sys::os;
use crate::sys::page::{Kind, MARKER, WORDS, Words};
use crate::sys::shared::{Shared, VMCLOCK};
use crate::wall_interval::WallState;

const SECOND: i128 = 1_000_000_000;

/// Who states the bound that [`Wall::now_bounded`](crate::Wall::now_bounded) returns, in place of
/// the kernel. Both give the time by the processor's counter, so the system's clock is not read at
/// all.
///
/// ```
/// use chronoscope::{Wall, wall::{BoundBy, CLOCKBOUND}};
/// if let Err(why) = Wall::bound_by(BoundBy::ClockBound(CLOCKBOUND.as_ref())) {
///     println!("the kernel's bound is used: {why}");
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoundBy<'a> {
    /// The daemon of ClockBound 3, by the shared segment at this path, which is read only.
    ClockBound(&'a Path),
    /// The hypervisor, by the page at this path (Linux 6.13).
    VmClock(&'a Path),
}

/// Where ClockBound's daemon usually has its segment. That of the vmclock is `/dev/vmclock0`.
pub const CLOCKBOUND: &str = "/var/run/clockbound/shm1";

/// The pages of [`BoundBy`].
#[derive(Debug)]
pub struct Pages {
    kind: Kind,
    page: Shared,
    /// The vmclock that ClockBound's marker is compared with.
    marker: Shared,
}

impl Pages {
    pub fn open(by: BoundBy<'_>) -> io::Result<Self> {
        let (kind, path) = match by {
            BoundBy::ClockBound(path) => (Kind::ClockBound, path),
            BoundBy::VmClock(path) => (Kind::VmClock, path),
        };
        if !os::nothing_kills() {
            let why = "a filter of system calls is active";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let name = CString::new(path.as_os_str().as_encoded_bytes())?;
        let pages = Self { kind, page: Shared::new(), marker: Shared::new() };
        if !pages.page.open(&name, kind) {
            let what = "is not a page of this kind that is known here, or cannot be opened";
            let why = format!("{} {what}", path.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, why));
        }
        pages.marker.open(VMCLOCK, Kind::VmClock);
        Ok(pages)
    }

    pub fn at(&self, ticks: u64) -> Option<Stated> {
        let words = self.page.words(self.kind)?;
        match self.kind {
            Kind::VmClock => VmClock(words).stated(ticks),
            Kind::ClockBound => {
                clockbound(&words, ticks, || Some(self.marker.words(Kind::VmClock)?[MARKER]))
            }
        }
    }
}

/// The time at one value of the counter, in nanoseconds since 1970, and how far it can be off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stated {
    pub now: u64,
    pub error: u64,
    pub state: WallState,
}

impl Stated {
    fn of(now: i128, error: i128, state: WallState) -> Option<Self> {
        let [now, error] = [now, error].map(u64::try_from);
        Some(Self { now: now.ok()?, error: error.ok()?, state })
    }
}

/// ClockBound 3's segment in a file that begins so, unless it is being written.
#[doc(hidden)]
pub fn segment(bytes: &[u8]) -> Option<Words> {
    let mut words = [0; WORDS];
    for (word, eight) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_le_bytes(eight.try_into().ok()?);
    }
    let is_whole = Kind::ClockBound.is_known(bytes.first_chunk()?) && bytes.len() >= 13 * 8;
    (is_whole && !Kind::ClockBound.is_written((words[1] >> 32) as u32)).then_some(words)
}

/// ClockBound 3's segment, computed as its client does (`ClockErrorBoundV3`). `marker` is the
/// vmclock's; `None` inside if its page cannot be read.
#[doc(hidden)]
pub fn clockbound(words: &Words, ticks: u64, marker: impl Fn() -> Option<u64>) -> Option<Stated> {
    /// Without an update for so long, the clock is not said to be synchronised any more.
    const GRACE: i128 = 60 * SECOND;
    let time = |at: usize| i128::from(words[at] as i64) * SECOND + i128::from(words[at + 1] as i64);
    let byte = |at: usize| words[12].to_le_bytes()[at];
    let fraction = |frac: u64, shift: u8| frac as f64 / 2f64.powi(64 + i32::from(shift));
    let (as_of, void_after) = (time(3), time(5));
    let (period, period_error) = (fraction(words[7], byte(1)), fraction(words[8], byte(2)));
    let (drift_ppb, status) = (words[11] as u32, (words[11] >> 32) as u32);
    if drift_ppb >= 1_000_000_000 {
        return None;
    }
    let seconds = ticks.saturating_sub(words[2]) as f64 * period;
    let ns = seconds * 1e9;
    let now = as_of + i128::from(ns as i64);
    let error = words[9] as i64 as f64 + seconds * f64::from(drift_ppb) + ns * period_error;
    let disrupted = || byte(0) != 0 && marker() != Some(words[10]);
    let state = match status {
        3 => WallState::Disrupted,
        1 | 2 if disrupted() => WallState::Disrupted,
        1 | 2 if now > void_after => WallState::Unknown,
        1 if now <= as_of + GRACE => WallState::Synchronised,
        1 | 2 => WallState::FreeRunning,
        _ => WallState::Unknown,
    };
    Stated::of(now, i128::from(error as i64), state)
}

/// The vmclock's page as words.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VmClock(pub Words);

impl VmClock {
    /// What the oscillators of computers may be off by, in parts per million, where nothing states
    /// or shows another figure.
    pub const CRYSTAL_PPM: i64 = 100;

    fn byte(&self, at: usize) -> u8 {
        self.0[at / 8].to_le_bytes()[at % 8]
    }

    /// `VMCLOCK_STATUS_…`: what the hypervisor says of its clock.
    pub fn status(&self) -> u8 {
        self.byte(34)
    }

    /// The earliest and the latest time that it can be at this value of the counter, in nanoseconds
    /// of UTC since 1970.
    ///
    /// # Errors
    /// The page does not say, for this reason.
    pub fn utc_ns(&self, counter: u64) -> Result<[i64; 2], &'static str> {
        /// `VMCLOCK_FLAG_TAI_OFFSET_VALID`, `…_PERIOD_MAXERROR_VALID`, `…_TIME_MAXERROR_VALID`.
        const HAS_TAI_OFFSET: u64 = 1 << 0;
        const HAS_PERIOD_ERROR: u64 = 1 << 4;
        const HAS_TIME_ERROR: u64 = 1 << 6;
        /// `VMCLOCK_COUNTER_X86_TSC` and `VMCLOCK_COUNTER_ARM_VCNT`; no page has another.
        const COUNTER: Option<u8> = match () {
            () if cfg!(target_arch = "x86_64") => Some(1),
            () if cfg!(any(target_arch = "aarch64", target_arch = "arm")) => Some(0),
            () => None,
        };
        let [_, _, _, flags, _, value, period, _, period_error, seconds, fraction, _, error, _] =
            self.0;
        let shift = self.byte(39);
        let tai_offset = i16::from_le_bytes([self.byte(36), self.byte(37)]);
        if !matches!(self.status(), 2 | 3) {
            return Err("the hypervisor says that its time is not reliable");
        }
        if Some(self.byte(10)) != COUNTER {
            return Err("the page counts by another counter than this processor's");
        }
        if flags & HAS_TIME_ERROR == 0 {
            return Err("the page states no bound of its error");
        }
        let from_tai = match self.byte(11) {
            0 => 0,
            1 if flags & HAS_TAI_OFFSET != 0 => i128::from(tai_offset),
            _ => return Err("the page gives another time than UTC"),
        };
        let ticks = counter.checked_sub(value).ok_or("the counter is behind the page's")?;
        // In units of 2^-(64 + shift) s.
        let ns = |per_tick: u64| -> Option<i128> {
            let product = u128::from(ticks).checked_mul(u128::from(per_tick))?;
            let parts = product.checked_shr(shift.into()).unwrap_or(0);
            let below = ((parts & u128::from(u64::MAX)) * SECOND as u128) >> 64;
            i128::try_from((parts >> 64) * SECOND as u128 + below).ok()
        };
        let bounds = || {
            let fraction = (u128::from(fraction) * SECOND as u128) >> 64;
            let since = (i128::from(seconds) - from_tai) * SECOND;
            let time = since + i128::try_from(fraction).ok()? + ns(period)?;
            let of_rate = match flags & HAS_PERIOD_ERROR {
                0 => ns(period)? * i128::from(Self::CRYSTAL_PPM) / 1_000_000,
                _ => ns(period_error)?,
            };
            // Two roundings to whole nanoseconds.
            let error = i128::from(error) + of_rate + 2;
            Some([i64::try_from(time - error).ok()?, i64::try_from(time + error).ok()?])
        };
        bounds().ok_or("the page gives an impossible time")
    }

    pub(crate) fn stated(&self, ticks: u64) -> Option<Stated> {
        let [low, high] = self.utc_ns(ticks).ok()?.map(i128::from);
        let state = match self.status() {
            2 => WallState::Synchronised,
            _ => WallState::FreeRunning,
        };
        Stated::of(low + (high - low) / 2, (high - low + 1) / 2, state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A segment of a counter of 1 GHz.
    fn segment(status: u32, enabled: u64) -> Words {
        let mut words = [0; 14];
        words[2..6].copy_from_slice(&[1_000, 1_700_000_000, 5, 1_700_001_000]);
        // 2^64 · 2^29 · 10^-9, and 1 ppm.
        words[7] = ((1u128 << 93) / 1_000_000_000) as u64;
        words[8] = ((1u128 << 83) / 1_000_000) as u64;
        words[9..12].copy_from_slice(&[10_000, 7, u64::from(status) << 32 | 2_000]);
        words[12] = enabled | 29 << 8 | 19 << 16;
        words
    }

    #[test]
    fn a_segment_gives_time_bound_and_state() {
        let at =
            |status, s: u64| clockbound(&segment(status, 0), 1_000 + s * 1_000_000_000, || None);
        let after = at(1, 10).expect("a time");
        assert!(after.now.abs_diff(1_700_000_010_000_000_005) <= 1, "{after:?}");
        // 10 us, and in 10 s of 2 ppm and 1 ppm each 20 us and 10 us.
        assert!(after.error.abs_diff(10_000 + 20_000 + 10_000) <= 1, "{after:?}");
        let state = |status, s| at(status, s).map(|it| it.state);
        assert_eq!(state(1, 59), Some(WallState::Synchronised));
        assert_eq!(state(1, 61), Some(WallState::FreeRunning));
        assert_eq!(state(2, 1), Some(WallState::FreeRunning));
        assert_eq!(state(1, 1_001), Some(WallState::Unknown));
        assert_eq!(state(3, 1), Some(WallState::Disrupted));
        assert_eq!(state(0, 1), Some(WallState::Unknown));
        assert_eq!(state(9, 1), Some(WallState::Unknown));
    }

    #[test]
    fn another_marker_or_none_is_a_disruption() {
        let with = |marker| clockbound(&segment(1, 1), 2_000, || marker).map(|it| it.state);
        assert_eq!(with(Some(7)), Some(WallState::Synchronised));
        assert_eq!(with(Some(8)), Some(WallState::Disrupted));
        assert_eq!(with(None), Some(WallState::Disrupted));
    }

    proptest! {
        #[test]
        fn no_page_of_any_content_panics(words: [u64; 14], ticks: u64) {
            let _ = clockbound(&words, ticks, || None);
            let _ = VmClock(words).stated(ticks);
        }
    }
}
