//! What happened: the [`Record`], its latencies and time slots, and the statistics over repetitions.
//!
//! A Record holds everything that a run measured, and the plan and the environment that it was measured with; reports
//! are pure functions of it. It is one JSON document with a schema version, described in `docs/record.md`.

mod environment;
mod findings;
mod job;
mod kind;
mod latencies;
mod record;
mod repetition;
mod slots;
mod stats;

pub use environment::{Cache, Cpu, Environment, Fact};
pub use findings::{client_limit, findings};
pub use fsbench_model as model;
pub use job::{DirectionRecord, DiskRecord, JobRecord, LatencyRecord, Moments, SteadyRecord};
pub use kind::Kind;
pub use latencies::{Latencies, LatencyError};
pub use record::{Ending, PhaseRecord, Record, RecordError, SCHEMA, SCHEMA_VERSION};
pub use repetition::{CacheState, ErrorCount, KindRecord, Repetition, Resources, WorkerRecord};
pub use slots::{SLOT_NS, Slot, Slots};
pub use stats::{Statistic, aggregate};
