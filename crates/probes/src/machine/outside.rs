//! Clocks of this machine that have an oscillator of their own, or are the host's: the
//! battery-backed clock, PTP hardware clocks and pulses per second. And the clock that exchanges
//! with them are timed by, which nothing slews or sets.

/// What the oscillators of computers may be off by, in parts per million, where nothing states or
/// shows another figure.
pub const CRYSTAL_PPM: i64 = chronoscope::wall::VmClock::CRYSTAL_PPM;

/// Clocks that are not the kernel's.
pub use os::{Device, name_of, ptp_paths};

/// Whether [`raw_ns`] is the same clock in all processes of a boot, and stands still while the
/// machine is suspended.
pub const OUTLIVES: bool = cfg!(target_os = "linux");

/// Nanoseconds by a clock that is neither slewed nor set: `CLOCK_MONOTONIC_RAW`, or the system's
/// monotonic clock where there is none.
pub use os::raw_ns;

/// Nanoseconds by the clock that timers run on, which is slewed as the wall clock is, but is never
/// set.
pub(super) use os::timers_ns;

/// The wall clock between two reads of [`raw_ns`]: before, the wall clock in nanoseconds since
/// 1970, and after. The narrowest of several.
pub fn wall() -> [i64; 3] {
    /// An interrupt hits few of so many.
    const TRIES: usize = 20;
    let read = || {
        let before = raw_ns();
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let wall = since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX));
        [before, wall, raw_ns()]
    };
    let reads = (0..TRIES).map(|_| read());
    reads.min_by_key(|[before, _, after]| after - before).unwrap_or_else(read)
}

/// Days since 1970 of a date in the Gregorian calendar, by counting from March, so that a leap day
/// ends a year.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap + (153 * month + 2) / 5 + day - 719_469
}

#[cfg(target_os = "linux")]
mod os {
    use super::days_of;
    use crate::machine::vdso;
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::Path;
    use std::sync::OnceLock;

    pub fn raw_ns() -> i64 {
        clock_ns(libc::CLOCK_MONOTONIC_RAW).unwrap_or_default()
    }

    pub fn timers_ns() -> i64 {
        clock_ns(libc::CLOCK_MONOTONIC).unwrap_or_default()
    }

    type Read = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> libc::c_int;

    /// The vDSO's function, because a library that is loaded before the C library can replace that
    /// one's; that where there is no vDSO, or where its times have another layout.
    fn clock_gettime() -> Read {
        static FOUND: OnceLock<Read> = OnceLock::new();
        *FOUND.get_or_init(|| {
            let symbol = vdso::symbol(vdso::CLOCK_GETTIME);
            match symbol.filter(|_| cfg!(target_pointer_width = "64")) {
                // SAFETY: the kernel gives the function of this name this signature (vdso(7)).
                Some(function) => unsafe { std::mem::transmute::<*const (), Read>(function) },
                None => libc::clock_gettime,
            }
        })
    }

    fn clock_ns(clock: libc::clockid_t) -> io::Result<i64> {
        // SAFETY: a timespec is numbers only, for which zero is valid.
        let mut time: libc::timespec = unsafe { std::mem::zeroed() };
        // SAFETY: the call stores to a local of the right type.
        match unsafe { clock_gettime()(clock, &raw mut time) } {
            0 => {}
            -1 => return Err(io::Error::last_os_error()),
            // The vDSO sets no `errno`.
            code => return Err(io::Error::from_raw_os_error(-code)),
        }
        #[allow(clippy::unnecessary_cast)] // The fields have 32 bits on some systems.
        Ok((time.tv_sec as i64).saturating_mul(1_000_000_000).saturating_add(time.tv_nsec as i64))
    }

    /// A device that has a clock.
    pub struct Device(File);

    impl Device {
        /// # Errors
        /// The device cannot be opened.
        pub fn open(path: &str) -> io::Result<Self> {
            File::open(path).map(Self)
        }

