//! What comes on a connection, in order: heads, and bodies by their framing (RFC 9112, sections 6 and 7).
//!
//! Only heads, chunk sizes and what came with them pass through the inbox. The rest of a body is received where the
//! caller wants to have it.

use crate::failure::{Failure, Outcome};
use crate::head::{Body, Head, no_http};
use crate::wire::{Moved, Wire};
use fsbench_target::ErrorKind;
use std::future::poll_fn;
use std::io::IoSlice;

/// What is received at once while a head is waited for: a small answer is there whole.
const INBOX_BYTES: usize = 16 << 10;
/// The longest head, or line of a chunked body.
const INBOX_BYTES_MAX: usize = 64 << 10;

/// Bytes that came and were not asked for yet.
pub(crate) struct Inbox {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Inbox {
    fn new() -> Self {
        Self { bytes: vec![0; INBOX_BYTES], start: 0, end: 0 }
    }

    fn held(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    fn consume(&mut self, count: usize) {
        self.start += count;
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// A place for more.
    ///
    /// # Errors
    /// When what is held is too long already.
    fn room(&mut self) -> Outcome<&mut [u8]> {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end == self.bytes.len() {
            if self.end >= INBOX_BYTES_MAX {
                return Err(no_http(&format!("a head or a line has more than {INBOX_BYTES_MAX} bytes")));
            }
            self.bytes.resize(2 * self.end, 0);
        }
        Ok(&mut self.bytes[self.end..])
    }
}

/// A wire, and what came on it.
pub(crate) struct Channel {
    pub(crate) wire: Wire,
    inbox: Inbox,
}

fn closed() -> Failure {
    Failure::new(ErrorKind::Connection, "the server closed the connection without an answer")
}

fn short() -> Failure {
    Failure::new(ErrorKind::ShortRead, "the server closed the connection in the middle of the body")
}

impl Channel {
    pub(crate) fn new(wire: Wire) -> Self {
        Self { wire, inbox: Inbox::new() }
    }

    /// Whether nothing is there that nobody asked for.
    pub(crate) fn is_quiet(&mut self) -> bool {
        self.inbox.held().is_empty() && self.wire.is_quiet()
    }

    /// Whether bytes came that nobody asked for.
    pub(crate) fn has_more(&self) -> bool {
        !self.inbox.held().is_empty()
    }

    /// Sends some bytes of `pieces`, or takes in what came before there was room for them.
    pub(crate) async fn send(&mut self, pieces: &[IoSlice<'_>]) -> Outcome<Moved> {
        let Self { wire, inbox } = self;
        let moved = poll_fn(|cx| wire.poll_send(cx, pieces, inbox.room()?)).await?;
        match moved {
            Moved::Came(0) => Err(closed()),
            Moved::Came(count) => {
                inbox.end += count;
                Ok(Moved::Came(count))
            }
            moved => Ok(moved),
        }
    }

    /// Takes in more. False: the server closed the connection.
    async fn more(&mut self) -> Outcome<bool> {
        let Self { wire, inbox } = self;
        let count = poll_fn(|cx| wire.poll_recv(cx, inbox.room()?)).await?;
        inbox.end += count;
        Ok(count > 0)
    }

    /// The next head, an informational one too.
    pub(crate) async fn next_head(&mut self) -> Outcome<Head> {
        loop {
            if let Some((head, len)) = Head::parse(self.inbox.held())? {
                self.inbox.consume(len);
                return Ok(head);
            }
            if !self.more().await? {
                return Err(closed());
            }
        }
    }

    /// Some bytes of the body; none at its end.
    pub(crate) async fn read(&mut self, body: &mut Body, into: &mut [u8]) -> Outcome<usize> {
        if let Body::Chunked { left, first } = body
            && *left == 0
        {
            *left = self.next_chunk(*first).await?;
            *first = false;
            if *left == 0 {
                *body = Body::Ended;
            }
        }
        match body {
            Body::Ended => Ok(0),
            Body::Chunked { left, .. } => self.counted(left, into).await,
            Body::Length(left) => {
                let count = self.counted(left, into).await?;
                if *left == 0 {
                    *body = Body::Ended;
                }
                Ok(count)
            }
            Body::UntilClosed => self.some(into).await,
        }
    }

    async fn counted(&mut self, left: &mut u64, into: &mut [u8]) -> Outcome<usize> {
        let most = usize::try_from(*left).unwrap_or(usize::MAX).min(into.len());
        let count = self.some(&mut into[..most]).await?;
        if count == 0 && most > 0 {
            return Err(short());
        }
        *left -= count as u64;
        Ok(count)
    }

    async fn some(&mut self, into: &mut [u8]) -> Outcome<usize> {
        let held = self.inbox.held();
        if held.is_empty() {
            return poll_fn(|cx| self.wire.poll_recv(cx, into)).await;
        }
        let count = held.len().min(into.len());
        into[..count].copy_from_slice(&held[..count]);
        self.inbox.consume(count);
        Ok(count)
    }

    /// The size of the next chunk; with 0, the body has ended and its trailers were skipped.
    async fn next_chunk(&mut self, first: bool) -> Outcome<u64> {
        if !first && self.line().await? != 2 {
            return Err(no_http("a chunk is longer than it said"));
        }
        let len = self.line().await?;
        let size = match httparse::parse_chunk_size(&self.inbox.bytes[self.inbox.start - len..self.inbox.start]) {
            Ok(httparse::Status::Complete((_, size))) => size,
            _ => return Err(no_http("a chunk has no size")),
        };
        while size == 0 && self.line().await? > 2 {}
        Ok(size)
    }

    /// Takes one line, and tells its length, its end included. It stands before the inbox's start then.
    async fn line(&mut self) -> Outcome<usize> {
        let len = loop {
            if let Some(at) = self.inbox.held().iter().position(|byte| *byte == b'\n') {
                break at + 1;
            }
            if !self.more().await? {
                return Err(short());
            }
        };
        // Not consume(): the caller looks at it.
        self.inbox.start += len;
        Ok(len)
    }
}
