//! Answers over HTTP, in one thread, to as many clients as there may be. Nothing here waits for a
//! measurement.

mod answer;
mod stream;

use crate::board::Board;
use answer::{Answer, answer, isolated};
use hyper::Request;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use stream::Limited;
use tokio::net;
use tokio::runtime;
use tokio::sync::Semaphore;
use tokio::time::sleep;

/// The bytes of a request's head that are read at most.
const HEAD: usize = 16 << 10;
/// The most connections at a time. Further ones wait until one ends, which the limits of
/// [`Limited`] see to.
const CONNECTIONS: usize = 256;
/// The pause after a connection could not be accepted, because too many files are open for example.
const PAUSE: Duration = Duration::from_millis(100);
/// How often is looked whether to stop.
const LOOK: Duration = Duration::from_millis(200);

/// A place where clients can ask.
pub struct Server(TcpListener);

impl Server {
    /// Listens, but answers nothing yet. Port 0 is one that is free.
    ///
    /// # Errors
    /// The system refuses; the port is taken, for example.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Self(listener))
    }

    /// The address with its real port.
    ///
    /// # Errors
    /// The system does not know it.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Answers from the board until it is done.
    ///
    /// # Errors
    /// The system cannot watch connections.
    pub fn answer(
        self,
        board: &Arc<Board>,
        has_report: bool,
        is_done: impl Fn() -> bool,
    ) -> io::Result<()> {
        let board = Arc::clone(board);
        self.serve(move |request| answer(request, &board, has_report), is_done)
    }

    /// Answers with one page, which a browser isolates, until it is done.
    ///
    /// # Errors
    /// The system cannot watch connections.
    pub fn answer_page(self, page: String, is_done: impl Fn() -> bool) -> io::Result<()> {
        let page = Bytes::from(page);
        self.serve(move |request| isolated(request, &page), is_done)
    }

    fn serve(
        self,
        answer: impl Fn(&Request<Incoming>) -> Answer + Clone + Send + Sync + 'static,
        is_done: impl Fn() -> bool,
    ) -> io::Result<()> {
        runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
            tokio::spawn(accept(net::TcpListener::from_std(self.0)?, answer));
            while !is_done() {
                sleep(LOOK).await;
            }
            Ok(())
        })
    }
}

/// Accepts connections, each of which is answered beside the others.
async fn accept(
    listener: net::TcpListener,
    answer: impl Fn(&Request<Incoming>) -> Answer + Clone + Send + Sync + 'static,
) {
    let mut http = http1::Builder::new();
    http.max_buf_size(HEAD);
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    // The semaphore is never closed.
    while let Ok(place) = Arc::clone(&free).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        // An answer that is delayed is still an answer.
        let _ = stream.set_nodelay(true);
        let answer = answer.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let mut answer = answer(&request);
            if !request.body().is_end_stream() {
                // Nobody reads a body, however small it is.
                answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            ready(Ok::<_, Infallible>(answer))
        });
        let connection = http.serve_connection(TokioIo::new(Limited::new(stream)), service);
        tokio::spawn(async move {
            // A client that goes away, takes too long or sends nonsense harms only itself.
            let _ = connection.await;
            drop(place);
        });
    }
}