        /// The second that a battery-backed clock shows, since 1970 if it keeps UTC.
        ///
        /// # Errors
        /// It cannot be read, or shows no date.
        pub fn second(&self) -> io::Result<i64> {
            /// `_IOR('p', 0x09, struct rtc_time)`: include/uapi/linux/rtc.h.
            const RTC_RD_TIME: u32 = 0x8024_7009;
            let mut time = [0_i32; 9];
            // SAFETY: the call stores the nine numbers of a `struct rtc_time`.
            let done =
                unsafe { libc::ioctl(self.0.as_raw_fd(), RTC_RD_TIME as _, time.as_mut_ptr()) };
            if done != 0 {
                return Err(io::Error::last_os_error());
            }
            let [second, minute, hour, day, month, year, ..] = time.map(i64::from);
            let days = days_of(year + 1900, month + 1, day);
            Ok(((days * 24 + hour) * 60 + minute) * 60 + second)
        }

        /// The time of a PTP hardware clock in nanoseconds between two reads of
        /// [`super::raw_ns`]: by stamps of the hardware or of its driver, if there are any.
        ///
        /// # Errors
        /// It cannot be read.
        pub fn ptp_time(&self) -> io::Result<[i64; 3]> {
            /// `CLOCKFD` of clock_gettime(2).
            const DYNAMIC: libc::clockid_t = 3;
            if let Some(found) = self.precise().or_else(|| self.extended()) {
                return Ok(found);
            }
            let before = raw_ns();
            let found = clock_ns((!self.0.as_raw_fd() << 3) | DYNAMIC)?;
            Ok([before, found, raw_ns()])
        }

        /// Both clocks at one moment, as the hardware stamps them.
        fn precise(&self) -> Option<[i64; 3]> {
            // SAFETY: the structure is numbers only, for which zero is valid.
            let mut found: libc::ptp_sys_offset_precise = unsafe { std::mem::zeroed() };
            let request = libc::PTP_SYS_OFFSET_PRECISE;
            // SAFETY: the call stores to a local of the type that belongs to the request.
            let done = unsafe { libc::ioctl(self.0.as_raw_fd(), request, &raw mut found) };
            let raw = ptp_ns(&found.sys_monoraw)?;
            // The hardware stamps the raw clock in whole nanoseconds.
            (done == 0).then_some([raw - 1, ptp_ns(&found.device)?, raw + 1])
        }

        /// The driver reads its clock between two reads of the raw clock (Linux 6.13).
        fn extended(&self) -> Option<[i64; 3]> {
            const SAMPLES: usize = 5;
            // SAFETY: the structure is numbers only, for which zero is valid.
            let mut found: libc::ptp_sys_offset_extended = unsafe { std::mem::zeroed() };
            found.n_samples = SAMPLES as u32;
            found.clockid = libc::CLOCK_MONOTONIC_RAW;
            let request = libc::PTP_SYS_OFFSET_EXTENDED;
            // SAFETY: the call reads and stores a local of the type that belongs to the request,
            // which has room for more samples than that.
            let done = unsafe { libc::ioctl(self.0.as_raw_fd(), request, &raw mut found) };
            let samples = found.ts[..SAMPLES].iter().filter(|_| done == 0).filter_map(|it| {
                let [before, device, after] = [&it[0], &it[1], &it[2]].map(ptp_ns);
                Some([before?, device?, after?])
            });
            samples.min_by_key(|[before, _, after]| after - before)
        }

