//! The kinds of operations that are recorded, each with a histogram, counters and slots of its own.

/// What was measured. `Operation` is the whole of what a phase's row reports; the others are parts of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// One operation of the phase, as its documentation defines it.
    Operation,
    /// Opening a file for reading.
    Open,
    /// Creating a file.
    Create,
    /// One read call.
    Read,
    /// Waiting for the next buffer of a prefetch window.
    Wait,
    /// One write call.
    Write,
    /// One sync call.
    Sync,
    /// Closing a file that was written, or a small one that was read.
    Close,
    /// One existence check.
    Exists,
    /// One page of a listing.
    Page,
    /// One rename.
    Rename,
    /// One deletion.
    Delete,
    /// Connecting to the store.
    Connect,
    /// A TLS handshake.
    Tls,
    /// From a read request to the first byte of its answer.
    FirstByte,
    /// One request to the store.
    Request,
    /// One part of a multipart upload or copy.
    Part,
    /// Making a written file visible: multipart completion, the NameNode's `complete`.
    Complete,
}

impl Kind {
    /// All kinds in report order.
    pub const ALL: [Kind; 18] = [
        Kind::Operation,
        Kind::Open,
        Kind::Create,
        Kind::FirstByte,
        Kind::Read,
        Kind::Wait,
        Kind::Write,
        Kind::Sync,
        Kind::Close,
        Kind::Exists,
        Kind::Page,
        Kind::Rename,
        Kind::Delete,
        Kind::Connect,
        Kind::Tls,
        Kind::Request,
        Kind::Part,
        Kind::Complete,
    ];

    /// The name in Records and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Operation => "operation",
            Kind::Open => "open",
            Kind::Create => "create",
            Kind::Read => "read",
            Kind::Wait => "wait",
            Kind::Write => "write",
            Kind::Sync => "sync",
            Kind::Close => "close",
            Kind::Exists => "exists",
            Kind::Page => "page",
            Kind::Rename => "rename",
            Kind::Delete => "delete",
            Kind::Connect => "connect",
            Kind::Tls => "tls",
            Kind::FirstByte => "first_byte",
            Kind::Request => "request",
            Kind::Part => "part",
            Kind::Complete => "complete",
        }
    }
}
