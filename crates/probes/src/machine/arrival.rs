//! When packets arrived, by the kernel's stamps: whoever waits for one may wake up much later.
//!
//! The stamps are the kernel's own, made as a packet enters it (`skb->tstamp`), and never a network
//! card's, whose clock would first have to be tied to the system's. `SIOCGSTAMPNS` reads the same
//! stamp as `SO_TIMESTAMPING` would hand over, that of the packet received last, without a message
//! of the kernel to be taken apart.

use super::outside::{raw_ns, timers_ns};
use std::net::UdpSocket;
use std::time::{SystemTime, UNIX_EPOCH};

/// What the clocks showed at one moment, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The clock that timers run on, which is slewed as the wall clock is, but never set: before
    /// the wall clock was read, and after.
    pub timers: [i64; 2],
    /// The wall clock, since 1970.
    pub wall: i64,
    /// [`raw_ns`], read last.
    pub raw: i64,
}

impl Moment {
    pub fn now() -> Self {
        let before = timers_ns();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let wall = i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
        Self { timers: [before, timers_ns()], wall, raw: raw_ns() }
    }

    /// How far the wall clock is ahead of the one that timers run on: at least and at most.
    fn ahead(&self) -> [i64; 2] {
        [self.wall.saturating_sub(self.timers[1]), self.wall.saturating_sub(self.timers[0])]
    }
}

/// When a packet had arrived at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// By [`raw_ns`], to be compared with the program's own readings.
    pub raw: i64,
    /// By the wall clock, in nanoseconds since 1970, for an answer to others.
    pub wall: i64,
}

/// When a packet with this stamp arrived, if it did between these moments and if the wall clock was
/// not set between them: only a step changes how far it is from the clock that timers run on.
/// Unless that was set twice, and back to within the time of a read, the result is not too early.
pub fn arrived(stamp: i64, before: &Moment, after: &Moment) -> Option<Arrival> {
    let [then, now] = [before, after].map(Moment::ahead);
    let low = then[0].min(now[0]);
    let at = stamp.saturating_sub(low);
    let waited = after.timers[1].checked_sub(at)?;
    if then[0] > now[1] || now[0] > then[1] || at < before.timers[1] || waited < 0 {
        return None;
    }
    // The clock that timers run on is at most a quarter faster than the raw one: the kernel allows
    // a tick that is 10 % longer, and slews by 500 ppm and by an eighth (adjtimex(2)).
    let raw = after.raw - (waited - waited / 5 - i64::from(waited % 5 != 0));
    Some(Arrival { raw, wall: at.saturating_add(then[1].max(now[1])) })
}

/// Has the kernel stamp what this socket receives from now on, and returns the stamp of the packet
/// that was received from it last, in nanoseconds since 1970, if there is one. A packet that was
/// not stamped in time has the time of this call.
#[cfg(target_os = "linux")]
pub fn stamp(socket: &UdpSocket) -> Option<i64> {
    use std::os::fd::AsRawFd;
    /// `SIOCGSTAMPNS_NEW` (include/uapi/asm-generic/sockios.h), for which times have 64 bits
    /// everywhere: Linux 5.1.
    const STAMP: libc::Ioctl = libc::_IOR::<[i64; 2]>(0x89, 7);
    let mut time = [0_i64; 2];
    // SAFETY: the call stores the two numbers of a `struct __kernel_timespec`.
    let done = unsafe { libc::ioctl(socket.as_raw_fd(), STAMP, time.as_mut_ptr()) };
    (done == 0).then(|| time[0].saturating_mul(1_000_000_000).saturating_add(time[1]))
}

/// No stamp: other systems are not asked, and the program's own reading counts.
#[cfg(not(target_os = "linux"))]
pub fn stamp(_: &UdpSocket) -> Option<i64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;
    use std::time::Duration;

    const MS: i64 = 1_000_000;

    #[test]
    fn contradictory_stamps_are_not_used() {
        let moment = |at: i64, ahead: i64| Moment {
            timers: [at - 50, at + 50],
            wall: at + ahead,
            raw: at + 7_000 + 60,
        };
        let (before, after) = (moment(MS, 5 * MS), moment(3 * MS, 5 * MS));
        let found = arrived(7 * MS, &before, &after).expect("it fits");
        // A millisecond before, of which a fifth may not have passed.
        assert_eq!(found, Arrival { raw: 2 * MS + 200_000 + 7_060, wall: 7 * MS + 100 });
        for (stamp, ahead, why) in [
            (6 * MS - 1, 5 * MS, "before the request"),
            (8 * MS + 101, 5 * MS, "after it was read"),
            (7 * MS, 5 * MS + 101, "the clock was set forwards"),
            (7 * MS, 5 * MS - 101, "the clock was set back"),
            (i64::MIN, 5 * MS, "impossible"),
            (i64::MAX, 5 * MS, "impossible"),
        ] {
            assert_eq!(arrived(stamp, &before, &moment(3 * MS, ahead)), None, "{why}");
        }
    }

    /// Packets wait for 20 ms before they are read.
    #[test]
    fn a_packet_has_arrived_when_it_was_sent_and_not_when_it_was_read() {
        let [one, other] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").expect("a port"));
        one.connect(other.local_addr().expect("an address")).expect("a connection");
        other.set_read_timeout(Some(Duration::from_secs(5))).expect("a limit");
        let (mut stamped, mut early) = (0, 0);
        let known = stamp(&other);
        assert_eq!(known, None, "nothing has arrived");
        for _ in 0..20 {
            let before = Moment::now();
            let sent = raw_ns();
            one.send(b"x").expect("room");
            let gone = raw_ns();
            sleep(Duration::from_millis(20));
            other.recv(&mut [0; 8]).expect("the packet");
            let read = raw_ns();
            let Some(stamp) = stamp(&other) else { continue };
            stamped += 1;
            let after = Moment::now();
            let Some(Arrival { raw, .. }) = arrived(stamp, &before, &after) else { continue };
            assert!(sent <= raw, "it arrived {} ns before it was sent", sent - raw);
            // The reads of the clocks may be interrupted, and the kernel begins to stamp late.
            early += i32::from(raw <= gone + (read - gone) / 2);
        }
        // Not every sandbox has the call.
        assert!(early > 0 || stamped == 0, "{early} of {stamped}");
    }
}