        /// Waits for the next pulse of a device that has one each second: when it came, by the wall
        /// clock, in nanoseconds since 1970.
        ///
        /// # Errors
        /// None comes for a second and a half.
        pub fn pulse(&self) -> io::Result<i64> {
            /// `PPS_FETCH`, which has the size of a pointer in its number.
            const FETCH: libc::Ioctl = libc::_IOWR::<*mut PpsData>('p' as u32, 0xa4);
            let timeout = PpsTime { seconds: 1, ns: 500_000_000, flags: 0 };
            let mut found = PpsData { timeout, ..PpsData::default() };
            // SAFETY: the call reads and stores a local with the layout of `struct pps_fdata`.
            if unsafe { libc::ioctl(self.0.as_raw_fd(), FETCH, &raw mut found) } != 0 {
                return Err(io::Error::last_os_error());
            }
            let PpsTime { seconds, ns, .. } = found.info.on_assert;
            Ok(seconds.saturating_mul(1_000_000_000).saturating_add(ns.into()))
        }
    }

    fn ptp_ns(time: &libc::ptp_clock_time) -> Option<i64> {
        time.sec.checked_mul(1_000_000_000)?.checked_add(time.nsec.into())
    }

    /// `struct pps_ktime` (include/uapi/linux/pps.h).
    #[repr(C)]
    #[derive(Default)]
    struct PpsTime {
        seconds: i64,
        ns: i32,
        flags: u32,
    }

    /// `struct pps_fdata`, with a `struct pps_kinfo` at its beginning.
    #[repr(C)]
    #[derive(Default)]
    struct PpsInfo {
        asserted: u32,
        cleared: u32,
        on_assert: PpsTime,
        on_clear: PpsTime,
        mode: i32,
    }

    #[repr(C)]
    #[derive(Default)]
    struct PpsData {
        info: PpsInfo,
        timeout: PpsTime,
    }

    /// The PTP clocks of this machine.
    pub fn ptp_paths() -> Vec<String> {
        /// More are not looked for.
        const MOST: u32 = 16;
        let paths = (0..MOST).map(|nth| format!("/dev/ptp{nth}"));
        paths.filter(|path| Path::new(path).exists()).collect()
    }

    /// What the driver calls this PTP clock or source of pulses, such as `KVM virtual PTP`.
    pub fn name_of(path: &str) -> Option<String> {
        let device = Path::new(path).file_name()?.to_str()?;
        let files = [("ptp", "clock_name"), ("pps", "name")];
        let mut names = files.iter().filter_map(|(class, file)| {
            std::fs::read_to_string(format!("/sys/class/{class}/{device}/{file}")).ok()
        });
        Some(names.next()?.trim().to_owned())
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use std::io;

    pub fn raw_ns() -> i64 {
        i64::try_from(crate::waits::os::monotonic()).unwrap_or(i64::MAX)
    }

    pub use raw_ns as timers_ns;

    lacking! {
        /// Only Linux has them.
        pub fn ptp_paths() -> Vec<String> = Vec::new();
        /// Only Linux has them.
        pub fn name_of(&str) -> Option<String> = None;
    }

    /// A clock that only Linux has: there is none.
    pub enum Device {}

    impl Device {
        /// # Errors
        /// There is none here.
        pub fn open(_: &str) -> io::Result<Self> {
            Err(io::Error::new(io::ErrorKind::Unsupported, "only Linux has such a device"))
        }

        /// Never called.
        pub fn second(&self) -> io::Result<i64> {
            match *self {}
        }

        /// Never called.
        pub fn ptp_time(&self) -> io::Result<[i64; 3]> {
            match *self {}
        }

        /// Never called.
        pub fn pulse(&self) -> io::Result<i64> {
            match *self {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_as_the_calendar_has_them() {
        for (date, days) in [
            ((1970, 1, 1), 0),
            ((1970, 3, 1), 59),
            ((2000, 2, 29), 11_016),
            ((2000, 3, 1), 11_017),
            ((2024, 12, 31), 20_088),
            ((2100, 3, 1), 47_541),
        ] {
            assert_eq!(days_of(date.0, date.1, date.2), days, "{date:?}");
        }
    }

    #[test]
    fn the_wall_clock_is_read_between_two_reads_of_a_clock_that_goes_on() {
        let [before, wall, after] = wall();
        assert!(0 < before && before <= after && wall > 1_600_000_000_000_000_000);
    }
}
