//! What is written: content that is a function of seed, file and offset, so that any read can verify it.

use serde::{Deserialize, Serialize};

/// The kind of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentKind {
    /// Seeded, different for each file and each 4 KiB block: neither compressible nor deduplicable.
    #[default]
    Random,
    /// Zero bytes, as Doris' tool writes them. Compressing and deduplicating stores look better than they are.
    Zero,
    /// The eight bytes of the seed over and over.
    Pattern,
}

/// Content of the files of one phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// What kind of bytes.
    pub kind: ContentKind,
    /// The seed. The same seed makes the same bytes on every machine.
    pub seed: u64,
}
