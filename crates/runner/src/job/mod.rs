//! Jobs: block I/O as fio describes it, each job a thread with a lane, a pattern and a tally of its own.
//!
//! [`phase`] lays the files out, lets all jobs in at once, waits for them and makes the records. What a job does is in
//! [`drive`]; what it does next in [`blocks`]; what it has measured in [`tally`].

mod blocks;
mod choose;
mod distribution;
mod drive;
mod extras;
mod fault;
mod files;
mod fill;
mod lanes;
mod layout;
mod logbook;
mod logs;
mod map;
mod pace;
mod phase;
mod proof;
mod random;
mod replay;
mod seek;
mod steady;
mod steer;
mod tally;
mod team;
mod trace;
mod usage;
mod verify;
mod watch;
mod worker;

pub(crate) use layout::preflight;
pub(crate) use phase::{Outlook, Trail, Watch, not_run, phase};
