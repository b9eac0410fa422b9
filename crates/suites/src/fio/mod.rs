//! `fsbench fio`: fio's job files and command line, on local files and devices, HDFS and S3.
//!
//! The way of one call: [`command`] reads arguments (`arguments`) and job files (`ini`) into sections (`typed`),
//! understands each option as the table says (`options`, `value`, `values`), and makes one job for each clone (`plan`).
//! The result is a [`Run`], or a text to print. Every mistake is a [`FioError`] with its place, found before anything
//! is touched. Files and variables come from the caller's [`World`].
//!
//! What fio reads wrongly without a word (`bs=1.5k`, `bs=4*1024`, `bs = 4k`) is an error or read right; an option that
//! is not honoured is refused by name or noted, never silently accepted. Left to others: running, reporting.

mod arguments;
mod command;
mod error;
mod expand;
mod expression;
mod help;
mod ini;
mod lists;
mod markdown;
mod numbers;
mod options;
mod outputs;
mod plan;
mod ready;
mod showcmd;
mod table;
mod typed;
mod value;
mod values;
mod world;

#[cfg(test)]
mod tests;

pub use command::{Command, Run, command};
pub use error::{EXIT_BAD_INPUT, FioError, Place};
pub use help::{VERSION, cmdhelp, help, man};
pub use markdown::markdown;
pub use options::{Group, Kind, Opt, Status, groups, options, switches};
pub use outputs::{Eta, Format, Outputs};
pub use ready::{Ready, ready_jobs};
pub use world::{Found, Machine, World};
