//! What to do: plans, phases, worker programs and units.
//!
//! Pure data. A [`Plan`] is made by a suite, executed by the runner and stored in the Record; it can be printed and
//! compared. Nothing here reads a clock, a file or a network.

mod content;
pub mod job;
mod phase;
mod plan;
mod settings;
mod small;
mod units;

pub use content::{Content, ContentKind};
pub use phase::{
    DeleteFile, ExistsFile, FileNames, ListFiles, Phase, Prefetch, Program, ReadFile, RenameFile, Stop, WriteFile,
};
pub use plan::{Plan, TargetSpec};
pub use settings::{MASK, Setting, Settings};
pub use small::{SMALL_LINE, SmallFiles, SmallStep};
pub use units::{Bytes, Span, UnitError, parse_bytes, parse_count};
