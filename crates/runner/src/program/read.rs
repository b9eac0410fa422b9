//! The read program: open a file, read it from the start, one buffer after the other.
//!
//! The operation's latency is the sum of its reads; opening is shown apart, verifying is in neither.

use super::transfer::{Check, Single};
use super::{Scene, Step, Steps, generator};
use crate::Generator;
use fsbench_model::ReadFile;
use fsbench_results::Kind;
use fsbench_target::{Error, ErrorKind, FileId, IoKind, OpenMode, OpenOptions};

pub(super) struct Read {
    path: String,
    limit: u64,
    verify: Option<Generator>,
    buffer: Single,
}

/// Opens a file for reading and tells how much of it will be read. Who verifies and says how large the file is must
/// get all of it: otherwise a file that was cut short would pass.
pub(super) fn open(scene: &mut Scene<'_>, path: &str, limit: u64, verified: bool) -> Result<(FileId, u64), Error> {
    let start = scene.recorder.now();
    let options = OpenOptions { mode: OpenMode::Read, size_hint: (limit != u64::MAX).then_some(limit) };
    let file = scene.session.open(path, options).map_err(|error| match error.kind {
        ErrorKind::NotFound => error.with_hint("fsbench remote --operation=create_write makes such files"),
        _ => error,
    })?;
    scene.recorder.done(Kind::Open, start, 0);
    let size = scene.session.size(file)?;
    if verified && limit != u64::MAX && size < limit {
        drop(scene.session.abandon(file));
        let detail = format!("it has {size} bytes, and --file_size says {limit}");
        return Err(Error::new(ErrorKind::ShortRead, "read", "verify", path, detail));
    }
    Ok((file, size.min(limit)))
}

impl Read {
    pub(super) fn new(plan: &ReadFile, worker: u32) -> Self {
        Self {
            path: plan.files.of_worker(worker),
            limit: plan.limit.map_or(u64::MAX, |bytes| bytes.0),
            verify: plan.verify.map(|content| generator(content, &plan.files, worker)),
            buffer: Single::new(plan.buffer.0),
        }
    }

    fn drain(&mut self, scene: &mut Scene<'_>, file: FileId, planned: u64) -> Result<u64, Error> {
        let check = Check { target: "read", path: &self.path, verify: self.verify.as_ref() };
        let mut busy = 0;
        let mut offset = 0;
        while offset < planned {
            let len = (planned - offset).min(self.buffer.len() as u64) as usize;
            let start = scene.recorder.now();
            let count = self.buffer.run(scene.session, (file, IoKind::Read), offset, len)?;
            busy += scene.recorder.done(Kind::Read, start, count as u64) - start;
            scene.moved(count as u64);
            check.read(scene, offset, &self.buffer.bytes()[..count], len)?;
            offset += len as u64;
        }
        Ok(busy)
    }
}

impl Steps for Read {
    fn step(&mut self, scene: &mut Scene<'_>) -> Result<Step, Error> {
        let (file, planned) = open(scene, &self.path, self.limit, self.verify.is_some())?;
        let result = self.drain(scene, file, planned);
        let closed = scene.session.close(file);
        let busy = result.inspect_err(|_| drop(scene.session.abandon(file)))?;
        closed?;
        scene.recorder.record(Kind::Operation, busy, scene.recorder.now(), planned);
        Ok(Step::Done)
    }
}
