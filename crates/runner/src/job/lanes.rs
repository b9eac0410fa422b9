//! A job's lane: the target's own where it has one, else one that works through a session, as network stores do.

use fsbench_model::job::{Engine, EngineName, Job, WriteSync};
use fsbench_target::{
    Allocate, Buffer, Completion, Error, ErrorKind, FileId, Io, IoKind, Lane, LaneAccess, LaneDone, LaneEngine,
    LaneKind, LaneOptions, LaneRequest, LaneResult, OpenMode, OpenOptions, Probe, Result, Session, Started, Target,
};
use std::rc::Rc;

/// Smallest alignment of a buffer.
const ALIGN_MIN: u32 = 4096;

/// What the job asks of its lane.
pub(crate) fn options(job: &Job, slot_bytes: u32) -> LaneOptions {
    let Engine { name, depth, direct, write_sync, nowait, hipri, uncached, ring, buffer_align, .. } = job.engine;
    let range = job.syncs.range;
    LaneOptions {
        engine: engine(name),
        depth,
        slot_bytes,
        align: buffer_align.max(ALIGN_MIN),
        direct,
        sync: write_sync == WriteSync::Sync,
        dsync: write_sync == WriteSync::Dsync,
        nowait,
        hipri,
        uncached,
        fixed_buffers: ring.fixed_buffers,
        registered_files: ring.registered_files,
        submission_thread: ring.submission_thread,
        submission_processor: ring.submission_processor,
        force_async: ring.force_async,
        sync_range: u32::from(range.wait_before) | u32::from(range.write) << 1 | u32::from(range.wait_after) << 2,
    }
}

fn engine(name: EngineName) -> LaneEngine {
    match name {
        EngineName::Sync => LaneEngine::Sync,
        EngineName::Psync => LaneEngine::Psync,
        EngineName::Vsync => LaneEngine::Vsync,
        EngineName::Pvsync => LaneEngine::Pvsync,
        EngineName::Pvsync2 => LaneEngine::Pvsync2,
        EngineName::Mmap => LaneEngine::Mmap,
        EngineName::Libaio => LaneEngine::Libaio,
        EngineName::IoUring => LaneEngine::IoUring,
        EngineName::Null => LaneEngine::Null,
        EngineName::Filecreate | EngineName::Filestat | EngineName::Filedelete => LaneEngine::Names,
        EngineName::Store => LaneEngine::Store,
    }
}

/// The lane for `options`.
pub(crate) fn lane(target: &dyn Target, options: &LaneOptions, probe: Rc<dyn Probe>) -> Result<Box<dyn Lane>> {
    if let Some(lane) = target.lane(options, probe.clone())? {
        return Ok(lane);
    }
    if !matches!(options.engine, LaneEngine::Store | LaneEngine::Null | LaneEngine::Psync | LaneEngine::Names) {
        let detail = format!("{} has no such engine", target.scheme());
        return Err(Error::new(ErrorKind::Unsupported, target.scheme(), "use an engine on", target.uri(), detail)
            .with_hint("leave ioengine out: the store's own client is used"));
    }
    Ok(Box::new(SessionLane::new(target, target.session(probe)?, options)))
}

/// A declared file.
struct File {
    path: String,
    id: Option<FileId>,
}

/// A lane on a session: buffers travel with the requests and come back with their completions.
struct SessionLane {
    session: Box<dyn Session>,
    scheme: &'static str,
    files: Vec<File>,
    buffers: Vec<Option<Buffer>>,
    slot_bytes: usize,
    /// A request is finished when the call that starts it returns, as synchronous engines do it.
    at_once: bool,
    in_flight: usize,
    landed: Vec<Completion>,
    finished: Vec<LaneDone>,
}

impl SessionLane {
    fn new(target: &dyn Target, session: Box<dyn Session>, options: &LaneOptions) -> Self {
        let slot_bytes = options.slot_bytes as usize;
        let buffers = (0..options.depth).map(|_| Some(Buffer::new(slot_bytes))).collect();
        Self {
            session,
            scheme: target.scheme(),
            files: Vec::new(),
            buffers,
            slot_bytes,
            at_once: options.engine == LaneEngine::Psync,
            in_flight: 0,
            landed: Vec::new(),
            finished: Vec::new(),
        }
    }

    fn id(&self, file: u32, operation: &'static str) -> Result<FileId> {
        let file = &self.files[file as usize];
        file.id.ok_or_else(|| Error::new(ErrorKind::Invalid, self.scheme, operation, &*file.path, "it is not open"))
    }

    /// Requests on names, which are not open.
    fn by_name(&mut self, request: &LaneRequest) -> Result<u32> {
        let path = self.files[request.file as usize].path.clone();
        match request.kind {
            LaneKind::Create => {
                let options = OpenOptions { mode: OpenMode::CreateNew, size_hint: Some(0) };
                let id = self.session.open(&path, options)?;
                self.session.close(id)?;
            }
            LaneKind::Stat => drop(self.session.stat(&path)?),
            LaneKind::Delete => self.session.delete(&path)?,
            _ => return Err(Error::unsupported(self.scheme, "do this to", path)),
        }
        Ok(0)
    }

