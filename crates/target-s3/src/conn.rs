//! One HTTP/1.1 connection: a socket of our own, perhaps TLS, and hyper's protocol on top of it.
//!
//! Nothing is spawned. Whoever exchanges a request for an answer also drives the connection, and wakes that the two cause
//! in each other are handled on the spot: a small request costs one write, one wait and one read.

use crate::failure::{Failure, Outcome};
use crate::limit::Place;
use crate::payload::Payload;
use bytes::{Bytes, BytesMut};
use fsbench_target::{ErrorKind, Probe, Stage};
use futures_util::task::AtomicWaker;
use http::{HeaderMap, Request, StatusCode};
use http_body::Body;
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker, ready};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Interval, MissedTickBehavior, interval};
use tokio_rustls::client::TlsStream;

/// The longest answer that is kept whole: a full page of the longest keys has 1-6 MB.
const ANSWER_BYTES_MAX: usize = 32 << 20;
/// A request has timed out when nothing moved in this many ticks of its connection.
const TICKS: u32 = 8;
/// How often a connection and its request may wake each other before others get their turn.
const TURNS: usize = 256;

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// Empty when the body went into the caller's buffer.
    pub(crate) body: Bytes,
    /// Bytes in the caller's buffer.
    pub(crate) filled: usize,
}

/// A socket that counts its progress.
pub(crate) struct Stream {
    socket: Socket,
    progress: Rc<Cell<u64>>,
}

pub(crate) enum Socket {
    Plain(TokioIo<TcpStream>),
    Tls(Box<TokioIo<TlsStream<TcpStream>>>),
}

/// Runs one of the two variants' method of the same name.
macro_rules! on_socket {
    ($stream:expr, $socket:ident => $call:expr) => {
        match &mut $stream.socket {
            Socket::Plain($socket) => {
                let $socket = Pin::new($socket);
                $call
            }
            Socket::Tls($socket) => {
                let $socket = Pin::new(&mut **$socket);
                $call
            }
        }
    };
}

impl Stream {
    fn moved<T>(&self, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.progress.set(self.progress.get() + 1);
        }
        result
    }
}

impl Read for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let result = on_socket!(self, socket => socket.poll_read(cx, buffer));
        self.moved(result)
    }
}

impl Write for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let result = on_socket!(self, socket => socket.poll_write(cx, bytes));
        self.moved(result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = on_socket!(self, socket => socket.poll_write_vectored(cx, pieces));
        self.moved(result)
    }

    fn is_write_vectored(&self) -> bool {
        match &self.socket {
            Socket::Plain(socket) => socket.is_write_vectored(),
            Socket::Tls(socket) => socket.is_write_vectored(),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        on_socket!(self, socket => socket.poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        on_socket!(self, socket => socket.poll_shutdown(cx))
    }
}

/// Wakes the session's thread, unless what is woken is being polled at that moment: then a note is enough.
#[derive(Default)]
struct Turns {
    polling: AtomicBool,
    again: AtomicBool,
    outer: AtomicWaker,
}

impl Turns {
    fn begin(&self) {
        self.again.store(false, Ordering::Release);
        self.polling.store(true, Ordering::Release);
    }

    /// Whether something was woken since [`Turns::begin`].
    fn finish(&self) -> bool {
        self.polling.store(false, Ordering::Release);
        self.again.load(Ordering::Acquire)
    }
}

impl Wake for Turns {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.again.store(true, Ordering::Release);
        if !self.polling.load(Ordering::Acquire) {
            self.outer.wake();
        }
    }
}

/// A connection. Taken out of the pool for a request, and put back when the answer was read to its end.
pub(crate) struct Conn {
    sender: SendRequest<Payload>,
    driver: Pin<Box<Connection<Stream, Payload>>>,
    ended: bool,
    turns: Arc<Turns>,
    waker: Waker,
    progress: Rc<Cell<u64>>,
    tick: Interval,
    timeout: Duration,
    pub(crate) place: Option<Arc<Place>>,
    /// Counts connections that ended, so that the next one is known to replace one.
    losses: Rc<Cell<u64>>,
}

impl Drop for Conn {
    fn drop(&mut self) {
        self.losses.set(self.losses.get() + 1);
    }
}

