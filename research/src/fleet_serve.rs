//! `cargo research fleet-serve`: what `chronoscope serve` costs a machine: each scrape, its
//! memory, its measurements, and the series that it adds to a server.

use crate::{process, results};
use anyhow::{Context, Result, ensure};
use chronoscope_ci::tool;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};
use xshell::Shell;

#[derive(clap::Args)]
pub struct Args {
    /// How long measuring is watched, in seconds
    #[arg(long, default_value_t = 120)]
    seconds: u64,
    /// Print the part without writing it
    #[arg(long)]
    dry: bool,
}

/// Of one CPU.
const BUDGET: f64 = 0.005;
/// Scrapes that are timed.
const TIMED: usize = 10_000;
/// Scrapes after which memory must not have grown.
const MANY: usize = 100_000;
const CLASSIC: &str = "text/plain";

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let mut tool = Command::new(tool::release(sh)?.tool);
    tool.args(["serve", "--listen", "127.0.0.1:0", "--start-now", "--cpu-budget", "0.5%"]);
    let exporter = Exporter::start(&mut tool)?;
    let mut client = exporter.client()?;

    println!("watching for {} s", args.seconds);
    let before = (Instant::now(), exporter.measuring_s()?);
    std::thread::sleep(Duration::from_secs(args.seconds));
    let watched_s = before.0.elapsed().as_secs_f64();
    let by_kernel = exporter.measuring_s()?;
    let text = client.scrape(CLASSIC)?;
    let by_itself = value(&text, "chronoscope_measuring_cpu_seconds_total")
        .context("the exporter does not count its CPU time")?;
    let resident = process::resident_kib(exporter.child.id())?;
    let (classic, native) = series(&text);

    let mut ns = Vec::with_capacity(TIMED);
    let cpu = exporter.answering_s()?;
    for _ in 0..TIMED {
        let start = Instant::now();
        client.scrape(CLASSIC)?;
        ns.push(start.elapsed().as_nanos());
    }
    let cpu_us = (exporter.answering_s()? - cpu) * 1e6 / TIMED as f64;
    ns.sort_unstable();
    let [p50, p99] = [TIMED / 2, TIMED * 99 / 100].map(|at| ns[at] as f64 / 1e6);
    for _ in TIMED..MANY {
        client.scrape(CLASSIC)?;
    }
    let grown = process::resident_kib(exporter.child.id())?.saturating_sub(resident);
    drop(exporter);

    let now = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC");
    let share = |seconds: f64| 100.0 * seconds / watched_s;
    let (own, kernel) = (share(by_itself), share(by_kernel));
    let part = format!(
        "## What the exporter costs\n\n{}`cargo research fleet-serve`, {now}. `chronoscope \
         serve --cpu-budget 0.5% --start-now`, watched for {watched_s:.0} s from its start; then \
         {MANY} scrapes over one connection, the first {TIMED} of them timed. By itself: \
         `chronoscope_measuring_cpu_seconds_total`; by the kernel: the \
         CPU time of the process without the thread that answers.\n\n\
         | | goal | measured |\n| --- | --- | ---: |\n\
         | scrape, median | | {p50:.3} ms |\n\
         | scrape, 99th percentile | 2 ms | {p99:.3} ms |\n\
         | CPU of the answering thread for a scrape | 30 us | {cpu_us:.0} us |\n\
         | resident memory | 16 MiB | {:.1} MiB |\n\
         | its growth over {MANY} scrapes | 2 MiB | {:.2} MiB |\n\
         | CPU of measuring, by itself | at most 0.5 % ± 10 % | {own:.3} % |\n\
         | CPU of measuring, by the kernel | within 10 % of that | {kernel:.3} % |\n\
         | series with classic histograms | 150 | {classic} |\n\
         | series with native histograms | 60 | {native} |\n\
         | a scrape in text | | {:.1} kB |\n",
        results::this_machine(sh),
        resident as f64 / 1024.0,
        grown as f64 / 1024.0,
        text.len() as f64 / 1e3,
    );
    let missed: Vec<&str> = [
        ("a scrape", p99 <= 2.0 && cpu_us <= 30.0),
        ("memory", resident <= 16 << 10 && grown <= 2 << 10),
        ("the CPU budget", own <= 110.0 * BUDGET && (kernel / own - 1.0).abs() <= 0.1),
        ("series", classic <= 150 && native <= 60),
    ]
    .into_iter()
    .filter_map(|(what, met)| (!met).then_some(what))
    .collect();
    results::publish(sh, "fleet-serve", &part, args.dry)?;
    ensure!(missed.is_empty(), "beyond its goal: {}", missed.join(", "));
    Ok(())
}

