//! Doing it: a [`fsbench_model::Plan`] and a target in, a [`fsbench_results::Record`] out.
//!
//! The runner owns the only clock. Each worker is a thread with a session, a program and a recorder of its own; nothing
//! is shared on the hot path. What a run creates is written down below the base first (see [`ledger`]), so that it, and
//! nothing else, can be removed later.

mod clean;
mod clock;
mod content;
mod environment;
mod job;
pub mod ledger;
mod live;
mod observe;
mod phase;
mod prepare;
mod program;
mod recorder;
mod run;
mod worker;

pub use clean::{CleanReport, clean};
pub use clock::{Clock, run_id, wall_time};
pub use content::Generator;
pub use environment::environment;
pub use live::{JobProgress, JobState, Live, Progress, Stop};
pub use run::{Control, Run, Status, run};
