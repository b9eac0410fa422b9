//! A file that is being written: one PUT if it is small, a multipart upload with several parts in flight if it is not.
//!
//! Buffers are kept as they were handed over until there are enough for a part, and sent from where they lie. Nothing of
//! this is asynchronous by itself: parts move when the session drives them.

use crate::client::Client;
use crate::config::{PART_BYTES_MAX, PARTS_MAX};
use crate::failure::{Failure, Outcome};
use crate::object::Object;
use crate::ops::Part;
use crate::parts::Splitter;
use crate::payload::Payload;
use bytes::Bytes;
use fsbench_target::{ErrorKind, Event};
use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;
use std::collections::VecDeque;
use std::rc::Rc;
use std::task::{Context, Poll};

/// What came of a request in flight.
enum Step {
    Created(Outcome<String>),
    Sent(Outcome<Part>),
}

/// The multipart upload's id, as far as there is one.
enum Id {
    None,
    Asked,
    Known(Rc<str>),
}

/// A file that is being written.
pub(crate) struct Upload {
    client: Rc<Client>,
    object: Rc<Object>,
    exclusive: bool,
    size_hint: Option<u64>,
    part_size: u64,
    written: u64,
    held: Splitter,
    id: Id,
    /// Parts cut and not yet sent.
    cut: VecDeque<Payload>,
    parts_cut: u32,
    /// Made with the first part: most files have none.
    in_flight: Option<FuturesUnordered<LocalBoxFuture<'static, Step>>>,
    sent: Vec<Part>,
    failed: Option<Failure>,
    /// A request that makes the file visible was sent, and its answer is not known.
    unclear: bool,
}

/// The part size for a file: the configured one, or larger when the file would have more parts than S3 takes.
fn part_size_for(configured: u64, size_hint: Option<u64>) -> u64 {
    const STEP: u64 = 1 << 20;
    let least = size_hint.unwrap_or(0).div_ceil(PARTS_MAX);
    if least <= configured { configured } else { least.next_multiple_of(STEP).min(PART_BYTES_MAX) }
}

impl Upload {
    pub(crate) fn new(client: Rc<Client>, object: Rc<Object>, exclusive: bool, size_hint: Option<u64>) -> Self {
        let part_size = part_size_for(client.shared.config.part_size, size_hint);
        Self {
            client,
            object,
            exclusive,
            size_hint,
            part_size,
            written: 0,
            held: Splitter::default(),
            id: Id::None,
            cut: VecDeque::new(),
            parts_cut: 0,
            in_flight: None,
            sent: Vec::new(),
            failed: None,
            unclear: false,
        }
    }

    /// Bytes accepted so far: where the next write must begin.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// Whether the next write can be accepted at once.
    pub(crate) fn has_room(&self) -> bool {
        self.cut.is_empty() || self.failed.is_some()
    }

    /// Whether requests are in flight that want to be driven.
    pub(crate) fn is_busy(&self) -> bool {
        self.in_flight.as_ref().is_some_and(|in_flight| !in_flight.is_empty())
    }

    /// Whether [`Upload::finish`] will make just one request.
    pub(crate) fn is_one_put(&self) -> bool {
        self.parts_cut == 0
    }

    /// Accepts a write.
    ///
    /// # Errors
    /// What an earlier part met, or that the file has become too large.
    pub(crate) fn accept(&mut self, bytes: Bytes) -> Outcome<()> {
        if let Some(failure) = &self.failed {
            return Err(failure.clone());
        }
        self.written += bytes.len() as u64;
        self.held.push(bytes);
        while self.held.bytes() > self.part_size || (self.held.bytes() == self.part_size && self.more_is_coming()) {
            let part = self.held.part(self.part_size);
            self.cut_part(part)?;
        }
        self.start_parts();
        Ok(())
    }

    fn more_is_coming(&self) -> bool {
        self.parts_cut > 0 || self.size_hint.is_some_and(|size| size > self.written)
    }

    fn cut_part(&mut self, part: Vec<Bytes>) -> Outcome<()> {
        if u64::from(self.parts_cut) == PARTS_MAX {
            let detail = format!("the file needs more than {PARTS_MAX} parts of {} bytes", self.part_size);
            let failure = Failure::new(ErrorKind::Invalid, detail).with_hint("set part_size higher");
            self.failed = Some(failure.clone());
            return Err(failure);
        }
        self.parts_cut += 1;
        self.cut.push_back(Payload::of(part));
        Ok(())
    }

    /// Starts what may be in flight: the creation of the upload first, then parts.
    fn start_parts(&mut self) {
        if self.cut.is_empty() || self.failed.is_some() {
            return;
        }
        let (client, object) = (self.client.clone(), self.object.clone());
        match &self.id {
            Id::Asked => {}
            Id::None => {
                self.id = Id::Asked;
                let created = async move { Step::Created(client.create_upload(&object).await) };
                self.in_flight.get_or_insert_default().push(Box::pin(created));
            }
            Id::Known(id) => {
                let id = id.clone();
                self.start_known(&id);
            }
        }
    }

