//! The rows of the option table, one file for each group.

mod data;
mod engine;
mod engines;
mod files;
mod job;
mod pattern;
mod process;
mod rate;
mod replay;
mod report;
mod switches;
mod verify;

use super::options::{Group, Opt};

pub(super) use switches::SWITCHES;

/// All job options by group, in the order in which they are shown.
pub(super) const GROUPS: [(Group, &[Opt]); 11] = [
    (Group::Job, job::ROWS),
    (Group::Files, files::ROWS),
    (Group::Pattern, pattern::ROWS),
    (Group::Engine, engine::ROWS),
    (Group::EngineOwn, engines::ROWS),
    (Group::Rate, rate::ROWS),
    (Group::Data, data::ROWS),
    (Group::Verify, verify::ROWS),
    (Group::Replay, replay::ROWS),
    (Group::Report, report::ROWS),
    (Group::Process, process::ROWS),
];
