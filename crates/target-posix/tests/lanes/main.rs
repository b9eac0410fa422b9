//! Lanes: one test body for every engine, on a disk, and on tmpfs.

mod bodies;
mod kit;
mod special;
