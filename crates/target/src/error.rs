//! Errors of a store: a kind to count, and a sentence to read.

use std::fmt;

/// Result of every call on a target.
pub type Result<T> = std::result::Result<T, Error>;

/// What kind of thing went wrong. Runners count by kind; callers branch on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorKind {
    /// The file, directory, bucket or nameservice is not there.
    NotFound,
    /// The name is taken.
    AlreadyExists,
    /// The user may not do this.
    Denied,
    /// The store does not know or does not believe the user.
    Unauthenticated,
    /// The store asks to slow down (429, 503 SlowDown, too many requests).
    Throttled,
    /// The store is there and cannot serve now (5xx, safe mode, standby).
    Unavailable,
    /// Nothing came in time.
    Timeout,
    /// The connection was refused, reset, or closed too early.
    Connection,
    /// The file system, device or quota is full.
    NoSpace,
    /// Fewer bytes came than the store had announced.
    ShortRead,
    /// The data, or an answer, is not what it must be.
    Corrupt,
    /// The name is a directory where a file is needed, or the other way round.
    WrongType,
    /// The request makes no sense to the store (a bad name, a bad parameter).
    Invalid,
    /// The target cannot do this at all.
    Unsupported,
    /// The run was told to stop while this was under way.
    Interrupted,
    /// Anything else.
    Other,
}

impl ErrorKind {
    /// The name in Records and reports, `not_found`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::NotFound => "not_found",
            ErrorKind::AlreadyExists => "already_exists",
            ErrorKind::Denied => "denied",
            ErrorKind::Unauthenticated => "unauthenticated",
            ErrorKind::Throttled => "throttled",
            ErrorKind::Unavailable => "unavailable",
            ErrorKind::Timeout => "timeout",
            ErrorKind::Connection => "connection",
            ErrorKind::NoSpace => "no_space",
            ErrorKind::ShortRead => "short_read",
            ErrorKind::Corrupt => "corrupt",
            ErrorKind::WrongType => "wrong_type",
            ErrorKind::Invalid => "invalid",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Interrupted => "interrupted",
            ErrorKind::Other => "other",
        }
    }

    /// Whether the same call will fail again until somebody changes something: the names, the rights, the request.
    #[must_use]
    pub fn is_lasting(self) -> bool {
        matches!(
            self,
            ErrorKind::NotFound
                | ErrorKind::AlreadyExists
                | ErrorKind::Denied
                | ErrorKind::Unauthenticated
                | ErrorKind::WrongType
                | ErrorKind::Invalid
                | ErrorKind::Unsupported
        )
    }

    /// The kind of an operating system's error.
    #[must_use]
    pub fn of_io(error: &std::io::Error) -> Self {
        use std::io::ErrorKind as Os;
        match error.kind() {
            Os::NotFound => ErrorKind::NotFound,
            Os::AlreadyExists => ErrorKind::AlreadyExists,
            Os::PermissionDenied | Os::ReadOnlyFilesystem => ErrorKind::Denied,
            Os::TimedOut | Os::WouldBlock => ErrorKind::Timeout,
            Os::StorageFull | Os::QuotaExceeded => ErrorKind::NoSpace,
            Os::IsADirectory | Os::NotADirectory => ErrorKind::WrongType,
            Os::InvalidInput | Os::InvalidFilename => ErrorKind::Invalid,
            Os::Unsupported => ErrorKind::Unsupported,
            Os::ConnectionRefused
            | Os::ConnectionReset
            | Os::ConnectionAborted
            | Os::NotConnected
            | Os::BrokenPipe
            | Os::HostUnreachable
            | Os::NetworkUnreachable
            | Os::UnexpectedEof => ErrorKind::Connection,
            _ => ErrorKind::Other,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One failed call: which store, doing what, on which name, and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What to count it as.
    pub kind: ErrorKind,
    /// The target's scheme, `s3`.
    pub target: &'static str,
    /// What was tried, as a verb: `open`, `read`, `complete upload of`.
    pub operation: &'static str,
    /// The whole name, with its store: `s3://bucket/prefix/test_0`. No secret is ever part of it.
    pub path: String,
    /// What went wrong, in the store's own words where it has some.
    pub detail: String,
    /// What the user can do, if that is known.
    pub hint: Option<String>,
    /// The operating system's error number, 0 where there is none.
    pub errno: i32,
}

impl Error {
    /// An error without a hint.
    pub fn new(
        kind: ErrorKind,
        target: &'static str,
        operation: &'static str,
        path: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self { kind, target, operation, path: path.into(), detail: detail.into(), hint: None, errno: 0 }
    }

    /// An operating system's error, with its kind.
    pub fn of_io(
        target: &'static str,
        operation: &'static str,
        path: impl Into<String>,
        source: &std::io::Error,
    ) -> Self {
        let errno = source.raw_os_error().unwrap_or(0);
        Self { errno, ..Self::new(ErrorKind::of_io(source), target, operation, path, source.to_string()) }
    }

    /// A call that this target cannot serve.
    pub fn unsupported(target: &'static str, operation: &'static str, path: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, target, operation, path, format!("{target} cannot do this"))
    }

    /// What a call returns after [`crate::Target::interrupt`].
    pub fn interrupted(target: &'static str, operation: &'static str, path: impl Into<String>) -> Self {
        Self::new(ErrorKind::Interrupted, target, operation, path, "the run was told to stop")
    }

    /// Adds what the user can do.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} {}: {}", self.operation, self.path, self.detail)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
