//! One HTTP/1.1 connection: requests sent, and their answers read to the end.
//!
//! Heads are written by hand and sent with the body from where it lies, in one call if it is small; bodies of answers go
//! from the socket into the caller's buffer. A server may answer before it has got all of the request: then the rest is
//! not sent, and the connection does not serve again.

use crate::answer::Channel;
use crate::failure::{Failure, Outcome};
use crate::head::{Body, Head, Headers, no_http};
use crate::limit::Place;
use crate::payload::{Payload, Unsent};
use crate::wire::{Moved, Wire};
use bytes::Bytes;
use fsbench_target::{ErrorKind, Probe, Stage};
use http::StatusCode;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

/// The longest answer that is kept whole: a full page of the longest keys has 1-6 MB.
const ANSWER_BYTES_MAX: usize = 32 << 20;
/// A kept answer grows by so many bytes at least.
const ANSWER_STEP: usize = 4 << 10;
/// After a rest longer than this, a connection is looked at before it is used: the server may have closed it.
const REST_NS_MAX: u64 = 1_000_000;

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: Headers,
    /// Empty when the body went into the caller's buffer.
    pub(crate) body: Bytes,
    /// Bytes in the caller's buffer.
    pub(crate) filled: usize,
}

/// What is asked, beside the head.
pub(crate) struct Question<'a> {
    pub(crate) payload: &'a Payload,
    /// Whether it is a HEAD, whose answer has no body whatever it says.
    pub(crate) head_only: bool,
    /// Where the body of a success goes, if not into [`Answer::body`].
    pub(crate) into: Option<&'a mut [u8]>,
}

/// A connection. Taken out of the pool for a request, and put back when the answer was read to its end.
pub(crate) struct Conn {
    channel: Channel,
    /// The head of the request to be sent.
    pub(crate) outbox: Vec<u8>,
    ended: bool,
    rested_ns: u64,
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
    pub(crate) fn new(wire: Wire, losses: Rc<Cell<u64>>) -> Self {
        let channel = Channel::new(wire);
        Self { channel, outbox: Vec::new(), ended: false, rested_ns: 0, place: None, losses }
    }

    /// Whether it can serve again, after a request that ended at `now`.
    pub(crate) fn rests(&mut self, now: u64) -> bool {
        self.rested_ns = now;
        !self.ended
    }

    /// Whether it still lives. Looked at after a rest; `now` 0: nobody knows how long it was.
    pub(crate) fn lives(&mut self, now: u64) -> bool {
        let rested = now == 0 || now.saturating_sub(self.rested_ns) > REST_NS_MAX;
        !rested || self.channel.is_quiet()
    }

    /// Sends the request whose head is in the outbox, and reads the whole answer.
    pub(crate) async fn exchange(&mut self, question: Question<'_>, probe: &dyn Probe) -> Outcome<Answer> {
        let Question { payload, head_only, into } = question;
        let start = if into.is_some() { probe.now() } else { 0 };
        self.channel.wire.begin();
        // Until the answer is read, nobody else can use it.
        self.ended = true;
        let outbox = std::mem::take(&mut self.outbox);
        let early = self.send(Unsent::new(&outbox, payload)).await;
        self.outbox = outbox;
        let early = early?;
        let whole = early.is_none();
        let head = match early {
            Some(head) => head,
            None => self.final_head().await?,
        };
        if into.is_some() && head.status.is_success() {
            probe.stage(Stage::FirstByte, start, 0);
        }
        let mut body = if head_only { Body::Ended } else { head.body };
        let mut answer = Answer { status: head.status, headers: head.headers, body: Bytes::new(), filled: 0 };
        match into {
            Some(buffer) if answer.status.is_success() => answer.filled = self.fill(&mut body, buffer).await?,
            _ => answer.body = self.collect(&mut body).await?,
        }
        self.ended = !(whole && head.persists && body == Body::Ended) || self.channel.has_more();
        Ok(answer)
    }

    /// Sends all of a request. `Some`: the server answered before.
    async fn send(&mut self, mut unsent: Unsent<'_>) -> Outcome<Option<Head>> {
        while !unsent.is_empty() || self.channel.wire.owes() {
            let (pieces, count) = unsent.next();
            match self.channel.send(&pieces[..count]).await? {
                Moved::Sent(count) => unsent.advance(count),
                // Several heads may have come at once; a body that is still wanted is not kept waiting for others.
                Moved::Came(_) => {
                    while self.channel.has_more() {
                        let head = self.channel.next_head().await?;
                        if !head.status.is_informational() {
                            return Ok(Some(head));
                        }
                    }
                }
                // Who refuses a body may say why, and close.
                Moved::Broken(failure) => return self.final_head().await.map(Some).map_err(|_| failure),
            }
        }
        Ok(None)
    }

    async fn final_head(&mut self) -> Outcome<Head> {
        loop {
            let head = self.channel.next_head().await?;
            if head.status == StatusCode::SWITCHING_PROTOCOLS {
                return Err(no_http("the server switched to another protocol"));
            }
            if !head.status.is_informational() {
                return Ok(head);
            }
        }
    }

    async fn fill(&mut self, body: &mut Body, buffer: &mut [u8]) -> Outcome<usize> {
        let mut filled = 0;
        let fits = !matches!(body, Body::Length(length) if *length > buffer.len() as u64);
        while fits && filled < buffer.len() {
            match self.channel.read(body, &mut buffer[filled..]).await? {
                0 => return Ok(filled),
                count => filled += count,
            }
        }
        match fits && self.channel.read(body, &mut [0]).await? == 0 {
            true => Ok(filled),
            false => Err(Failure::new(ErrorKind::Corrupt, "the server sent more bytes than were asked for")),
        }
    }

    async fn collect(&mut self, body: &mut Body) -> Outcome<Bytes> {
        let mut whole = Vec::new();
        while *body != Body::Ended {
            let step = match body {
                Body::Length(left) => usize::try_from(*left).unwrap_or(usize::MAX),
                _ => whole.len().max(ANSWER_STEP),
            };
            if whole.len().saturating_add(step) > ANSWER_BYTES_MAX {
                return Err(Failure::new(ErrorKind::Corrupt, "the answer is longer than any answer of S3"));
            }
            let end = whole.len();
            whole.resize(end + step, 0);
            let count = self.channel.read(body, &mut whole[end..]).await?;
            whole.truncate(end + count);
            if count == 0 {
                break;
            }
        }
        Ok(whole.into())
    }
}
