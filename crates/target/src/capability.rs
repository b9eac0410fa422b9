//! What a target can do. Planning refuses by name what it cannot.

/// Abilities of a target. All are about semantics, none about speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Files can be written at any offset; otherwise only from start to end in order.
    pub random_write: bool,
    /// Existing files can be opened for append.
    pub append: bool,
    /// Files can be cut to a size.
    pub truncate: bool,
    /// A sync makes what was written durable while the file stays open.
    pub sync: bool,
    /// Rename is one step: nobody sees both names or none.
    pub atomic_rename: bool,
    /// Rename onto an existing name is refused (otherwise it replaces).
    pub rename_refuses_existing: bool,
    /// Directories exist by themselves; otherwise names just contain slashes.
    pub directories: bool,
    /// Data read may come from this machine's page cache.
    pub page_cache: bool,
    /// Reads of one session can be in flight at the same time.
    pub parallel_reads: bool,
    /// Bytes of a file being written that a session may hold until the store has taken them.
    pub upload_bytes_max: u64,
}