/// A running exporter, which ends with this.
struct Exporter {
    child: Child,
    address: String,
    /// Kept open, so that it may write to it.
    _stderr: BufReader<ChildStderr>,
}

impl Drop for Exporter {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Exporter {
    fn start(tool: &mut Command) -> Result<Exporter> {
        let mut child = tool.stderr(Stdio::piped()).spawn()?;
        let mut stderr = BufReader::new(child.stderr.take().context("stderr is a pipe")?);
        let mut line = String::new();
        stderr.read_line(&mut line)?;
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.unwrap_or_default().to_owned();
        let exporter = Exporter { child, address, _stderr: stderr };
        ensure!(!exporter.address.is_empty(), "no address in '{line}'");
        Ok(exporter)
    }

    /// A connection, once the first measurement was made.
    fn client(&self) -> Result<Client> {
        let mut client = Client(TcpStream::connect(&self.address)?);
        let until = Instant::now() + Duration::from_secs(60);
        while client.scrape(CLASSIC).is_err() {
            ensure!(Instant::now() < until, "no metrics within a minute");
            std::thread::sleep(Duration::from_millis(100));
            client = Client(TcpStream::connect(&self.address)?);
        }
        Ok(client)
    }

    /// The CPU time of all threads but the one that answers, in seconds: the 14th and 15th field
    /// of `/proc/PID/stat` (proc(5)), in ticks of 10 ms.
    fn measuring_s(&self) -> Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks = fields.skip(11).take(2).map(str::parse::<u64>).sum::<Result<u64, _>>()?;
        Ok(ticks as f64 / 100.0 - self.answering_s()?)
    }

    /// The CPU time of the first thread, which answers, in seconds.
    fn answering_s(&self) -> Result<f64> {
        process::first_thread_s(self.child.id())
    }
}

/// A connection that is kept alive.
struct Client(TcpStream);

impl Client {
    /// The body of `/metrics`.
    fn scrape(&mut self, accept: &str) -> Result<String> {
        let request =
            format!("GET /metrics HTTP/1.1\r\nHost: exporter\r\nAccept: {accept}\r\n\r\n");
        // In one piece: the rest would wait until the first is acknowledged.
        self.0.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        let mut chunk = [0; 1 << 16];
        loop {
            let n = self.0.read(&mut chunk)?;
            ensure!(n > 0, "the connection was closed");
            answer.extend_from_slice(&chunk[..n]);
            let Some(end) = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
                continue;
            };
            let head = std::str::from_utf8(&answer[..end])?.to_ascii_lowercase();
            ensure!(head.starts_with("http/1.1 200"), "{head}");
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let whole = end + 4 + length.context("no length")?.parse::<usize>()?;
            if answer.len() >= whole {
                return Ok(String::from_utf8(answer.split_off(end + 4))?);
            }
        }
    }
}

/// The value of a metric without labels.
fn value(text: &str, name: &str) -> Option<f64> {
    let row = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    row?.parse().ok()
}

/// How many series a server stores: with classic histograms, and with native ones, each of which
/// is one.
fn series(text: &str) -> (usize, usize) {
    let rows = || text.lines().filter(|line| !line.starts_with('#'));
    let classic = rows().count();
    let buckets = rows().filter(|row| row.contains("_bucket{")).count();
    let histograms = rows().filter(|row| row.contains("le=\"+Inf\"")).count();
    // Each histogram also has a sum and a count.
    (classic, classic - buckets - histograms)
}
