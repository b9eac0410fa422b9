//! The body of a request: bytes that are sent from where they lie, and that can be sent again.

use crate::sign::{EMPTY_SHA256, hex};
use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::io::IoSlice;
use std::rc::Rc;

/// As many pieces as are sent with one call.
const PIECES: usize = 64;

/// A body. A clone is the same bytes, not a copy of them.
#[derive(Clone, Debug, Default)]
pub(crate) enum Payload {
    /// No body.
    #[default]
    Empty,
    /// One piece; what small files are.
    One(Bytes),
    /// Pieces in order, none of them empty, and the bytes of all.
    Many(Rc<[Bytes]>, u64),
}

impl Payload {
    pub(crate) fn of(mut chunks: Vec<Bytes>) -> Self {
        chunks.retain(|chunk| !chunk.is_empty());
        match chunks.len() {
            0 => Payload::Empty,
            1 => Payload::One(chunks.swap_remove(0)),
            _ => {
                let len = chunks.iter().map(|chunk| chunk.len() as u64).sum();
                Payload::Many(chunks.into(), len)
            }
        }
    }

    pub(crate) fn len(&self) -> u64 {
        match self {
            Payload::Empty => 0,
            Payload::One(chunk) => chunk.len() as u64,
            Payload::Many(_, len) => *len,
        }
    }

    fn pieces(&self) -> &[Bytes] {
        match self {
            Payload::Empty => &[],
            Payload::One(chunk) => std::slice::from_ref(chunk),
            Payload::Many(chunks, _) => chunks,
        }
    }

    /// The SHA-256 of it, in hexadecimal.
    pub(crate) fn sha256(&self) -> String {
        if self.len() == 0 {
            return EMPTY_SHA256.into();
        }
        let mut hash = Sha256::new();
        self.pieces().iter().for_each(|chunk| hash.update(chunk));
        String::from_utf8_lossy(&hex(&hash.finalize().into())).into_owned()
    }
}

impl From<String> for Payload {
    fn from(text: String) -> Self {
        Payload::of(vec![text.into()])
    }
}

/// What of a request is still to be sent.
pub(crate) struct Unsent<'a> {
    head: &'a [u8],
    /// The rest of the piece that was begun.
    begun: &'a [u8],
    pieces: &'a [Bytes],
}

impl<'a> Unsent<'a> {
    pub(crate) fn new(head: &'a [u8], payload: &'a Payload) -> Self {
        Self { head, begun: &[], pieces: payload.pieces() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_empty() && self.begun.is_empty() && self.pieces.is_empty()
    }

    /// The next pieces, as many as one call sends, and how many these are.
    pub(crate) fn next(&self) -> ([IoSlice<'a>; PIECES], usize) {
        let mut slices = [IoSlice::new(&[]); PIECES];
        let begun = [self.head, self.begun].into_iter().filter(|bytes| !bytes.is_empty());
        let mut count = 0;
        for (place, bytes) in slices.iter_mut().zip(begun.chain(self.pieces.iter().map(|piece| &piece[..]))) {
            *place = IoSlice::new(bytes);
            count += 1;
        }
        (slices, count)
    }

    /// So many bytes were sent.
    pub(crate) fn advance(&mut self, mut count: usize) {
        for bytes in [&mut self.head, &mut self.begun] {
            let part = count.min(bytes.len());
            *bytes = &bytes[part..];
            count -= part;
        }
        while count > 0
            && let Some((piece, rest)) = self.pieces.split_first()
        {
            let part = count.min(piece.len());
            self.begun = &piece[part..];
            self.pieces = rest;
            count -= part;
        }
        debug_assert_eq!(count, 0, "no more is sent than there is");
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

    fn sent(unsent: &Unsent<'_>) -> Vec<u8> {
        let (slices, count) = unsent.next();
        slices[..count].iter().flat_map(|slice| slice.to_vec()).collect()
    }

    #[test]
    fn what_was_sent_is_not_sent_again() {
        let body = Payload::of(vec!["ab".into(), "c".into(), "def".into()]);
        for first in 0..=10 {
            for second in 0..=10 - first {
                let mut unsent = Unsent::new(b"head", &body);
                unsent.advance(first);
                unsent.advance(second);
                assert_eq!(sent(&unsent), b"headabcdef"[first + second..], "{first} and {second}");
                assert_eq!(unsent.is_empty(), first + second == 10);
            }
        }
    }

    #[test]
    fn many_pieces_go_in_several_calls() {
        let body = Payload::of((0..200u8).map(|byte| Bytes::from(vec![byte])).collect());
        let mut unsent = Unsent::new(b"h", &body);
        let mut all = Vec::new();
        while !unsent.is_empty() {
            let next = sent(&unsent);
            unsent.advance(next.len());
            all.extend(next);
        }
        assert_eq!((all.len(), all[200]), (201, 199));
    }
}
