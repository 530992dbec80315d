//! What asking any clock needs: one request gives an exchange, or the reason why not.

use super::region::{Exchange, Region};
use chronoscope_model::against::Source as Found;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::time::Duration;

/// How long an answer may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// Why a request gave no exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The next one may succeed.
    Lost(String),
    /// The clock itself shows that it or this machine's jumped since: bounds begin again with this.
    Jumped(Exchange),
    /// The server asks for fewer requests.
    TooMany,
    /// It must not be asked again.
    Over(String),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Lost(why(&error))
    }
}

/// Why nothing came.
pub(super) fn why(error: &io::Error) -> String {
    let late = [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut].contains(&error.kind());
    if late { "it does not answer".into() } else { error.to_string() }
}

/// Asks once, and fills in what the source says of itself. The region is what is known already.
pub type Ask = Box<dyn FnMut(&Region, &mut Found) -> Result<Exchange, Failed> + Send>;

pub(super) fn addresses(host: &str, port: u16) -> io::Result<SocketAddr> {
    let mut all = (host, port).to_socket_addrs()?;
    all.next().ok_or_else(|| io::Error::other("the name has no address"))
}

pub(super) fn udp(host: &str, port: u16) -> io::Result<UdpSocket> {
    let to = addresses(host, port)?;
    let from = match to {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    };
    let socket = UdpSocket::bind(from)?;
    // Only the server's own packets arrive.
    socket.connect(to)?;
    Ok(socket)
}
