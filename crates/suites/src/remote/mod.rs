//! `fsbench remote`: the benchmarks of Doris' `fs_benchmark_tool`, on HDFS, S3, local files, `null:` and `mem:`.
//!
//! The way of one call: [`parse`] reads gflags into a [`Typed`]; when it [`Typed::asks`] for help or the version, that
//! is all. Else the caller reads the file named by [`Typed::conf_path`], [`Conf::parse`]s it, and [`plan`] makes a
//! [`Remote`]: the plan and where its results go. Every mistake is a [`UsageError`], found before anything is touched.
//!
//! Every option stands once, in the table behind [`options`]; help, man page and `docs/compat/doris-options.md` come
//! from it. Left to others: opening targets (which resolve their own keys, HDFS and S3 alike), running, reporting.
//! Rejected by name: Azure, role ARNs, and the flags of Google Benchmark that cannot mean anything here.

mod conf;
mod error;
mod flags;
mod google;
mod help;
mod location;
mod notes;
mod operation;
mod options;
mod outputs;
mod place;
mod plan;
mod store_keys;
mod table;
mod typed;
mod values;

pub use conf::Conf;
pub use error::UsageError;
pub use flags::{Sources, parse};
pub use help::{help, markdown};
pub use operation::{FsType, Operation};
pub use options::{Kind, Opt, Origin, Status, options};
pub use outputs::{Color, Format, Outputs};
pub use plan::{Remote, plan, row_name};
pub use typed::{Ask, Typed};

// Other suites have options of the same kinds, and reach the same stores.
pub(crate) use help::{flag_help, row};
pub(crate) use options::nearest;
pub(crate) use place::place;
pub(crate) use values::{Value, value};