    fn transfer(&mut self, request: &LaneRequest, kind: IoKind) -> Result<()> {
        let file = self.id(request.file, "use")?;
        let buffer = self.buffers[request.slot as usize].take().expect("a slot in flight is not used again");
        self.in_flight += 1;
        let (tag, len) = (u64::from(request.slot), request.len as usize);
        self.session.submit(Io { tag, file, kind, offset: request.offset, len, buffer }).inspect_err(|_| {
            // The buffer is lost with the request.
            self.in_flight -= 1;
            self.buffers[request.slot as usize] = Some(Buffer::new(self.slot_bytes));
        })
    }

    /// The end of the only request.
    fn wait(&mut self) -> LaneResult {
        self.session.reap(1, &mut self.landed).map_err(Box::new)?;
        self.collect();
        let missing = || Box::new(Error::interrupted(self.scheme, "wait for", "a request"));
        self.finished.pop().ok_or_else(missing)?.result
    }

    /// Gives the buffers of what has landed back to their slots.
    fn collect(&mut self) {
        for Completion { tag, result, buffer } in self.landed.drain(..) {
            self.buffers[tag as usize] = Some(buffer);
            self.in_flight -= 1;
            let result = result.map(|count| count as u32).map_err(Box::new);
            self.finished.push(LaneDone { slot: tag as u32, result });
        }
    }
}

impl Lane for SessionLane {
    fn declare(&mut self, path: &str) -> Result<u32> {
        self.files.push(File { path: path.to_string(), id: None });
        Ok(self.files.len() as u32 - 1)
    }

    fn open(&mut self, file: u32, access: LaneAccess) -> Result<()> {
        let path = self.files[file as usize].path.clone();
        let size_hint = Some(access.stream_bytes).filter(|bytes| *bytes > 0);
        let mode = match (access.write, access.create, size_hint.is_some()) {
            (false, ..) => OpenMode::Read,
            (true, _, true) => OpenMode::CreateOrReplace,
            (true, true, false) if !self.session.exists(&path)? => OpenMode::CreateNew,
            (true, ..) => OpenMode::ReadWrite,
        };
        let id = self.session.open(&path, OpenOptions { mode, size_hint })?;
        self.files[file as usize].id = Some(id);
        Ok(())
    }

    fn size(&mut self, file: u32) -> Result<u64> {
        let id = self.id(file, "ask for the size of")?;
        self.session.size(id)
    }

    fn allocate(&mut self, file: u32, how: Allocate, bytes: u64) -> Result<()> {
        let path = self.files[file as usize].path.clone();
        match how {
            Allocate::None | Allocate::Native | Allocate::Keep => Ok(()),
            Allocate::Truncate | Allocate::Posix => self.session.truncate(&path, bytes),
        }
    }

    fn close(&mut self, file: u32) -> Result<()> {
        let id = self.id(file, "close")?;
        self.files[file as usize].id = None;
        self.session.close(id).inspect_err(|_| drop(self.session.abandon(id)))
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.buffers[slot as usize].as_mut().expect("a slot in flight has no buffer").as_mut()
    }

    fn start(&mut self, request: &LaneRequest) -> Started {
        let kind = match request.kind {
            LaneKind::Read => IoKind::Read,
            LaneKind::Write => IoKind::Write,
            LaneKind::Sync | LaneKind::DataSync | LaneKind::RangeSync => IoKind::Sync,
            LaneKind::Trim | LaneKind::Create | LaneKind::Stat | LaneKind::Delete => {
                return Started::Done(self.by_name(request).map_err(Box::new));
            }
        };
        match self.transfer(request, kind) {
            Ok(()) if self.at_once => Started::Done(self.wait()),
            Ok(()) => Started::Queued,
            Err(error) => Started::Done(Err(Box::new(error))),
        }
    }

    fn submit(&mut self) -> Result<u32> {
        self.session.reap(0, &mut self.landed)?;
        self.collect();
        Ok(0)
    }

    fn reap(&mut self, min: u32, max: u32, done: &mut Vec<LaneDone>) -> Result<()> {
        let missing = (min as usize).saturating_sub(self.finished.len());
        if missing > 0 || self.finished.is_empty() {
            self.session.reap(missing, &mut self.landed)?;
            self.collect();
        }
        let count = self.finished.len().min(max as usize);
        done.extend(self.finished.drain(..count));
        Ok(())
    }

    fn cancel(&mut self) {
        while self.in_flight > 0 {
            if self.session.reap(self.in_flight, &mut self.landed).is_err() || self.landed.is_empty() {
                break;
            }
            self.collect();
        }
        self.finished.clear();
        for file in &mut self.files {
            if let Some(id) = file.id.take() {
                drop(self.session.abandon(id));
            }
        }
        let missing = self.buffers.iter_mut().filter(|buffer| buffer.is_none());
        missing.for_each(|buffer| *buffer = Some(Buffer::new(self.slot_bytes)));
        self.in_flight = 0;
    }
}
