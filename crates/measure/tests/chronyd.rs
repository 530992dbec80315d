//! A real server of time, chronyd, in a network of its own, behind a relay that is slower in one
//! direction than in the other. Both sides read the clock of this machine, so the truth is known.

#[cfg(target_os = "linux")]
mod linux {
    use chronoscope_measure::against::Source;
    use chronoscope_measure::against::region::{Region, Verdict};
    use chronoscope_measure::against::sources::Failed;
    use chronoscope_model::against::Source as Found;
    use chronoscope_probes::machine::outside;
    use std::net::UdpSocket;
    use std::os::unix::fs::DirBuilderExt;
    use std::path::PathBuf;
    use std::process::{Child, Command};
    use std::time::{Duration, Instant};
    use std::{env, fs, io, thread};

    const INSIDE: &str = "CHRONOSCOPE_INSIDE";
    const SERVER: &str = "127.0.0.1:1123";
    const RELAY: &str = "127.0.0.1:1124";
    const EXCHANGES: u32 = 1000;

    fn found(program: &str) -> Option<PathBuf> {
        let paths = env::var_os("PATH").unwrap_or_default();
        let all = env::split_paths(&paths).chain(["/usr/sbin".into()]);
        all.map(|folder| folder.join(program)).find(|path| path.is_file())
    }

    /// Runs the test in a network of its own, which only root may make.
    pub fn run() {
        if env::var_os(INSIDE).is_some() {
            return inside();
        }
        let skip = |why: &str| {
            let all = |name| env::var_os(name).is_some_and(|value| value == "true");
            assert!(!all("CI") && !all("CHRONOSCOPE_SKIP_NOTHING"), "{why}");
            println!("skipped: {why}");
        };
        let Some(chronyd) = found("chronyd") else {
            return skip("no chronyd: install the package chrony");
        };
        let unshared = Command::new("unshare").args(["-n", "true"]).status();
        if !unshared.is_ok_and(|status| status.success()) {
            return skip("only root may have a network of its own");
        }
        let test = env::current_exe().expect("this test");
        let status = Command::new("unshare").arg("-n").arg(test).env(INSIDE, chronyd).status();
        assert!(status.expect("unshare").success());
    }

    /// A server that ends with the test.
    struct Server(Child, PathBuf);

    impl Server {
        fn start() -> Self {
            let folder = env::temp_dir().join(format!("chronyd-{}", std::process::id()));
            // chronyd makes its socket only where no one else may.
            fs::DirBuilder::new().mode(0o700).create(&folder).expect("a folder of our own");
            let at = |name: &str| folder.join(name).display().to_string();
            let lines = format!(
                "local stratum 1\nallow 127.0.0.0/8\nport 1123\ncmdport 0\nbindcmdaddress {}\n\
                 pidfile {}\ndriftfile {}\n",
                at("socket"),
                at("pid"),
                at("drift")
            );
            fs::write(at("conf"), lines).expect("a file");
            let chronyd = env::var_os(INSIDE).expect("its path");
            // -x: it never sets the clock.
            let mut command = Command::new(chronyd);
            command.args(["-x", "-n", "-u", "root", "-f", &at("conf")]);
            Self(command.spawn().expect("chronyd"), folder)
        }
    }

    impl Drop for Server {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
            let _ = fs::remove_dir_all(&self.1);
        }
    }

    /// Passes packets on: answers take fifteen times as long as requests, some come twice, and a
    /// few are lost.
    fn relay() -> io::Result<()> {
        let (client, server) = (UdpSocket::bind(RELAY)?, UdpSocket::bind("127.0.0.1:0")?);
        server.connect(SERVER)?;
        server.set_read_timeout(Some(Duration::from_secs(1)))?;
        let mut rng = fastrand::Rng::with_seed(1);
        for nth in 0_u64.. {
            let mut packet = [0; 512];
            let (length, from) = client.recv_from(&mut packet)?;
            thread::sleep(Duration::from_micros(rng.u64(20..200)));
            server.send(&packet[..length])?;
            // One that came too late for the request before is none for this one.
            let mut answer = [0; 512];
            let length = loop {
                match server.recv(&mut answer) {
                    Ok(length) if answer[24..32] == packet[40..48] => break Some(length),
                    Ok(_) => {}
                    Err(_) => break None,
                }
            };
            let Some(length) = length else { continue };
            thread::sleep(Duration::from_micros(rng.u64(300..3000)));
            if nth % 400 == 399 {
                continue;
            }
            for _ in 0..if nth % 10 == 9 { 2 } else { 1 } {
                client.send_to(&answer[..length], from)?;
            }
        }
        Ok(())
    }

    fn inside() {
        let up = Command::new("ip").args(["link", "set", "lo", "up"]).status();
        assert!(up.expect("ip").success());
        let server = Server::start();
        thread::spawn(|| relay().expect("a relay"));
        let source = Source::named(&format!("ntp:{RELAY}")).expect("a source");
        let mut ask = source.open().expect("a socket");
        let (mut region, mut found) = (Region::default(), Found::default());
        let (mut held, mut lost, begun) = (0, 0, Instant::now());
        while held < EXCHANGES {
            assert!(begun.elapsed() < Duration::from_secs(120), "{held} answers, {found:?}");
            let exchange = match ask(&region, &mut found) {
                Ok(exchange) => exchange,
                // The server starts, or a packet was lost.
                Err(Failed::Lost(_)) => {
                    lost += 1;
                    thread::sleep(Duration::from_millis(20));
                    continue;
                }
                Err(why) => panic!("{why:?}"),
            };
            let [before, wall, after] = outside::wall();
            // Where the wall clock is ahead of the counter by so much, which nothing changes here.
            let truth = [wall - after, wall - before];
            let holds = |[low, high]: [i64; 2]| low <= truth[1] && truth[0] <= high;
            let own = [exchange.earliest - exchange.received, exchange.latest - exchange.sent];
            assert!(holds(own), "{exchange:?} {truth:?}");
            assert_eq!(region.add(&exchange), Verdict::Agrees, "{exchange:?}");
            let bounds = region.at(after).expect("bounds");
            assert!(holds(bounds.offset), "{bounds:?} {truth:?}");
            held += 1;
        }
        let bounds = region.at(0).expect("bounds");
        let [low, high] = bounds.rate_ppm.expect("a rate");
        println!(
            "{held} intervals of {held} hold, {lost} lost, {} strays; ±{} us, {low:.1} to \
             {high:.1} ppm after {:.1} s",
            found.strays,
            (bounds.offset[1] - bounds.offset[0]) / 2000,
            region.span() as f64 / 1e9
        );
        assert!(found.strays > 0, "duplicates are no answers");
        // At its own socket it says that it follows no other clock.
        let socket = format!("chrony:{}/socket", server.1.display());
        let mut ask = Source::named(&socket).and_then(|it| it.open()).expect("a source");
        match ask(&region, &mut found) {
            Err(Failed::Lost(why)) => assert!(why.contains("(local)"), "{why}"),
            other => panic!("{other:?}"),
        }
    }
}

fn main() {
    #[cfg(target_os = "linux")]
    linux::run();
}
