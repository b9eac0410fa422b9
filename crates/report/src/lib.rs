//! Reports: Records in, text out.
//!
//! A report is a pure function of a Record: no clock, no environment, no files. It can be made again, later and
//! elsewhere, from a saved Record. [`gbench`] is Google Benchmark's console, JSON and CSV, column for column; [`fio`]
//! is fio's normal, JSON and terse output, line by line; [`smallfiles`] is GitLab's check with its verdict;
//! [`summary()`] is what those formats cannot say, for the person who reads the table.

pub mod fio;
pub mod gbench;
pub mod smallfiles;
mod summary;

#[cfg(test)]
mod testing;

pub use summary::summary;
