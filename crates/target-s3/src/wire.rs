//! A connected socket, perhaps with TLS on it: bytes in and out, and the two ways to wait for them.
//!
//! A request that is all a session has under way waits in the system call itself: nothing is cheaper, and nothing else
//! could use the thread. Requests in flight beside others wait in the session's runtime. The socket stays in blocking
//! mode; where waiting is the runtime's, each call says that it must not wait. Both ways end when nothing moved for as
//! long as the request timeout, and when the target is interrupted.

use crate::driver::Mode;
use crate::failure::{Failure, Outcome};
use crate::secure::Secure;
use fsbench_target::ErrorKind;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, recv, sendmsg};
use std::io::{self, IoSlice};
use std::net::TcpStream;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::unix::{AsyncFd, AsyncFdReadyGuard};
use tokio::time::{Interval, MissedTickBehavior, interval};
use tokio_rustls::rustls::ClientConnection;

/// A request has timed out when nothing moved in this many ticks of its connection.
const TICKS: u32 = 8;
/// The longest sleep in a system call, and so about the longest time until the word to stop is heard.
const NAP_MAX: Duration = Duration::from_millis(50);

/// What [`Wire::poll_send`] did.
pub(crate) enum Moved {
    /// So many bytes were accepted.
    Sent(usize),
    /// So many bytes came, before all was sent; none when the server closed the connection.
    Came(usize),
    /// The connection takes no more; an answer may have come before.
    Broken(Failure),
}

/// The socket of a connection.
pub(crate) struct Wire {
    socket: Rc<TcpStream>,
    secure: Option<Box<Secure>>,
    mode: Rc<Mode>,
    timeout: Duration,
    nap: Duration,
    /// Slept in system calls since something moved.
    slept: Duration,
    /// The socket in the session's runtime, from when it first waits there.
    registered: Option<Registered>,
}

struct Registered {
    socket: AsyncFd<Rc<TcpStream>>,
    tick: Interval,
    /// Ticks since something moved.
    still: u32,
    moved: bool,
}

/// A system call on the socket that waits only if `wait` says so.
#[derive(Clone, Copy)]
pub(crate) struct Pipe<'a> {
    pub(crate) socket: &'a TcpStream,
    pub(crate) wait: bool,
}

impl io::Read for Pipe<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let flags = if self.wait { RecvFlags::empty() } else { RecvFlags::DONTWAIT };
        let (_, count) = recv(self.socket, buffer, flags)?;
        Ok(count)
    }
}

