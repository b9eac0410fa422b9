//! The small-file program: one operation is one file, from before its open until after its close.
//!
//! Create, write, sync where asked, close; or open, read to the end, close. Each call is recorded, and the operation is
//! their sum. Making and comparing content is in neither, but in the wall time, where it is a copy of a few bytes.

use super::transfer::Single;
use super::{Scene, Step, Steps};
use crate::Generator;
use fsbench_model::{SMALL_LINE, SmallFiles, SmallStep};
use fsbench_results::Kind;
use fsbench_target::{Error, ErrorKind, FileId, IoKind, OpenMode, OpenOptions};
use std::fmt::Write;

/// The content of file `n` begins at this many bytes times `n` of one endless stream, rounded up to whole blocks: no two
/// files are equal, and one generator serves all.
const BLOCK: u64 = 4096;

pub(super) struct Small {
    plan: SmallFiles,
    /// The number of the next file.
    next: u64,
    /// From one file of this worker to the next.
    stride: u64,
    /// Name of the file at hand, in a buffer that is used again.
    path: String,
    generator: Option<Generator>,
    buffer: Single,
}

impl Small {
    pub(super) fn new(plan: &SmallFiles, worker: u32, workers: u32) -> Self {
        Self {
            next: u64::from(worker),
            stride: u64::from(workers),
            path: String::new(),
            generator: plan.content.map(|content| Generator::new(content, SmallFiles::PREFIX)),
            buffer: Single::new(plan.size.0.max(1)),
            plan: plan.clone(),
        }
    }

    /// Where file `number` stands in the stream of content.
    fn offset(&self, number: u64) -> u64 {
        number.wrapping_mul(self.plan.size.0.next_multiple_of(BLOCK))
    }

    fn len(&self) -> usize {
        usize::try_from(self.plan.size.0).unwrap_or(usize::MAX)
    }

    fn take_name(&mut self, number: u64) {
        self.path.clear();
        let (directory, prefix, suffix) = (&self.plan.directory, SmallFiles::PREFIX, SmallFiles::SUFFIX);
        write!(self.path, "{directory}/{prefix}{number}{suffix}").expect("a String takes all text");
    }

    fn fill(&mut self, number: u64) {
        let (offset, len) = (self.offset(number), self.len());
        let bytes = &mut self.buffer.bytes()[..len];
        match &self.generator {
            Some(generator) => generator.fill(offset, bytes),
            None => bytes.copy_from_slice(&SMALL_LINE[..len]),
        }
    }

    fn write(&mut self, scene: &mut Scene<'_>, number: u64, sync: bool) -> Result<(), Error> {
        self.fill(number);
        let start = scene.recorder.now();
        // As `>` opens it. The directory is this run's own, so that nothing is replaced; and a store that can only look
        // first whether a name is taken need not.
        let options = OpenOptions { mode: OpenMode::CreateOrReplace, size_hint: Some(self.plan.size.0) };
        let file = scene.session.open(&self.path, options)?;
        let created = scene.recorder.done(Kind::Create, start, 0);
        match self.write_open(scene, file, sync, created) {
            Ok(end) => {
                scene.recorder.record(Kind::Operation, end - start, end, self.plan.size.0);
                Ok(())
            }
            Err(error) => {
                if let Err(leftover) = scene.session.abandon(file) {
                    scene.recorder.error(&leftover);
                }
                Err(error)
            }
        }
    }

    /// Writes, syncs and closes; when that ended.
    fn write_open(&mut self, scene: &mut Scene<'_>, file: FileId, sync: bool, created: u64) -> Result<u64, Error> {
        let (mut at, len) = (created, self.len());
        if len > 0 {
            self.buffer.run(scene.session, (file, IoKind::Write), 0, len)?;
            at = scene.recorder.done(Kind::Write, at, len as u64);
            scene.moved(len as u64);
        }
        if sync {
            self.buffer.run(scene.session, (file, IoKind::Sync), 0, 0)?;
            at = scene.recorder.done(Kind::Sync, at, 0);
        }
        scene.session.close(file)?;
        Ok(scene.recorder.done(Kind::Close, at, 0))
    }

    fn read(&mut self, scene: &mut Scene<'_>, number: u64, verify: bool) -> Result<(), Error> {
        let start = scene.recorder.now();
        let options = OpenOptions { mode: OpenMode::Read, size_hint: Some(self.plan.size.0) };
        let file = scene.session.open(&self.path, options)?;
        let opened = scene.recorder.done(Kind::Open, start, 0);
        let read = self.read_open(scene, file, opened);
        let (size, count, end) = read.inspect_err(|_| drop(scene.session.abandon(file)))?;
        if size != self.plan.size.0 || count != self.len() {
            let detail = format!("{count} of its {size} bytes came, and {} were written", self.plan.size.0);
            return Err(Error::new(ErrorKind::ShortRead, "smallfiles", "read", &self.path, detail));
        }
        if verify {
            self.verify(number)?;
            scene.recorder.count("verified_bytes", count as u64);
        }
        scene.recorder.record(Kind::Operation, end - start, end, count as u64);
        Ok(())
    }

    /// Reads to the end and closes: the file's size, how much came, and when that ended.
    fn read_open(&mut self, scene: &mut Scene<'_>, file: FileId, opened: u64) -> Result<(u64, usize, u64), Error> {
        let size = scene.session.size(file)?;
        let len = self.len().min(usize::try_from(size).unwrap_or(usize::MAX));
        let (mut at, mut count) = (opened, 0);
        if len > 0 {
            count = self.buffer.run(scene.session, (file, IoKind::Read), 0, len)?;
            at = scene.recorder.done(Kind::Read, at, count as u64);
            scene.moved(count as u64);
        }
        scene.session.close(file)?;
        Ok((size, count, scene.recorder.done(Kind::Close, at, 0)))
    }

    fn verify(&mut self, number: u64) -> Result<(), Error> {
        let (offset, len) = (self.offset(number), self.len());
        let bytes = &self.buffer.bytes()[..len];
        let differs = match &self.generator {
            Some(generator) => generator.verify(offset, bytes).err().map(|at| at - offset),
            None => bytes.iter().zip(SMALL_LINE).position(|(read, written)| read != written).map(|at| at as u64),
        };
        match differs {
            None => Ok(()),
            Some(at) => {
                let detail = format!("the content differs from what was written, first at offset {at}");
                Err(Error::new(ErrorKind::Corrupt, "smallfiles", "verify", &self.path, detail))
            }
        }
    }
}

impl Steps for Small {
    fn step(&mut self, scene: &mut Scene<'_>) -> Result<Step, Error> {
        let number = self.next;
        if number >= self.plan.files {
            return Ok(Step::Nothing);
        }
        self.next += self.stride;
        self.take_name(number);
        match self.plan.step {
            SmallStep::Write { sync } => self.write(scene, number, sync)?,
            SmallStep::Read { verify } => self.read(scene, number, verify)?,
        }
        Ok(Step::Done)
    }

    /// One file that is missing says nothing about the next one.
    fn is_final(&self, kind: ErrorKind) -> bool {
        kind != ErrorKind::NotFound && (kind.is_lasting() || matches!(kind, ErrorKind::NoSpace))
    }
}
