//! Worker programs: what one operation of each phase does, call by call, and what of it is measured.

mod names;
mod prefetch;
mod read;
mod shell;
mod smallfiles;
mod transfer;
mod write;

use crate::live::{Stop, WorkerCounters};
use crate::recorder::Recorder;
use fsbench_model::{Content, FileNames, Phase, Program};
use fsbench_target::{Capabilities, Error, ErrorKind, Session};

/// What a step may use. Borrowed from the worker for the time of one operation.
pub(crate) struct Scene<'a> {
    pub(crate) session: &'a mut dyn Session,
    pub(crate) recorder: &'a Recorder,
    pub(crate) live: &'a WorkerCounters,
    pub(crate) stop: &'a Stop,
}

impl Scene<'_> {
    pub(crate) fn moved(&self, bytes: u64) {
        self.live.add_bytes(bytes);
    }
}

/// How an operation ended.
#[derive(Debug)]
pub(crate) enum Step {
    /// It was done.
    Done,
    /// There was nothing left to do.
    Nothing,
}

/// One worker's program.
pub(crate) trait Steps {
    /// Does one operation and records it under [`fsbench_results::Kind::Operation`].
    ///
    /// On an error the program has cleaned up after itself; bytes that were moved stay counted.
    fn step(&mut self, scene: &mut Scene<'_>) -> Result<Step, Error>;

    /// Whether trying again in the same repetition makes no sense after an error of this kind.
    fn is_final(&self, kind: ErrorKind) -> bool {
        kind.is_lasting() || matches!(kind, ErrorKind::NoSpace | ErrorKind::Interrupted)
    }
}

/// The program of worker `worker`. `owned` tells which names fsbench made below this base.
pub(crate) fn steps(phase: &Phase, worker: u32, owned: &dyn Fn(&str) -> bool) -> Box<dyn Steps> {
    match &phase.program {
        Program::Write(plan) => Box::new(write::Write::new(plan, worker)),
        Program::Read(plan) => match plan.prefetch {
            Some(window) => Box::new(prefetch::PrefetchRead::new(plan, window, worker)),
            None => Box::new(read::Read::new(plan, worker)),
        },
        Program::Exists(plan) => Box::new(names::Exists::new(plan.files.of_worker(worker))),
        Program::List(_) => Box::new(names::List),
        Program::Rename(plan) => Box::new(names::Rename::new(plan, worker)),
        Program::Delete(plan) => Box::new(names::Delete::new(plan, worker, owned)),
        Program::SmallFiles(plan) if plan.shell.is_some() => Box::new(shell::Shell::new(plan, worker)),
        Program::SmallFiles(plan) => Box::new(smallfiles::Small::new(plan, worker, phase.workers)),
        Program::Jobs(_) => unreachable!("jobs have a crew of their own"),
    }
}

/// Bytes of memory that one worker's program needs for its buffers, and the target for what is on its way.
pub(crate) fn memory_of(program: &Program, target: Capabilities) -> u64 {
    match program {
        Program::Write(plan) => {
            let under_way = target.upload_bytes_max.min(plan.size.0);
            plan.buffer.0.min(plan.size.0.max(1)).saturating_add(under_way)
        }
        Program::Read(plan) => match plan.prefetch {
            Some(window) => window.size.0.saturating_mul(u64::from(window.concurrency)),
            None => plan.buffer.0,
        },
        Program::SmallFiles(plan) => plan.size.0.saturating_add(target.upload_bytes_max.min(plan.size.0)),
        _ => 0,
    }
}

/// The generator of the file that worker `worker` works on.
fn generator(content: Content, files: &FileNames, worker: u32) -> crate::Generator {
    crate::Generator::new(content, &files.of_worker(worker))
}