impl io::Write for Pipe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    /// Never waits: while a request is sent, the server may answer already.
    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        Ok(sendmsg(self.socket, pieces, &mut SendAncillaryBuffer::default(), flags)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether a call would have had to wait, or was disturbed by a signal while it did.
fn is_unready(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

impl Wire {
    /// `timeout` is how long a request may make no progress at all.
    pub(crate) fn new(
        socket: TcpStream,
        tls: Option<ClientConnection>,
        timeout: Duration,
        mode: Rc<Mode>,
    ) -> io::Result<Self> {
        let nap = (timeout / TICKS).clamp(Duration::from_millis(1), NAP_MAX);
        socket.set_nonblocking(false)?;
        set_socket_timeout(&socket, Timeout::Recv, Some(nap))?;
        let secure = tls.map(|tls| Box::new(Secure::new(tls)));
        Ok(Self { socket: Rc::new(socket), secure, mode, timeout, nap, slept: Duration::ZERO, registered: None })
    }

    /// A request begins: its time without progress is counted from here.
    pub(crate) fn begin(&mut self) {
        self.moved();
    }

    fn moved(&mut self) {
        self.slept = Duration::ZERO;
        if let Some(registered) = &mut self.registered {
            registered.moved = true;
        }
    }

    /// Whether nothing came, and the server has not closed the connection, as it is with one that rests.
    pub(crate) fn is_quiet(&mut self) -> bool {
        self.receive(&mut [0], false).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    fn receive(&mut self, into: &mut [u8], wait: bool) -> io::Result<usize> {
        let mut pipe = Pipe { socket: &self.socket, wait };
        match &mut self.secure {
            None => io::Read::read(&mut pipe, into),
            Some(secure) => secure.receive(into, &mut pipe),
        }
    }

    fn send(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut pipe = Pipe { socket: &self.socket, wait: false };
        match &mut self.secure {
            None => io::Write::write_vectored(&mut pipe, pieces),
            Some(secure) => secure.send(pieces, &mut pipe),
        }
    }

    /// Receives some bytes; none when the server closed the connection.
    pub(crate) fn poll_recv(&mut self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<Outcome<usize>> {
        loop {
            let alone = self.mode.is_alone();
            match self.receive(into, alone) {
                Err(error) if is_unready(&error) => {
                    ready!(if alone { self.has_slept(&error) } else { self.sleep_async(cx, false) })?;
                }
                received => {
                    self.moved();
                    return Poll::Ready(received.map_err(|error| Failure::of_io(&error)));
                }
            }
        }
    }

    /// Sends some bytes of `pieces`, or receives some `into` that came while there was no room for more.
    /// With no pieces: what TLS still holds.
    pub(crate) fn poll_send(
        &mut self,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
        into: &mut [u8],
    ) -> Poll<Outcome<Moved>> {
        loop {
            let moved = match self.send(pieces) {
                Ok(count) => Ok(Moved::Sent(count)),
                Err(error) if !is_unready(&error) => Ok(Moved::Broken(Failure::of_io(&error))),
                Err(_) => match self.receive(into, false) {
                    Err(error) if is_unready(&error) => {
                        let alone = self.mode.is_alone();
                        ready!(if alone { self.sleep_here() } else { self.sleep_async(cx, true) })?;
                        continue;
                    }
                    received => received.map(Moved::Came).map_err(|error| Failure::of_io(&error)),
                },
            };
            self.moved();
            return Poll::Ready(moved);
        }
    }

    /// Whether bytes are still to be sent that were accepted.
    pub(crate) fn owes(&self) -> bool {
        self.secure.as_ref().is_some_and(|secure| secure.owes())
    }

    /// Counts a sleep that was cut short by `error`. Pending: the target was interrupted, and the driver will see it.
    fn has_slept(&mut self, error: &io::Error) -> Poll<Outcome<()>> {
        if self.mode.is_stopped() {
            return Poll::Pending;
        }
        if error.kind() == io::ErrorKind::WouldBlock {
            self.slept += self.nap;
        }
        Poll::Ready(if self.slept < self.timeout { Ok(()) } else { Err(self.timed_out()) })
    }

    /// Sleeps until the socket can take or give something.
    fn sleep_here(&mut self) -> Poll<Outcome<()>> {
        let nap = Timespec { tv_sec: 0, tv_nsec: i64::from(self.nap.subsec_nanos()) };
        let mut sockets = [PollFd::new(&*self.socket, PollFlags::IN | PollFlags::OUT)];
        match poll(&mut sockets, Some(&nap)) {
            Ok(0) => self.has_slept(&Errno::AGAIN.into()),
            Ok(_) => Poll::Ready(Ok(())),
            Err(error) => self.has_slept(&error.into()),
        }
    }

    /// Sleeps in the session's runtime, until the socket can give something, or take it when `sending`.
    fn sleep_async(&mut self, cx: &mut Context<'_>, sending: bool) -> Poll<Outcome<()>> {
        let registered = match &mut self.registered {
            Some(registered) => registered,
            none => none.insert(Registered::new(&self.socket, self.timeout).map_err(|error| Failure::of_io(&error))?),
        };
        let asleep = registered.register(cx, AsyncFd::poll_read_ready)
            && (!sending || registered.register(cx, AsyncFd::poll_write_ready));
        if !asleep {
            cx.waker().wake_by_ref();
        }
        match registered.poll_stalled(cx) {
            Poll::Ready(()) => Poll::Ready(Err(self.timed_out())),
            Poll::Pending => Poll::Pending,
        }
    }

    fn timed_out(&self) -> Failure {
        Failure::new(ErrorKind::Timeout, format!("nothing came or went for {} ms", self.timeout.as_millis()))
            .with_hint("AWS_REQUEST_TIMEOUT_MS sets how long to wait")
    }
}

type PollReady =
    for<'a> fn(&'a AsyncFd<Rc<TcpStream>>, &mut Context<'_>) -> Poll<io::Result<AsyncFdReadyGuard<'a, Rc<TcpStream>>>>;

impl Registered {
    #[expect(deprecated, reason = "its successor is unsafe because the descriptor could change: a TcpStream's cannot")]
    fn new(socket: &Rc<TcpStream>, timeout: Duration) -> io::Result<Self> {
        let mut tick = interval((timeout / TICKS).max(Duration::from_millis(1)));
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Self { socket: AsyncFd::new(socket.clone())?, tick, still: 0, moved: true })
    }

    /// Asks to be woken when the socket is ready *again*: it has just been found not to be. False: that cannot be.
    fn register(&self, cx: &mut Context<'_>, poll_ready: PollReady) -> bool {
        for _ in 0..2 {
            match poll_ready(&self.socket, cx) {
                Poll::Pending => return true,
                Poll::Ready(Ok(mut old)) => old.clear_ready(),
                Poll::Ready(Err(_)) => return false,
            }
        }
        false
    }

    /// Ready when nothing moved over all ticks of the timeout.
    fn poll_stalled(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while self.tick.poll_tick(cx).is_ready() {
            self.still = if std::mem::take(&mut self.moved) { 0 } else { self.still + 1 };
            if self.still >= TICKS {
                return Poll::Ready(());
            }
        }
        Poll::Pending
    }
}
