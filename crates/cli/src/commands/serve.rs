//! What does Prometheus need to watch time on this machine?

use crate::context::{Context, Stop};
use crate::task::{Run, Task};
use anyhow::Context as _;
use chronoscope_fleet::exporter::{self, Settings};
use chronoscope_fleet::http::Server;
use chronoscope_fleet::time::TimeServer;
use chronoscope_model::units::percent;
use chronoscope_survey::against::Source;
use chronoscope_survey::may_measure;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::process::ExitCode;

/// Serve metrics to Prometheus, measured within a budget of CPU time.
#[derive(clap::Args)]
pub struct Args {
    /// The IP address and the port to listen on. Port 0 is a free one; standard error says which.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:10042")]
    #[arg(value_parser = address, allow_hyphen_values = true)]
    listen: SocketAddr,
    /// The share of one CPU that measuring may take: 0.5% or 0.005.
    #[arg(long, value_name = "SHARE", default_value = "0.5%")]
    #[arg(value_parser = share, allow_hyphen_values = true)]
    cpu_budget: f64,
    /// Also answer /report with the last report, as JSON.
    #[arg(long)]
    report: bool,
    /// Begin to measure at once. By default it begins within five minutes, at a time that differs
    /// from machine to machine, so that the guests of a host do not all measure together.
    #[arg(long)]
    start_now: bool,
    /// Ask these clocks all the time how far the wall clock is off, as trust --against does:
    /// ntp:HOST, http:HOST, vmclock, ptp:/dev/ptp0, chrony, rtc. An NTP server gets one request in
    /// 16 s, after a few at the start.
    #[arg(long, value_name = "SOURCES", value_delimiter = ',', value_parser = Source::named)]
    against: Vec<Source>,
    /// Also answer other chronoscopes that ask for the time (trust --against ntp:HOST:PORT), on
    /// 127.0.0.1:10123 without an address.
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1)]
    #[arg(default_missing_value = "127.0.0.1:10123", value_parser = address)]
    time: Option<SocketAddr>,
}

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        Ok(Task::Lasting(Box::new(move |context| serve(self, context))))
    }
}

/// Answers Prometheus until a signal, which is how this is meant to end.
fn serve(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    let Args { listen, cpu_budget: budget, report: keep_report, start_now, against, time } = args;
    may_measure()?;
    let stop = Stop::on_signals()?;
    let server =
        Server::bind(listen).with_context(|| format!("cannot listen on {listen} (--listen)"))?;
    let address = server.address()?;
    if !address.ip().to_canonical().is_loopback() {
        context.warn(&format!(
            "whoever reaches {address} can read the metrics: there is no TLS and no authentication"
        ));
    }
    // If standard error is closed, nobody reads it.
    if let Some(time) = time {
        let server =
            TimeServer::bind(time).with_context(|| format!("cannot listen on {time} (--time)"))?;
        let time = server.address()?;
        if !time.ip().to_canonical().is_loopback() {
            context.warn(&format!("whoever reaches {time} can ask for the time (--time)"));
        }
        server.start(&stop.interrupt)?;
        let _ = writeln!(io::stderr(), "Answering for the time on ntp:{time}");
    }
    let _ = writeln!(io::stderr(), "Listening on http://{address}/metrics");
    let settings = Settings { budget, start_now, keep_report, against };
    exporter::run(server, settings, &stop.interrupt)?;
    Ok(ExitCode::SUCCESS)
}

/// From a third of a CPU second an hour to a whole CPU: measuring has one thread.
const SHARES: RangeInclusive<f64> = 0.000_1..=1.0;

/// What has two readings without a percent sign.
const AMBIGUOUS: RangeInclusive<f64> = 0.01..=1.0;

fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.strip_suffix('%') {
        Some(number) => (number.trim_end(), 100.0),
        None => (text, 1.0),
    };
    let number: f64 = number.parse().map_err(|_| "write a share of one CPU: 0.5% or 0.005")?;
    let share = number / unit;
    if unit == 1.0 && AMBIGUOUS.contains(&share) {
        let fraction = percent(share);
        return Err(format!("it can be read as {text} % or as {fraction} of a CPU: write the %"));
    }
    if SHARES.contains(&share) { Ok(share) } else { Err("it must be from 0.01% to 100%".into()) }
}

fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let example =
        "write an IP address and a port: 127.0.0.1:10042, or [::]:10042 for all addresses";
    text.parse().map_err(|_| example)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_in_percent_or_a_fraction() {
        for (text, expected) in [
            ("0.5%", 0.005),
            ("0.005", 0.005),
            ("5e-3", 0.005),
            ("0.5 %", 0.005),
            ("0.01%", 0.000_1),
            ("0.0001", 0.000_1),
            ("100%", 1.0),
        ] {
            assert_eq!(share(text).as_ref(), Ok(&expected), "{text}");
        }
        for text in [
            "", "%", "0", "0%", "0.009%", "101%", "5", "-1%", "nan", "inf%", "half", "1%%", "0.5",
            "1",
        ] {
            assert!(share(text).is_err(), "{text}");
        }
    }
}
