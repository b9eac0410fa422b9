//! The prefetching read program: a window of ranged reads in flight, delivered in order.
//!
//! Each ranged read is recorded from submission to completion, and each wait of the reader for the next range. The
//! operation's latency is the sum of the waits: what a reader who does nothing with the data would see. The window's
//! buffers are all the memory there is.

use super::read::open;
use super::transfer::Check;
use super::{Scene, Step, Steps, generator};
use crate::Generator;
use fsbench_model::{Prefetch, ReadFile};
use fsbench_results::Kind;
use fsbench_target::{Buffer, Completion, Error, FileId, Io, IoKind};

pub(super) struct PrefetchRead {
    path: String,
    limit: u64,
    verify: Option<Generator>,
    range: u64,
    window: u64,
    idle: Vec<Buffer>,
    done: Vec<Completion>,
}

/// The ranges of one file on their way.
struct Window {
    file: FileId,
    planned: u64,
    range: u64,
    /// Ranges submitted so far.
    submitted: u64,
    /// Ranges delivered so far.
    delivered: u64,
    /// Start of each range in flight, by its number modulo the window.
    starts: Vec<u64>,
    /// Ranges that came before their turn, by the same place.
    waiting: Vec<Option<Completion>>,
}

impl Window {
    fn ranges(&self) -> u64 {
        self.planned.div_ceil(self.range)
    }

    fn place(&self, range: u64) -> usize {
        (range % self.starts.len() as u64) as usize
    }

    fn len_of(&self, range: u64) -> usize {
        (self.planned - range * self.range).min(self.range) as usize
    }
}

impl PrefetchRead {
    pub(super) fn new(plan: &ReadFile, window: Prefetch, worker: u32) -> Self {
        Self {
            path: plan.files.of_worker(worker),
            limit: plan.limit.map_or(u64::MAX, |bytes| bytes.0),
            verify: plan.verify.map(|content| generator(content, &plan.files, worker)),
            range: window.size.0.max(1),
            window: u64::from(window.concurrency.max(1)),
            idle: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Submits ranges until the window is full or the file's end is in it.
    fn fill(&mut self, scene: &mut Scene<'_>, window: &mut Window) -> Result<(), Error> {
        while window.submitted < window.ranges() && window.submitted - window.delivered < self.window {
            let range = window.submitted;
            let len = window.len_of(range);
            let buffer = self.idle.pop().unwrap_or_else(|| Buffer::new(self.range as usize));
            let place = window.place(range);
            window.starts[place] = scene.recorder.now();
            let offset = range * self.range;
            scene.session.submit(Io { tag: range, file: window.file, kind: IoKind::Read, offset, len, buffer })?;
            window.submitted += 1;
        }
        Ok(())
    }

    /// Waits until the next range in order is there.
    fn next(&mut self, scene: &mut Scene<'_>, window: &mut Window) -> Result<Completion, Error> {
        let place = window.place(window.delivered);
        while window.waiting[place].is_none() {
            scene.session.reap(1, &mut self.done)?;
            for completion in self.done.drain(..) {
                let at = window.place(completion.tag);
                if let Ok(count) = completion.result {
                    scene.recorder.done(Kind::Read, window.starts[at], count as u64);
                    scene.moved(count as u64);
                }
                window.waiting[at] = Some(completion);
            }
        }
        window.delivered += 1;
        Ok(window.waiting[place].take().expect("the loop above ends when it is there"))
    }

    fn drain(&mut self, scene: &mut Scene<'_>, file: FileId, planned: u64) -> Result<u64, Error> {
        let places = self.window as usize;
        let mut window = Window {
            file,
            planned,
            range: self.range,
            submitted: 0,
            delivered: 0,
            starts: vec![0; places],
            waiting: (0..places).map(|_| None).collect(),
        };
        let mut busy = 0;
        while window.delivered < window.ranges() {
            let (offset, len) = (window.delivered * self.range, window.len_of(window.delivered));
            let start = scene.recorder.now();
            self.fill(scene, &mut window)?;
            let completion = self.next(scene, &mut window)?;
            busy += scene.recorder.done(Kind::Wait, start, 0) - start;
            let count = completion.result?;
            let check = Check { target: "read", path: &self.path, verify: self.verify.as_ref() };
            check.read(scene, offset, &completion.buffer.as_ref()[..count], len)?;
            self.idle.push(completion.buffer);
        }
        Ok(busy)
    }

    /// Takes back what is still in flight after an error, so that no completion meets a later operation.
    fn settle(&mut self, scene: &mut Scene<'_>, file: FileId) {
        drop(scene.session.abandon(file));
        self.done.clear();
        drop(scene.session.reap(usize::MAX, &mut self.done));
        self.done.clear();
    }
}

impl Steps for PrefetchRead {
    fn step(&mut self, scene: &mut Scene<'_>) -> Result<Step, Error> {
        let (file, planned) = open(scene, &self.path, self.limit, self.verify.is_some())?;
        match self.drain(scene, file, planned) {
            Ok(busy) => {
                scene.session.close(file)?;
                scene.recorder.record(Kind::Operation, busy, scene.recorder.now(), planned);
                Ok(Step::Done)
            }
            Err(error) => {
                self.settle(scene, file);
                Err(error)
            }
        }
    }
}
