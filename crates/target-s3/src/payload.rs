//! The body of a request: bytes that are sent from where they lie, and that can be sent again.

use crate::sign::{EMPTY_SHA256, hex};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use sha2::{Digest, Sha256};
use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

/// A body. A clone is the same bytes, not a copy of them.
#[derive(Clone, Debug, Default)]
pub(crate) enum Payload {
    /// No body.
    #[default]
    Empty,
    /// One piece; what small files are.
    One(Bytes),
    /// Pieces in order: which, the next to send, and the bytes left from there.
    Many(Rc<[Bytes]>, usize, u64),
}

impl Payload {
    pub(crate) fn of(mut chunks: Vec<Bytes>) -> Self {
        chunks.retain(|chunk| !chunk.is_empty());
        match chunks.len() {
            0 => Payload::Empty,
            1 => Payload::One(chunks.swap_remove(0)),
            _ => {
                let len = chunks.iter().map(|chunk| chunk.len() as u64).sum();
                Payload::Many(chunks.into(), 0, len)
            }
        }
    }

    pub(crate) fn len(&self) -> u64 {
        match self {
            Payload::Empty => 0,
            Payload::One(chunk) => chunk.len() as u64,
            Payload::Many(_, _, left) => *left,
        }
    }

    /// The SHA-256 of it, in hexadecimal.
    pub(crate) fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        match self {
            Payload::Empty => return EMPTY_SHA256.into(),
            Payload::One(chunk) => hash.update(chunk),
            Payload::Many(chunks, next, _) => chunks[*next..].iter().for_each(|chunk| hash.update(chunk)),
        }
        String::from_utf8_lossy(&hex(&hash.finalize().into())).into_owned()
    }
}

impl From<String> for Payload {
    fn from(text: String) -> Self {
        Payload::of(vec![text.into()])
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let body = self.get_mut();
        let chunk = match body {
            Payload::Empty => None,
            Payload::One(chunk) => Some(std::mem::take(chunk)),
            Payload::Many(chunks, next, left) => chunks.get(*next).cloned().inspect(|chunk| {
                *next += 1;
                *left -= chunk.len() as u64;
            }),
        };
        if body.len() == 0 {
            *body = Payload::Empty;
        }
        Poll::Ready(chunk.map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.len() == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_piece_or_many_are_the_same_body() {
        let whole = Payload::of(vec![Bytes::from_static(b"some bytes")]);
        let pieces = Payload::of(vec!["some".into(), Bytes::new(), " byt".into(), "es".into()]);
        assert_eq!((whole.len(), pieces.len()), (10, 10));
        assert_eq!(whole.sha256(), pieces.sha256());
        assert_eq!(Payload::of(vec![Bytes::new()]).sha256(), EMPTY_SHA256);
    }

    #[test]
    fn frames_come_in_order_and_end() {
        let mut body = Payload::of(vec!["ab".into(), "c".into()]);
        let again = body.clone();
        let mut cx = Context::from_waker(std::task::Waker::noop());
        let mut seen = Vec::new();
        while let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut body).poll_frame(&mut cx) {
            seen.extend(frame.into_data().expect("a data frame"));
        }
        assert_eq!((seen.as_slice(), body.is_end_stream(), again.len()), (b"abc".as_slice(), true, 3));
    }
}
