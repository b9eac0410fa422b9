//! What people already have — a command line, a job file, a conf — turned into a [`fsbench_model::Plan`].
//!
//! One folder for each benchmark family, each with its own option table. No suite does I/O: the binary reads files and
//! the environment and hands text in, so that a plan is a function of text and can be tested as one.

pub mod fio;
pub mod remote;
pub mod smallfiles;
