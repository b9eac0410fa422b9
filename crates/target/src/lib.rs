//! How storage looks from the engine: one trait for every store, error kinds, test targets, and the suite that proves them.
//!
//! A [`Target`] is a directory or prefix somewhere. A worker opens a [`Session`] on it, in its own thread, and works
//! with two faces: the name space (stat, list, rename, …) and I/O on open files ([`Session::submit`] and
//! [`Session::reap`], one shape for depth 1 and depth 1,024). A session reports what happened inside it (a connect, a
//! first byte, a part) to the [`Probe`] that it was given; it never reads a clock itself.
//!
//! Targets know nothing of workloads, and never retry unless they were told to.

mod buffer;
mod capability;
pub mod conformance;
mod decorate;
mod error;
mod lane;
mod mem;
mod null;
mod path;
mod probe;
mod session;

pub use buffer::Buffer;
pub use capability::Capabilities;
pub use decorate::{Decorated, Faults, Limit};
pub use error::{Error, ErrorKind, Result};
pub use lane::{
    Allocate, Lane, LaneAccess, LaneDone, LaneEngine, LaneKind, LaneOptions, LaneRequest, LaneResult, Started,
};
pub use mem::MemTarget;
pub use null::{NullLane, NullTarget};
pub use path::relative;
pub use probe::{Event, NoProbe, Probe, Stage};
pub use session::{
    Cached, Completion, Cursor, Entry, FileId, Io, IoKind, OpenMode, OpenOptions, Page, Session, Stat, Target,
};
