//! `fsbench smallfiles`: GitLab's check of a file system that needs no fio, on local files, HDFS, S3, `null:` and `mem:`.
//!
//! The way of one call: [`parse`] reads arguments into a [`Typed`]; unless it [`Typed::asks`] for help, the caller reads
//! the file that [`Typed::conf_path`] names, and [`plan`] makes a [`Check`]: the plan and where its results go. Every
//! mistake is a [`crate::remote::UsageError`], found before anything is touched.
//!
//! Every option stands once, in the table behind [`options`]; help and `docs/compat/smallfiles-options.md` come from it.
//! How a place and the keys of its store are understood is `remote`'s business.

mod arguments;
mod help;
mod plan;
mod table;

pub use arguments::{Typed, parse};
pub use help::{help, markdown};
pub use plan::{Check, Format, plan};
pub use table::options;
