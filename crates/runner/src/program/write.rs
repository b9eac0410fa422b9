//! The write program: create a file, write it from start to end, sync it where asked, close it.
//!
//! The operation's latency is the sum of its writes, the sync and the close; creating the file is shown apart, and
//! making the content is in neither (it is in the wall time that rates are computed from).

use super::transfer::Single;
use super::{Scene, Step, Steps, generator};
use crate::Generator;
use fsbench_model::WriteFile;
use fsbench_results::Kind;
use fsbench_target::{Error, FileId, IoKind, OpenMode, OpenOptions};

pub(super) struct Write {
    path: String,
    size: u64,
    sync: bool,
    generator: Generator,
    buffer: Single,
}

impl Write {
    pub(super) fn new(plan: &WriteFile, worker: u32) -> Self {
        Self {
            path: plan.files.of_worker(worker),
            size: plan.size.0,
            sync: plan.sync,
            generator: generator(plan.content, &plan.files, worker),
            buffer: Single::new(plan.buffer.0.min(plan.size.0.max(1))),
        }
    }

    /// Writes, syncs and closes. The sum of the latencies.
    fn fill(&mut self, scene: &mut Scene<'_>, file: FileId) -> Result<u64, Error> {
        let mut busy = 0;
        let mut offset = 0;
        while offset < self.size {
            let len = (self.size - offset).min(self.buffer.len() as u64) as usize;
            self.buffer.make(&self.generator, offset, len);
            let start = scene.recorder.now();
            self.buffer.run(scene.session, (file, IoKind::Write), offset, len)?;
            busy += scene.recorder.done(Kind::Write, start, len as u64) - start;
            scene.moved(len as u64);
            offset += len as u64;
        }
        if self.sync {
            let start = scene.recorder.now();
            self.buffer.run(scene.session, (file, IoKind::Sync), 0, 0)?;
            busy += scene.recorder.done(Kind::Sync, start, 0) - start;
        }
        let start = scene.recorder.now();
        scene.session.close(file)?;
        Ok(busy + scene.recorder.done(Kind::Close, start, 0) - start)
    }
}

impl Steps for Write {
    fn step(&mut self, scene: &mut Scene<'_>) -> Result<Step, Error> {
        self.buffer.swap(scene.session);
        let start = scene.recorder.now();
        let options = OpenOptions { mode: OpenMode::CreateOrReplace, size_hint: Some(self.size) };
        let file = scene.session.open(&self.path, options)?;
        scene.recorder.done(Kind::Create, start, 0);
        match self.fill(scene, file) {
            Ok(busy) => {
                scene.recorder.record(Kind::Operation, busy, scene.recorder.now(), self.size);
                Ok(Step::Done)
            }
            Err(error) => {
                if let Err(leftover) = scene.session.abandon(file) {
                    scene.recorder.error(&leftover);
                }
                Err(error)
            }
        }
    }
}