impl Conn {
    /// HTTP/1.1 on a connected socket. `timeout` is how long a request may make no progress at all.
    pub(crate) async fn start(socket: Socket, timeout: Duration, losses: Rc<Cell<u64>>) -> Outcome<Self> {
        let progress = Rc::new(Cell::new(0));
        let stream = Stream { socket, progress: progress.clone() };
        let (sender, driver) =
            Builder::new().handshake(stream).await.map_err(|error| Failure::of_http(&error, false))?;
        let turns = Arc::new(Turns::default());
        let mut tick = interval((timeout / TICKS).max(Duration::from_millis(1)));
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Self {
            sender,
            driver: Box::pin(driver),
            ended: false,
            waker: Waker::from(turns.clone()),
            turns,
            progress,
            tick,
            timeout,
            place: None,
            losses,
        })
    }

    /// Lets the connection see what came meanwhile. False: it has ended.
    pub(crate) fn settle(&mut self, cx: &mut Context<'_>) -> bool {
        self.turns.outer.register(cx.waker());
        let mut inner = Context::from_waker(&self.waker);
        self.ended = self.ended || self.driver.as_mut().poll(&mut inner).is_ready();
        !self.ended && self.sender.is_ready()
    }

    /// Sends a request and reads the whole answer: a success's body into `into`, if that is given.
    pub(crate) async fn exchange(
        &mut self,
        request: Request<Payload>,
        into: Option<&mut [u8]>,
        probe: &dyn Probe,
    ) -> Outcome<Answer> {
        let Self { sender, driver, ended, turns, waker, progress, tick, timeout, .. } = self;
        let mut answer = pin!(answer(sender, request, into, probe));
        let (mut seen, mut still) = (progress.get(), 0);
        poll_fn(move |cx| {
            turns.outer.register(cx.waker());
            let mut inner = Context::from_waker(waker);
            for _ in 0..TURNS {
                let had_ended = *ended;
                turns.begin();
                let answered = answer.as_mut().poll(&mut inner);
                *ended = had_ended || (answered.is_pending() && driver.as_mut().poll(&mut inner).is_ready());
                let again = turns.finish() || *ended != had_ended;
                match (answered, again) {
                    (Poll::Ready(answer), _) => return Poll::Ready(answer),
                    (Poll::Pending, true) => {}
                    (Poll::Pending, false) if had_ended => {
                        return Poll::Ready(Err(Failure::new(ErrorKind::Connection, "the connection ended")));
                    }
                    (Poll::Pending, false) => {
                        ready!(stalled(tick, cx, (progress.get(), &mut seen, &mut still)));
                        return Poll::Ready(Err(timed_out(*timeout)));
                    }
                }
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await
    }
}

fn timed_out(timeout: Duration) -> Failure {
    Failure::new(ErrorKind::Timeout, format!("nothing came or went for {} ms", timeout.as_millis()))
        .with_hint("AWS_REQUEST_TIMEOUT_MS sets how long to wait")
}

/// Ready when there was no progress over all ticks of the timeout.
fn stalled(tick: &mut Interval, cx: &mut Context<'_>, (now, seen, still): (u64, &mut u64, &mut u32)) -> Poll<()> {
    while tick.poll_tick(cx).is_ready() {
        *still = if now == *seen { *still + 1 } else { 0 };
        *seen = now;
        if *still > TICKS {
            return Poll::Ready(());
        }
    }
    Poll::Pending
}

async fn answer(
    sender: &mut SendRequest<Payload>,
    request: Request<Payload>,
    into: Option<&mut [u8]>,
    probe: &dyn Probe,
) -> Outcome<Answer> {
    let start = if into.is_some() { probe.now() } else { 0 };
    let response = sender.send_request(request).await.map_err(|error| Failure::of_http(&error, false))?;
    if into.is_some() && response.status().is_success() {
        probe.stage(Stage::FirstByte, start, 0);
    }
    let (head, mut body) = response.into_parts();
    let mut answer = Answer { status: head.status, headers: head.headers, body: Bytes::new(), filled: 0 };
    match into {
        Some(buffer) if answer.status.is_success() => answer.filled = fill(&mut body, buffer).await?,
        _ => answer.body = collect(&mut body).await?,
    }
    Ok(answer)
}

async fn frame(body: &mut Incoming) -> Outcome<Option<Bytes>> {
    loop {
        match poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await {
            None => return Ok(None),
            Some(Err(error)) => return Err(Failure::of_http(&error, true)),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}

async fn fill(body: &mut Incoming, buffer: &mut [u8]) -> Outcome<usize> {
    let mut filled = 0;
    while let Some(data) = frame(body).await? {
        let Some(place) = buffer.get_mut(filled..filled + data.len()) else {
            return Err(Failure::new(ErrorKind::Corrupt, "the server sent more bytes than were asked for"));
        };
        place.copy_from_slice(&data);
        filled += data.len();
    }
    Ok(filled)
}

async fn collect(body: &mut Incoming) -> Outcome<Bytes> {
    let Some(first) = frame(body).await? else {
        return Ok(Bytes::new());
    };
    let Some(second) = frame(body).await? else {
        return Ok(first);
    };
    let mut whole = BytesMut::from(first);
    let mut next = Some(second);
    while let Some(data) = next {
        if whole.len() + data.len() > ANSWER_BYTES_MAX {
            return Err(Failure::new(ErrorKind::Corrupt, "the answer is longer than any answer of S3"));
        }
        whole.extend_from_slice(&data);
        next = frame(body).await?;
    }
    Ok(whole.freeze())
}
