//! What every engine of a lane shares, and the shell that makes a [`Lane`] of an engine.

use super::arena::Arena;
use super::files::Files;
use crate::base::SCHEME;
use crate::target::Shared;
use fsbench_target::{
    Allocate, Error, Lane, LaneAccess, LaneDone, LaneOptions, LaneRequest, LaneResult, Result, Started,
};
use rustix::fd::BorrowedFd;
use std::sync::Arc;

/// How long a wait in the kernel lasts before the interrupt flag is looked at again.
pub(crate) const SLICE_NS: u32 = 50_000_000;

/// Buffers, files and options.
pub(crate) struct Core {
    pub(crate) options: LaneOptions,
    pub(crate) arena: Arena,
    pub(crate) files: Files,
    shared: Arc<Shared>,
}

impl Core {
    pub(crate) fn new(shared: &Arc<Shared>, options: LaneOptions) -> Result<Self> {
        let arena = Arena::new(options.depth.max(1), options.slot_bytes, options.align).map_err(|errno| {
            let bytes = u64::from(options.depth.max(1)) * u64::from(options.slot_bytes);
            shared.base.fail("get memory for", "", errno).with_hint(format!("{bytes} bytes of buffers were asked for"))
        })?;
        Ok(Self { options, arena, files: Files::new(shared.clone(), options), shared: shared.clone() })
    }

    /// An error after [`fsbench_target::Target::interrupt`].
    pub(crate) fn go(&self) -> Result<()> {
        match self.shared.interrupted() {
            true => Err(Error::interrupted(SCHEME, "wait for", self.shared.base.name(""))),
            false => Ok(()),
        }
    }

    /// The lane itself failed.
    #[cold]
    pub(crate) fn broken(&self, operation: &'static str, error: &std::io::Error) -> Error {
        Error::of_io(SCHEME, operation, self.shared.base.name(""), error)
    }

    /// The file and the bytes of a transfer, for an engine that has nothing in flight.
    #[inline]
    pub(crate) fn parts(
        &mut self,
        request: &LaneRequest,
    ) -> std::result::Result<(BorrowedFd<'_>, &mut [u8]), Box<Error>> {
        match self.files.fd(request.file) {
            Some(fd) => Ok((fd, self.arena.buffer(request.slot, request.len))),
            None => Err(self.files.closed(request.kind, request.file)),
        }
    }

    /// What a transfer came to.
    #[inline]
    pub(crate) fn outcome(&self, request: &LaneRequest, moved: rustix::io::Result<usize>) -> LaneResult {
        match moved {
            Ok(bytes) => Ok(bytes as u32),
            Err(errno) => Err(self.files.failed(request.kind, request.file, errno)),
        }
    }
}

/// What an engine does; the defaults are those of one that has finished when `start` returns.
pub(crate) trait Engine {
    /// A file was opened.
    fn opened(&mut self, core: &mut Core, file: u32, access: LaneAccess) -> Result<()> {
        let _ = (core, file, access);
        Ok(())
    }

    /// A file is about to be closed.
    fn closing(&mut self, core: &mut Core, file: u32) {
        let _ = (core, file);
    }

    /// A file was named.
    fn declared(&mut self, core: &mut Core, file: u32) {
        let _ = (core, file);
    }

    /// Whether a request holds the slot.
    fn holds(&self, slot: u32) -> bool {
        let _ = slot;
        false
    }

    /// As [`Lane::start`].
    fn start(&mut self, core: &mut Core, request: &LaneRequest) -> Started;

    /// As [`Lane::submit`].
    fn submit(&mut self, core: &mut Core) -> Result<u32> {
        let _ = core;
        Ok(0)
    }

    /// As [`Lane::reap`].
    fn reap(&mut self, core: &mut Core, min: u32, max: u32, done: &mut Vec<LaneDone>) -> Result<()> {
        let _ = (core, min, max, done);
        Ok(())
    }

    /// As [`Lane::cancel`]; false when the kernel may still have a buffer.
    fn cancel(&mut self, core: &mut Core) -> bool {
        let _ = core;
        true
    }
}

/// A lane: an engine and what it works on.
pub(crate) struct Shell<E: Engine> {
    /// Stands before `core`: it is dropped first, so that nothing works on buffers that are gone.
    engine: E,
    core: Core,
}

impl<E: Engine> Shell<E> {
    pub(crate) fn new(core: Core, engine: E) -> Self {
        Self { engine, core }
    }
}

impl<E: Engine> Lane for Shell<E> {
    fn declare(&mut self, path: &str) -> Result<u32> {
        let file = self.core.files.declare(path)?;
        self.engine.declared(&mut self.core, file);
        Ok(file)
    }

    fn open(&mut self, file: u32, access: LaneAccess) -> Result<()> {
        self.core.go()?;
        self.core.files.open(file, access)?;
        let opened = self.engine.opened(&mut self.core, file, access);
        if opened.is_err() {
            let _ = self.core.files.close(file);
        }
        opened
    }

    fn size(&mut self, file: u32) -> Result<u64> {
        self.core.files.size(file)
    }

    fn allocate(&mut self, file: u32, how: Allocate, bytes: u64) -> Result<()> {
        self.core.files.allocate(file, how, bytes)
    }

    fn invalidate(&mut self, file: u32) -> Result<()> {
        self.core.files.invalidate(file)
    }

    fn close(&mut self, file: u32) -> Result<()> {
        if self.core.files.fd(file).is_some() {
            self.engine.closing(&mut self.core, file);
        }
        self.core.files.close(file)
    }

    #[inline]
    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        assert!(!self.engine.holds(slot), "the buffer of a request in flight is the kernel's");
        let len = self.core.arena.slot_bytes() as u32;
        self.core.arena.buffer(slot, len)
    }

    #[inline]
    fn start(&mut self, request: &LaneRequest) -> Started {
        self.engine.start(&mut self.core, request)
    }

    fn submit(&mut self) -> Result<u32> {
        self.engine.submit(&mut self.core)
    }

    fn reap(&mut self, min: u32, max: u32, done: &mut Vec<LaneDone>) -> Result<()> {
        self.engine.reap(&mut self.core, min, max, done)
    }

    fn cancel(&mut self) {
        if !self.engine.cancel(&mut self.core) {
            self.core.arena.leak();
        }
    }
}

impl<E: Engine> Drop for Shell<E> {
    fn drop(&mut self) {
        self.cancel();
    }
}
