//! Answers over HTTP, in one thread, to as many clients as there may be. Nothing here waits for a
//! measurement.
//!
//! A connection with limits on how long its client may take. hyper limits the time of a request's
//! head only, and by the same time as that between two requests.

mod answer;

use crate::rounds::Board;
use answer::{Answer, answer, isolated};
use hyper::Request;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::future::ready;
use std::io::{self, ErrorKind, IoSlice};
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{self, TcpStream};
use tokio::runtime;
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep, sleep};

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

/// For the head of a request, from its first byte; of the first request, from the connection.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// For taking an answer.
const ANSWER: Duration = Duration::from_secs(10);
/// Between two requests. Prometheus scrapes every minute unless told otherwise.
const IDLE: Duration = Duration::from_secs(150);

/// What the client is expected to do.
#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Ask,
    TakeAnswer,
    Rest,
}

impl Phase {
    fn limit(self) -> Duration {
        match self {
            Self::Ask => HEAD_TIME,
            Self::TakeAnswer => ANSWER,
            Self::Rest => IDLE,
        }
    }
}

/// Whoever waits for this stream gets an error when the client has taken too long.
pub struct Limited {
    stream: TcpStream,
    phase: Phase,
    deadline: Pin<Box<Sleep>>,
}

/// How much of an answer the system may hold of what the client has not taken. Beyond that, the
/// deadline counts.
#[cfg(target_os = "linux")]
const HELD: usize = 64 << 10;

impl Limited {
    pub fn new(stream: TcpStream) -> Self {
        #[cfg(target_os = "linux")]
        {
            use rustix::net::sockopt::{set_socket_send_buffer_size, set_tcp_user_timeout};
            // What the system holds is written, and yet not taken: it gives up by itself. If it
            // refuses, the time between two requests limits that.
            let _ = set_socket_send_buffer_size(&stream, HELD);
            let _ = set_tcp_user_timeout(&stream, ANSWER.as_millis() as u32);
        }
        Self { stream, phase: Phase::Ask, deadline: Box::pin(sleep(HEAD_TIME)) }
    }

    fn enter(&mut self, phase: Phase) {
        if self.phase != phase {
            self.phase = phase;
            self.deadline.as_mut().reset(Instant::now() + phase.limit());
        }
    }

    /// Returns what is done, or waits until the deadline.
    fn within<T>(
        &mut self,
        done: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if done.is_pending() {
            ready!(self.deadline.as_mut().poll(context));
            return Poll::Ready(Err(ErrorKind::TimedOut.into()));
        }
        done
    }
}

impl AsyncRead for Limited {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_read(context, buffer);
        if done.is_ready() && self.phase == Phase::Rest {
            self.enter(Phase::Ask);
        }
        self.within(done, context)
    }
}

impl AsyncWrite for Limited {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.enter(Phase::TakeAnswer);
        let done = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within(done, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.enter(Phase::TakeAnswer);
        let done = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.within(done, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// hyper calls this when it has written all of an answer.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_flush(context);
        if done.is_ready() && self.phase == Phase::TakeAnswer {
            self.enter(Phase::Rest);
        }
        self.within(done, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// A stream, its client, and when they met.
    async fn pair() -> (Limited, net::TcpStream, Instant) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let client = net::TcpStream::connect(address).expect("it listens");
        let (stream, _) = listener.accept().expect("a client");
        stream.set_nonblocking(true).expect("a socket");
        let stream = TcpStream::from_std(stream).expect("a runtime");
        (Limited::new(stream), client, Instant::now())
    }

    /// Runs a test in simulated time, which passes at once if there is nothing to do.
    fn simulated(test: impl Future<Output = ()>) {
        let mut runtime = runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().start_paused(true).build();
        runtime.expect("a runtime").block_on(test);
    }

    /// Timers have a resolution of a millisecond.
    fn took(start: Instant, limit: Duration) -> bool {
        (limit..limit + Duration::from_millis(10)).contains(&start.elapsed())
    }

    #[test]
    fn a_head_has_one_limit_however_often_something_comes() {
        simulated(async {
            let (mut stream, mut client, start) = pair().await;
            for _ in 0..4 {
                client.write_all(b"x").expect("it is open");
                assert_eq!(stream.read_u8().await.expect("a byte"), b'x');
                sleep(Duration::from_secs(1)).await;
            }
            let error = stream.read_u8().await.expect_err("nothing comes");
            assert_eq!(error.kind(), ErrorKind::TimedOut);
            assert!(took(start, HEAD_TIME), "{:?}", start.elapsed());
        });
    }

    #[test]
    fn between_requests_there_is_more_time() {
        simulated(async {
            let (mut stream, _client, start) = pair().await;
            stream.write_all(b"answer").await.expect("it is taken");
            stream.flush().await.expect("it is taken");
            let error = stream.read_u8().await.expect_err("nothing comes");
            assert_eq!(error.kind(), ErrorKind::TimedOut);
            assert!(took(start, IDLE), "{:?}", start.elapsed());
        });
    }

    #[test]
    fn an_answer_that_is_not_taken_is_given_up() {
        simulated(async {
            let (mut stream, _client, start) = pair().await;
            let endless = vec![0; 64 << 20];
            let error = stream.write_all(&endless).await.expect_err("nobody reads");
            assert_eq!(error.kind(), ErrorKind::TimedOut);
            assert!(took(start, ANSWER), "{:?}", start.elapsed());
        });
    }
}
