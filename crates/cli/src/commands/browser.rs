//! What do the clocks and timers of a browser show?

use crate::context::Context;
use crate::output::write_whole;
use crate::task::{Run, Task};
use chronoscope_report::page::browser;
use std::path::{Path, PathBuf};

/// Write a page that measures the browser that opens it.
#[derive(clap::Args)]
pub struct Args {
    /// The page; '-' is standard output.
    #[arg(long, short = 'o', value_name = "FILE", default_value = "chronoscope-browser.html")]
    #[arg(value_hint = clap::ValueHint::FilePath)]
    output: PathBuf,
    /// Serve the page on this machine instead, with the headers that isolate it: an isolated page
    /// has finer clocks and shared memory.
    #[cfg(feature = "serve")]
    #[arg(long, conflicts_with = "output")]
    serve: bool,
    /// The port of 127.0.0.1 to serve on. Default: a free one.
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "N", requires = "serve", allow_hyphen_values = true)]
    port: Option<u16>,
}

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        let page = browser::page(env!("CARGO_PKG_VERSION"));
        #[cfg(feature = "serve")]
        if self.serve {
            let port = self.port.unwrap_or(0);
            return Ok(Task::Lasting(Box::new(move |_| serve(port, page))));
        }
        if self.output == Path::new("-") {
            return Ok(Task::document(Vec::new(), page));
        }
        write_whole(&self.output, page.as_bytes())?;
        let text = format!("Wrote {}: open it in a browser.\n", self.output.display());
        Ok(Task::document(Vec::new(), text))
    }
}

/// Answers with the page until a signal, which is how this is meant to end.
#[cfg(feature = "serve")]
fn serve(port: u16, page: String) -> anyhow::Result<std::process::ExitCode> {
    use crate::context::Stop;
    use anyhow::Context as _;
    use chronoscope_fleet::http::Server;
    use std::io::Write;
    use std::net::{Ipv4Addr, SocketAddr};

    let stop = Stop::on_signals()?;
    let place = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let server =
        Server::bind(place).with_context(|| format!("cannot listen on {place} (--port)"))?;
    let address = server.address()?;
    // If standard error is closed, nobody reads it.
    let _ = writeln!(std::io::stderr(), "Open http://{address}/ in a browser; Ctrl-C ends");
    server.answer_page(page, || stop.interrupt.is_set())?;
    Ok(std::process::ExitCode::SUCCESS)
}
