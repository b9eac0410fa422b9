//! `fsbench remote` on local files: the whole binary, as a user calls it.

mod support;

#[path = "local/calls.rs"]
mod calls;
#[path = "local/input.rs"]
mod input;
#[path = "local/limits.rs"]
mod limits;
#[path = "local/operations.rs"]
mod operations;
#[path = "local/output.rs"]
mod output;
#[path = "local/safety.rs"]
mod safety;
#[path = "local/signals.rs"]
mod signals;