    fn start_known(&mut self, id: &Rc<str>) {
        let config = &self.client.shared.config;
        let most = config.upload_concurrency.min(config.max_connections.unwrap_or(usize::MAX));
        let in_flight = self.in_flight.get_or_insert_default();
        while in_flight.len() < most
            && let Some(payload) = self.cut.pop_front()
        {
            let number = self.parts_cut - u32::try_from(self.cut.len()).unwrap_or(u32::MAX);
            let (client, object, id) = (self.client.clone(), self.object.clone(), id.clone());
            in_flight
                .push(Box::pin(async move { Step::Sent(client.upload_part(&object, &id, number, payload).await) }));
        }
    }

    /// Drives what is in flight. Ready when something of it has ended, and when there is nothing.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(in_flight) = &mut self.in_flight else {
            return Poll::Ready(());
        };
        match in_flight.poll_next_unpin(cx) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(None) => return Poll::Ready(()),
            Poll::Ready(Some(Step::Created(Ok(id)))) => self.id = Id::Known(id.into()),
            Poll::Ready(Some(Step::Created(Err(failure)))) => {
                self.id = Id::None;
                self.failed.get_or_insert(failure);
            }
            Poll::Ready(Some(Step::Sent(Ok(part)))) => self.sent.push(part),
            Poll::Ready(Some(Step::Sent(Err(failure)))) => {
                self.failed.get_or_insert(failure);
            }
        }
        self.start_parts();
        Poll::Ready(())
    }

    async fn drive(&mut self) {
        std::future::poll_fn(|cx| self.poll(cx)).await;
    }

    /// Makes the file visible, whole.
    ///
    /// # Errors
    /// The first failure of any part, or of this. Nothing is visible then, unless the answer was lost.
    pub(crate) async fn finish(&mut self) -> Outcome<()> {
        if let Some(failure) = &self.failed {
            return Err(failure.clone());
        }
        if self.is_one_put() {
            let payload = Payload::of(self.held.rest());
            self.unclear = true;
            let put = self.client.put(&self.object, payload, self.exclusive).await;
            return self.settled(put);
        }
        if self.held.bytes() > 0 {
            let last = self.held.rest();
            self.cut_part(last)?;
            self.start_parts();
        }
        while self.is_busy() && self.failed.is_none() {
            self.drive().await;
        }
        if let Some(failure) = &self.failed {
            return Err(failure.clone());
        }
        self.complete().await
    }

    async fn complete(&mut self) -> Outcome<()> {
        let Id::Known(id) = &self.id else {
            return Err(Failure::new(ErrorKind::Other, "parts were sent without an upload"));
        };
        let id = id.clone();
        self.sent.sort_unstable_by_key(|(number, _)| *number);
        assert_eq!(self.sent.len(), self.parts_cut as usize, "every part that was cut was sent");
        self.unclear = true;
        let completed = self.client.complete_upload(&self.object, &id, &self.sent, self.exclusive).await;
        self.settled(completed)
    }

    fn settled(&mut self, result: Outcome<()>) -> Outcome<()> {
        self.unclear = result.as_ref().is_err_and(|failure| !failure.answered);
        result.inspect_err(|failure| self.failed = Some(failure.clone()))
    }

    /// Removes what there is of it on the server.
    ///
    /// # Errors
    /// What could not be removed.
    pub(crate) async fn abandon(mut self) -> Outcome<()> {
        self.failed.get_or_insert_with(|| Failure::new(ErrorKind::Interrupted, "the file was given up"));
        while matches!(self.id, Id::Asked) && self.is_busy() {
            // The id is needed to abort; it is on its way.
            self.drive().await;
        }
        let on_their_way = self.is_busy();
        self.in_flight = None;
        if let Id::Known(id) = &self.id {
            self.client.probe.event(Event::Abort);
            self.client.abort_upload(&self.object, id, on_their_way).await?;
        }
        if self.unclear && self.exclusive {
            // The name was free when it was opened: what is there now is what this made.
            self.client.probe.event(Event::Abort);
            self.client.delete(&self.object).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_grow_when_there_would_be_too_many() {
        const MIB: u64 = 1 << 20;
        assert_eq!(part_size_for(8 * MIB, None), 8 * MIB);
        assert_eq!(part_size_for(8 * MIB, Some(80_000 * MIB)), 8 * MIB);
        assert_eq!(part_size_for(8 * MIB, Some(80_000 * MIB + 1)), 9 * MIB);
        assert_eq!(part_size_for(8 * MIB, Some(1 << 50)), PART_BYTES_MAX);
    }
}
