//! How a target tells what happened inside it. The clock and the histograms behind it belong to the runner.

use crate::ErrorKind;

/// A part of an operation that only the target can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Name resolution and TCP connect of a new connection.
    Connect,
    /// The TLS handshake of a new connection.
    Tls,
    /// From sending a read request to the first byte of its answer.
    FirstByte,
    /// One whole request to the store, answer included.
    Request,
    /// One part of a multipart upload or copy.
    Part,
    /// What makes a written file visible: multipart completion, the NameNode's `complete`.
    Complete,
}

/// Something countable that is no operation of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// A request was sent again after an error of this kind.
    Retry(ErrorKind),
    /// A connection was opened to replace one that had ended.
    Reconnect,
    /// An upload was aborted, or a partial file removed.
    Abort,
}

/// Where a session reports to. One for each worker; never shared between threads.
pub trait Probe {
    /// Now, in nanoseconds of the runner's monotonic clock.
    fn now(&self) -> u64;

    /// A stage that began at `start` (from [`Probe::now`]), ends now, and moved `bytes`.
    fn stage(&self, stage: Stage, start: u64, bytes: u64);

    /// Something happened once.
    fn event(&self, event: Event);
}

/// Hears nothing. For callers that measure nothing: preparation, cleaning, tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProbe;

impl Probe for NoProbe {
    fn now(&self) -> u64 {
        0
    }

    fn stage(&self, _: Stage, _: u64, _: u64) {}

    fn event(&self, _: Event) {}
}
