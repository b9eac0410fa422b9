//! Lanes: one test body for every engine, on a disk, and on tmpfs.
// Helpers of tests, which clippy does not know as such.
#![allow(clippy::unwrap_used)]

mod bodies;
mod device;
mod kit;
mod special;
