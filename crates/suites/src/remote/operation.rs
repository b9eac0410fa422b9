//! The file systems and operations, and the names that Google Benchmark's rows give to their pairs.

use super::error::UsageError;
use super::options::nearest;

/// The kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FsType {
    /// HDFS, by its own protocol.
    Hdfs,
    /// An S3-compatible object store.
    S3,
    /// A directory of this machine.
    Local,
    /// Nothing at all: the tool's own cost.
    Null,
    /// Memory of this process: the tool's own cost with content.
    Mem,
}

impl FsType {
    /// From a word of `--fs_type` in any case, known to be in the table.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "hdfs" => FsType::Hdfs,
            "s3" => FsType::S3,
            "local" | "file" => FsType::Local,
            "null" => FsType::Null,
            "mem" => FsType::Mem,
            _ => return None,
        })
    }

    /// The word of `--fs_type`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            FsType::Hdfs => "hdfs",
            FsType::S3 => "s3",
            FsType::Local => "local",
            FsType::Null => "null",
            FsType::Mem => "mem",
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            FsType::Hdfs => "Hdfs",
            FsType::S3 => "S3",
            FsType::Local => "Local",
            FsType::Null => "Null",
            FsType::Mem => "Mem",
        }
    }
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Create a file, write it, close it.
    CreateWrite,
    /// Open a file of one's own and read it.
    OpenRead,
    /// Open the file that all share, and read it.
    SingleRead,
    /// The same with ranged reads in flight.
    PrefetchRead,
    /// Ask whether a file exists.
    Exists,
    /// Rename there and back.
    Rename,
    /// List everything below the base.
    List,
    /// Delete what fsbench made.
    Delete,
}

const OPERATIONS: [(&str, Operation); 8] = [
    ("create_write", Operation::CreateWrite),
    ("open_read", Operation::OpenRead),
    ("single_read", Operation::SingleRead),
    ("prefetch_read", Operation::PrefetchRead),
    ("exists", Operation::Exists),
    ("rename", Operation::Rename),
    ("list", Operation::List),
    ("delete", Operation::Delete),
];

/// What the original's stale help text offers, and what is meant by it.
const STALE: [(&str, &str); 4] = [
    ("read", "use open_read for the files test_<thread>, or single_read for one file"),
    ("open", "use open_read, which measures the open apart"),
    ("write", "use create_write"),
    ("create", "use create_write"),
];

impl Operation {
    /// Reads the word of `--operation`, in any case.
    pub(super) fn parse(word: &str, place: &str) -> Result<Self, UsageError> {
        let lower = word.trim().to_ascii_lowercase();
        if let Some((_, operation)) = OPERATIONS.iter().find(|(name, _)| *name == lower) {
            return Ok(*operation);
        }
        let what = format!("there is no operation '{word}'");
        if let Some((_, hint)) = STALE.iter().find(|(name, _)| *name == lower) {
            return Err(UsageError::new(place, what, *hint));
        }
        let names: Vec<_> = OPERATIONS.iter().map(|(name, _)| *name).collect();
        let all = names.join(", ");
        let remedy = match nearest(&lower, names.into_iter()) {
            Some(meant) => format!("did you mean {meant}? There are {all}"),
            None => format!("there are {all}"),
        };
        Err(UsageError::new(place, what, remedy))
    }

    /// The word of `--operation`.
    #[must_use]
    pub fn word(self) -> &'static str {
        OPERATIONS.iter().find(|(_, operation)| *operation == self).map_or("", |(name, _)| *name)
    }

    /// Whether it reads the one file of `file_path`, when that is given.
    pub(super) fn reads_one_file(self) -> bool {
        matches!(self, Operation::SingleRead | Operation::PrefetchRead)
    }

    /// Whether it reads content.
    pub(super) fn reads(self) -> bool {
        self.reads_one_file() || self == Operation::OpenRead
    }

    /// Repetitions when none are asked for, as in the original.
    pub(super) fn repetitions_default(self) -> u32 {
        if matches!(self, Operation::Rename | Operation::Delete) { 1 } else { 3 }
    }

    /// The name of its benchmark: `HdfsReadBenchmark` for both open_read and single_read, as in the original.
    #[must_use]
    pub fn benchmark(self, fs: FsType) -> String {
        let stem = match self {
            Operation::CreateWrite => "CreateWrite",
            Operation::OpenRead | Operation::SingleRead => "Read",
            Operation::PrefetchRead => "PrefetchRead",
            Operation::Exists => "Exists",
            Operation::Rename => "Rename",
            Operation::List => "List",
            Operation::Delete => "Delete",
        };
        format!("{}{stem}Benchmark", fs.prefix())
    }
}
