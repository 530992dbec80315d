//! The time for other chronoscopes: NTP's exchange over UDP, in a thread of its own. An answer has
//! 48 bytes and goes to who sent at least as many; nothing is kept but a count for each address.

use chronoscope::{Wall, WallInterval, WallState};
use chronoscope_probes::machine::arrival::{Moment, arrived, stamp};
use chronoscope_survey::Interrupt;
use chronoscope_survey::against::packets::ntp_reply;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

/// How often is looked whether to stop.
const LOOK: Duration = Duration::from_millis(200);
/// For how long a packet may have waited, in nanoseconds, so that its arrival's stamp is used.
const LONGEST: i64 = 1_000_000_000;
/// Addresses are counted together in so many places, whichever they are.
const PLACES: usize = 4096;
/// How many answers an address gets at once, and after so long another one: more than a chronoscope
/// asks for.
const BURST: u32 = 16;
const REFILL: Duration = Duration::from_millis(250);

/// A place where others can ask for the time, from this moment on.
pub struct TimeServer(UdpSocket, Moment);

impl TimeServer {
    /// Takes the port, but answers nothing yet. Port 0 is one that is free.
    ///
    /// # Errors
    /// The system refuses; the port is taken, for example.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        socket.set_read_timeout(Some(LOOK))?;
        // The kernel begins to stamp what arrives.
        stamp(&socket);
        Ok(Self(socket, Moment::now()))
    }

    /// The address with its real port.
    ///
    /// # Errors
    /// The system does not know it.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Answers until it is interrupted.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn start(self, interrupt: &Interrupt) -> io::Result<()> {
        let interrupt = interrupt.clone();
        let thread = thread::Builder::new().name("time".into());
        thread.spawn(move || self.answer(&interrupt))?;
        Ok(())
    }

    fn answer(&self, interrupt: &Interrupt) {
        let mut limit = Limit::default();
        // A packet may have waited for longer than since the last look: one of these is older.
        let mut looks = [self.1; 2];
        // Longer packets have extensions, which are not read.
        let mut bytes = [0; 1024];
        while !interrupt.is_set() {
            let now = Moment::now();
            if now.raw - looks[1].raw > LONGEST {
                looks = [looks[1], now];
            }
            // An error is that nothing came, or that an earlier answer did not arrive.
            let Ok((length, from)) = self.0.recv_from(&mut bytes) else {
                continue;
            };
            let received = Wall::now_checked();
            let stamps = || {
                let stamped = stamp(&self.0).and_then(|it| arrived(it, &looks[0], &Moment::now()));
                let stamped = stamped.and_then(|it| u64::try_from(it.wall).ok());
                let sent = Wall::now_checked();
                let error = error(&received).zip(error(&sent)).map(|(one, other)| one.max(other));
                ([stamped.unwrap_or(u64::MAX).min(received.now), sent.now], error)
            };
            // Whatever is no request takes nothing from those who ask.
            let answer = ntp_reply(&bytes[..length], stamps);
            if let Some(answer) = answer.filter(|_| limit.allows(from.ip(), Instant::now())) {
                // Whoever loses an answer asks again.
                let _ = self.0.send_to(&answer, from);
            }
        }
    }
}

/// How far the time can be from UTC, in nanoseconds.
fn error(it: &WallInterval) -> Option<u64> {
    let bounded = matches!(it.state, WallState::Synchronised | WallState::FreeRunning);
    bounded.then(|| (it.latest - it.now).max(it.now - it.earliest))
}

/// How much each address has asked for, in fixed memory.
struct Limit {
    /// When all of an address' answers are there again.
    full: Vec<Option<Instant>>,
    /// A stranger cannot choose an address that is counted with another one.
    hash: RandomState,
}

impl Default for Limit {
    fn default() -> Self {
        Self { full: vec![None; PLACES], hash: RandomState::new() }
    }
}

impl Limit {
    fn allows(&mut self, address: IpAddr, now: Instant) -> bool {
        let place = self.hash.hash_one(address) as usize % PLACES;
        let full = self.full[place].unwrap_or(now).max(now) + REFILL;
        let allowed = full <= now + BURST * REFILL;
        if allowed {
            self.full[place] = Some(full);
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_survey::against::packets::{Ntp, ntp_answer, ntp_request};
    use std::time::UNIX_EPOCH;

    /// Requests wait for 50 ms before they are read.
    #[test]
    fn a_request_arrives_when_it_was_sent_and_not_when_it_was_read() {
        let wall = || UNIX_EPOCH.elapsed().expect("a time").as_nanos() as i64;
        let (mut early, mut stamps) = (0, 0);
        for cookie in 0..10 {
            let server = TimeServer::bind(([127, 0, 0, 1], 0).into()).expect("a port");
            let (seen, interrupt) = (server.0.try_clone().expect("it"), Interrupt::default());
            let client = UdpSocket::bind("127.0.0.1:0").expect("a port");
            client.connect(server.address().expect("its port")).expect("a connection");
            client.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
            let sent = wall();
            client.send(&ntp_request(cookie)).expect("room");
            let gone = wall();
            thread::sleep(Duration::from_millis(50));
            let started = wall();
            server.start(&interrupt).expect("a thread");
            let mut answer = [0; 64];
            let length = client.recv(&mut answer).expect("an answer");
            interrupt.set();
            stamps += i32::from(stamp(&seen).is_some());
            // Without anybody who keeps the clock, the answer has the times, but proves nothing.
            (answer[0], answer[1]) = (4 << 3 | 4, 15);
            let Ntp::Time(it) = ntp_answer(&answer[..length], cookie) else { panic!("{answer:?}") };
            assert!(sent <= it.received + 5 && it.received <= it.sent, "{sent} {it:?}");
            early += i32::from(it.received < gone + (started - gone) / 2);
        }
        // Not every sandbox has the call, and the kernel begins to stamp late.
        assert!(early > 0 || stamps == 0, "{early} of {stamps}");
    }

    #[test]
    fn an_address_gets_a_burst_and_then_what_is_refilled() {
        let (mut limit, now) = (Limit::default(), Instant::now());
        let [one, other] = ["127.0.0.1", "::1"].map(|it| it.parse().expect("an address"));
        let allowed = |limit: &mut Limit, at| (0..1000).filter(|_| limit.allows(one, at)).count();
        assert_eq!(allowed(&mut limit, now), BURST as usize);
        assert_eq!(allowed(&mut limit, now + 3 * REFILL), 3);
        assert_eq!(allowed(&mut limit, now + Duration::from_secs(3600)), BURST as usize);
        assert!(limit.allows(other, now) || limit.full.iter().flatten().count() == 1);
    }
}
