//! Before the jobs start: their files are there, as large as they must be, and nothing is touched that must not be.
//!
//! What a job will read is written in full where it is missing; an existing file is extended, never rewritten. What it
//! will only write is created and its space reserved. One file after the other, as fio does it by default.

use super::blocks::Extent;
use super::fill::Filler;
use super::lanes::lane;
use fsbench_model::Bytes;
use fsbench_model::job::{Allocate as How, EngineName, Job, JobFile, Mode};
use fsbench_target::{
    Allocate, Error, ErrorKind, Lane, LaneAccess, LaneEngine, LaneKind, LaneOptions, LaneRequest, NoProbe, Result,
    Session, Started, Target,
};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The size of a file that is written until nothing more fits.
const ENDLESS: u64 = 1 << 60;
/// Bytes of one write while laying out.
const CHUNK: u32 = 1 << 20;
/// For lanes that move no data.
const SMALL: u32 = 4096;

/// The files of one job, ready.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ready {
    /// The part of each file that the job works on.
    pub(crate) extents: Vec<Extent>,
    /// Files that this run created.
    pub(crate) created: Vec<bool>,
}

/// Lays out for all jobs of a phase.
pub(crate) struct Layouter<'a> {
    target: &'a dyn Target,
    session: Box<dyn Session>,
    /// Says what takes time.
    tell: &'a dyn Fn(String),
    stopped: &'a dyn Fn() -> bool,
    /// What this run created, shared by jobs that use the same file.
    created: &'a mut BTreeSet<String>,
    /// What names are shown with before them.
    root: String,
    /// Sizes that are known.
    sizes: BTreeMap<String, Option<u64>>,
}

fn reads(job: &Job) -> bool {
    let verifies = job.verify.as_ref().is_some_and(|verify| verify.only);
    matches!(job.pattern.mode, Mode::Read | Mode::ReadWrite | Mode::Trim | Mode::TrimWrite) || verifies
}

fn writes(job: &Job) -> bool {
    let verifies = job.verify.as_ref().is_some_and(|verify| verify.only);
    !matches!(job.pattern.mode, Mode::Read) && !verifies
}

fn invalid(job: &Job, path: &str, detail: impl Into<String>) -> Error {
    Error::new(ErrorKind::Invalid, "job", "prepare", format!("{path} of job {}", job.name), detail)
}

impl<'a> Layouter<'a> {
    pub(crate) fn new(
        target: &'a dyn Target,
        tell: &'a dyn Fn(String),
        stopped: &'a dyn Fn() -> bool,
        created: &'a mut BTreeSet<String>,
    ) -> Result<Self> {
        let session = target.session(Rc::new(NoProbe))?;
        Ok(Self { target, session, tell, stopped, created, root: root_of(target), sizes: BTreeMap::new() })
    }

    /// Makes the files of `job` ready.
    ///
    /// # Errors
    /// What is missing, and what to do; what was created stays in the list of created files.
    pub(crate) fn job(&mut self, job: &Job) -> Result<Ready> {
        let mut ready = Ready::default();
        if job.engine.name == EngineName::Null {
            for file in &job.files {
                let size = file.size.ok_or_else(|| invalid(job, &file.path, "you need to specify size="))?;
                let size = if job.pattern.unaligned { size.0 } else { size.0 / smallest(job) * smallest(job) };
                if file.offset.0.checked_add(size).is_none_or(|end| end > i64::MAX as u64) {
                    return Err(invalid(job, &file.path, "offset and size are more than a file can have"));
                }
                ready.extents.push(Extent { offset: file.offset.0, size });
                ready.created.push(false);
            }
            return Ok(ready);
        }
        let missing = self.missing(job)?;
        if missing > 0 {
            let count = if missing == 1 { "1 file".to_string() } else { format!("{missing} files") };
            let total: u64 = job.files.iter().filter_map(|file| file.size).map(|size| size.0).sum();
            (self.tell)(format!("{}: Laying out IO file{} ({count} / {}MiB)", job.name, plural(missing), total >> 20));
        }
        for file in &job.files {
            let (extent, created) = self.file(job, file)?;
            ready.extents.push(extent);
            ready.created.push(created);
        }
        Ok(ready)
    }

    /// Size of a name, `None` when it is not there. Devices have the size of the device.
    fn size(&mut self, path: &str) -> Result<Option<u64>> {
        if let Some(size) = self.sizes.get(path) {
            return Ok(*size);
        }
        let size = match self.session.stat(path) {
            Ok(stat) if stat.directory => {
                return Err(Error::new(ErrorKind::WrongType, "job", "use", self.shown(path), "it is a directory")
                    .with_hint("directory= takes directories, filename= files"));
            }
            Ok(stat) if stat.size > 0 => Some(stat.size),
            Ok(_) => Some(self.opened_size(path)?),
            Err(error) if error.kind == ErrorKind::NotFound => None,
            // A symbolic link, or whatever a session does not look at: opening it will tell.
            Err(error) if error.kind == ErrorKind::WrongType => Some(self.opened_size(path)?),
            Err(error) => return Err(error),
        };
        self.sizes.insert(path.to_string(), size);
        Ok(size)
    }

    fn shown(&self, path: &str) -> String {
        format!("{}{path}", self.root)
    }

    fn opened_size(&mut self, path: &str) -> Result<u64> {
        let mut lane = self.lane(SMALL)?;
        let file = lane.declare(path)?;
        lane.open(file, LaneAccess { read: true, ..LaneAccess::default() })?;
        let size = lane.size(file)?;
        lane.close(file)?;
        Ok(size)
    }

    /// A lane for one request of up to `slot_bytes` at a time.
    fn lane(&self, slot_bytes: u32) -> Result<Box<dyn Lane>> {
        let options =
            LaneOptions { engine: LaneEngine::Psync, depth: 1, slot_bytes, align: 4096, ..LaneOptions::default() };
        lane(self.target, &options, Rc::new(NoProbe))
    }

    /// How many files of `job` have to be made or grown.
    fn missing(&mut self, job: &Job) -> Result<usize> {
        if job.layout.on_open || is_of_names(job) == Some(EngineName::Filecreate) {
            return Ok(0);
        }
        let mut missing = 0;
        for file in &job.files {
            let size = self.size(&file.path)?;
            let needed = file.offset.0.saturating_add(file.size.map_or(0, |size| size.0));
            missing += usize::from(size.is_none_or(|size| size < needed && !self.is_device(&file.path)));
        }
        Ok(missing)
    }

    fn is_device(&self, path: &str) -> bool {
        self.target.scheme() == "posix" && path.starts_with("dev/") && !path.starts_with("dev/shm/")
    }

    fn file(&mut self, job: &Job, file: &JobFile) -> Result<(Extent, bool)> {
        let existing = self.size(&file.path)?;
        if writes(job) && !job.layout.allow_mounted {
            self.target.guard_write(&file.path)?;
        }
        if let Some(names) = is_of_names(job) {
            return self.name(job, file, names, existing).map(|created| (Extent { offset: 0, size: 1 }, created));
        }
        let (extent, needed) = extent(job, file, existing)?;
        if !self.target.capabilities().random_write {
            return self.stored(job, file, existing, extent).map(|created| (extent, created));
        }
        let in_full = reads(job) || job.layout.overwrite || job.layout.pre_read;
        if existing.is_none() {
            self.may_create(job, &file.path)?;
        }
        if let (true, Some(size)) = (job.replay.is_some(), existing) {
            // A trace is replayed on the files as they are.
            if size < needed && reads(job) && !self.is_device(&file.path) {
                let detail = format!("it has {size} bytes, and the trace goes up to {needed}");
                return Err(
                    invalid(job, &self.shown(&file.path), detail).with_hint("replay_redirect= names another file")
                );
            }
            return Ok((extent, self.created.contains(&file.path)));
        }
        let later = job.layout.on_open && !in_full;
        if !later && existing.is_none_or(|size| size < needed) && !self.is_device(&file.path) && !job.layout.fill_device
        {
            self.grow(job, &file.path, (existing.unwrap_or(0), needed), in_full)?;
        }
        if job.layout.pre_read {
            self.read(&file.path, needed)?;
        }
        Ok((extent, self.created.contains(&file.path)))
    }

    /// Reads a file once, so that it is in the page cache.
    fn read(&self, path: &str, bytes: u64) -> Result<()> {
        let mut lane = self.lane(CHUNK)?;
        let file = lane.declare(path)?;
        lane.open(file, LaneAccess { read: true, ..LaneAccess::default() })?;
        let mut offset = 0;
        while offset < bytes && !(self.stopped)() {
            let len = (bytes - offset).min(u64::from(CHUNK)) as u32;
            match done(lane.as_mut(), &LaneRequest { offset, len, slot: 0, file, kind: LaneKind::Read })? {
                0 => break,
                count => offset += u64::from(count),
            }
        }
        lane.close(file)
    }

    /// A file that may not be there yet: its directory must be.
    fn may_create(&mut self, job: &Job, path: &str) -> Result<()> {
        if !job.layout.create {
            return Err(Error::new(
                ErrorKind::NotFound,
                "job",
                "open",
                self.shown(path),
                "no such file, and allow_file_create=0",
            ));
        }
        self.created.insert(path.to_string());
        let Some((parent, _)) = path.rsplit_once('/') else { return Ok(()) };
        match self.session.stat(parent) {
            Err(error) if error.kind == ErrorKind::NotFound && job.layout.mkdir => self.session.mkdir(parent),
            Err(error) if error.kind == ErrorKind::NotFound && self.target.capabilities().directories => {
                Err(error.with_hint("the directory is missing; --mkdir makes it"))
            }
            _ => Ok(()),
        }
    }

    /// Makes a file `to` bytes long, with content when it will be read.
    fn grow(&mut self, job: &Job, path: &str, (from, to): (u64, u64), in_full: bool) -> Result<()> {
        let mut lane = self.lane(CHUNK)?;
        let file = lane.declare(path)?;
        lane.open(file, LaneAccess { read: true, write: true, create: true, ..LaneAccess::default() })?;
        match job.layout.allocate {
            How::None => {}
            How::Native => lane.allocate(file, Allocate::Native, to)?,
            How::Posix => lane.allocate(file, Allocate::Posix, to)?,
            How::Keep => lane.allocate(file, Allocate::Keep, to)?,
            How::Truncate => lane.allocate(file, Allocate::Truncate, to)?,
        }
        if in_full {
            if let Err(error) = self.write(job, lane.as_mut(), file, (from, to)) {
                // Nobody shall take it for a whole one.
                drop(lane.allocate(file, Allocate::Truncate, from));
                drop(lane.close(file));
                if self.created.remove(path) {
                    drop(self.session.delete(path));
                }
                return Err(error);
            }
            if job.layout.fsync {
                done(lane.as_mut(), &LaneRequest { offset: 0, len: 0, slot: 0, file, kind: LaneKind::Sync })?;
            }
        } else if lane.size(file)? < to && job.layout.allocate != How::Keep {
            lane.allocate(file, Allocate::Truncate, to)?;
        }
        lane.close(file)?;
        self.sizes.insert(path.to_string(), Some(to));
        Ok(())
    }

    fn write(&self, job: &Job, lane: &mut dyn Lane, file: u32, (from, to): (u64, u64)) -> Result<()> {
        let mut filler = Filler::new(&job.data, job.pattern.seed ^ 0x6c61_796f_7574, CHUNK, to);
        filler.prime(lane.buffer(0));
        let mut offset = from;
        while offset < to {
            if (self.stopped)() {
                return Err(Error::interrupted("job", "lay out", job.name.clone()));
            }
            let len = (to - offset).min(u64::from(CHUNK)) as u32;
            filler.fill(&mut lane.buffer(0)[..len as usize], offset, offset / u64::from(CHUNK));
            let count = done(lane, &LaneRequest { offset, len, slot: 0, file, kind: LaneKind::Write })?;
            if count == 0 {
                return Err(invalid(job, "a file", "a write moved nothing"));
            }
            offset += u64::from(count);
        }
        Ok(())
    }

    /// Files of stores that write whole files, in order, once.
    fn stored(&mut self, job: &Job, file: &JobFile, existing: Option<u64>, extent: Extent) -> Result<bool> {
        let needed = extent.offset + extent.size;
        match (existing, writes(job)) {
            (Some(_), true) if !job.layout.allow_mounted => {
                Err(Error::new(ErrorKind::AlreadyExists, "job", "write", self.shown(&file.path), "it exists already")
                    .with_hint("this store replaces whole files: delete it first, or say --allow-destroy"))
            }
            (_, true) => {
                self.created.insert(file.path.clone());
                Ok(true)
            }
            (Some(size), false) if size >= needed => Ok(self.created.contains(&file.path)),
            (Some(size), false) => {
                let detail = format!("it has {size} bytes and the job reads {needed}");
                Err(invalid(job, &file.path, detail).with_hint("this store cannot extend a file: delete it first"))
            }
            (None, false) => self.store(job, file, needed).map(|()| true),
        }
    }

    fn store(&mut self, job: &Job, file: &JobFile, bytes: u64) -> Result<()> {
        self.may_create(job, &file.path)?;
        let mut lane = self.lane(CHUNK)?;
        let index = lane.declare(&file.path)?;
        lane.open(index, LaneAccess { write: true, create: true, stream_bytes: bytes, ..LaneAccess::default() })?;
        let written = self.write(job, lane.as_mut(), index, (0, bytes));
        if written.is_err() {
            lane.cancel();
        }
        written?;
        lane.close(index)?;
        self.sizes.insert(file.path.clone(), Some(bytes));
        Ok(())
    }

    /// Files of the engines that work on names.
    fn name(&mut self, job: &Job, file: &JobFile, engine: EngineName, existing: Option<u64>) -> Result<bool> {
        match (engine, existing) {
            (EngineName::Filecreate, None) => self.may_create(job, &file.path).map(|()| true),
            (EngineName::Filecreate, Some(_)) if self.created.contains(&file.path) => Ok(true),
            (EngineName::Filecreate, Some(_)) => {
                Err(Error::new(ErrorKind::AlreadyExists, "job", "create", self.shown(&file.path), "it exists already")
                    .with_hint("use an empty directory"))
            }
            (EngineName::Filedelete, Some(_)) if !self.created.contains(&file.path) && !job.layout.allow_mounted => {
                Err(Error::new(
                    ErrorKind::AlreadyExists,
                    "job",
                    "delete",
                    file.path.clone(),
                    "this run did not make it",
                )
                .with_hint("use an empty directory, or --allow-destroy"))
            }
            (_, Some(_)) => Ok(self.created.contains(&file.path)),
            (_, None) => {
                self.may_create(job, &file.path)?;
                let mut lane = self.lane(SMALL)?;
                let index = lane.declare(&file.path)?;
                lane.open(index, LaneAccess { write: true, create: true, ..LaneAccess::default() })?;
                let size = file.size.unwrap_or(Bytes(0)).0;
                if size > 0 && self.target.capabilities().random_write {
                    lane.allocate(index, Allocate::Truncate, size)?;
                }
                lane.close(index)?;
                self.sizes.insert(file.path.clone(), Some(size));
                Ok(true)
            }
        }
    }
}

/// What a target's names are shown with before them.
pub(crate) fn root_of(target: &dyn Target) -> String {
    if target.scheme() == "posix" { "/".into() } else { format!("{}/", target.uri().trim_end_matches('/')) }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn is_of_names(job: &Job) -> Option<EngineName> {
    Some(job.engine.name).filter(|name| name.is_of_names())
}

/// Looks at all files of all jobs before anything is touched: directories that are missing, devices that are in use,
/// traces that cannot be read.
///
/// # Errors
/// What the user has to change.
pub(crate) fn preflight(jobs: &[&Job], target: &dyn Target) -> Result<()> {
    let mut session = target.session(Rc::new(NoProbe))?;
    let mut known = BTreeSet::new();
    for job in jobs.iter().filter(|job| job.engine.name != EngineName::Null) {
        let (job, _) = super::replay::expand(job)?;
        for file in &job.files {
            if writes(&job) && !job.layout.allow_mounted && known.insert(file.path.clone()) {
                target.guard_write(&file.path)?;
            }
            let Some((parent, _)) = file.path.rsplit_once('/') else { continue };
            if job.layout.mkdir || !target.capabilities().directories || !known.insert(parent.to_string()) {
                continue;
            }
            if !target.capabilities().random_write {
                // A store that makes directories by itself.
                continue;
            }
            match session.stat(parent) {
                Err(error) if error.kind == ErrorKind::NotFound => {
                    return Err(error.with_hint("the directory is missing; --mkdir makes it"));
                }
                Err(error) if error.kind != ErrorKind::WrongType => return Err(error),
                Ok(stat) if !stat.directory => {
                    let path = format!("{}{parent}", root_of(target));
                    return Err(Error::new(ErrorKind::WrongType, "job", "use", path, "it is a file, not a directory"));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// One request on a lane of depth 1, to its end.
pub(crate) fn done(lane: &mut dyn Lane, request: &LaneRequest) -> Result<u32> {
    match lane.start(request) {
        Started::Done(result) => result.map_err(|error| *error),
        Started::Busy => Err(Error::new(ErrorKind::Other, "job", "start a request on", "the lane", "it is busy")),
        Started::Queued => {
            let mut landed = Vec::with_capacity(1);
            lane.submit()?;
            lane.reap(1, 1, &mut landed)?;
            let missing = || Error::interrupted("job", "wait for", "a request");
            landed.pop().ok_or_else(missing)?.result.map_err(|error| *error)
        }
    }
}

/// The part of a file that a job works on, and how large the file has to be for it.
fn extent(job: &Job, file: &JobFile, existing: Option<u64>) -> Result<(Extent, u64)> {
    let whole = existing.unwrap_or(0);
    let share = |percent: u32| (u128::from(whole) * u128::from(percent) / 100) as u64;
    let block = [0, 1, 2].map(|of: usize| job.pattern.blocks[of].min()).into_iter().max().unwrap_or(1).max(1);
    let offset = file.offset_percent.map_or(file.offset.0, |percent| share(percent) / block * block);
    let offset = if job.layout.append { whole.saturating_add(offset) } else { offset };
    let size = match (file.size, file.size_percent) {
        (Some(size), _) => size.0,
        (None, Some(percent)) => share(percent) / block * block,
        (None, None) if job.layout.fill_device => ENDLESS,
        (None, None) => whole.saturating_sub(offset),
    };
    let size = match file.size_percent.is_some() || file.offset_percent.is_some() {
        true if existing.is_some() => size.min(whole.saturating_sub(offset)),
        _ => size,
    };
    if offset.checked_add(size).is_none_or(|end| end > i64::MAX as u64) {
        return Err(invalid(job, &file.path, format!("offset {offset} and size {size} are more than a file can have")));
    }
    if size == ENDLESS && job.pattern.random {
        return Err(invalid(job, &file.path, "random writes with fill_device need a size="));
    }
    if size == 0 {
        let detail = "you need to specify size=: the file is missing, empty or ends before the offset";
        return Err(invalid(job, &file.path, detail));
    }
    // As in fio, what is less than the smallest block is left out.
    let whole_blocks = if job.pattern.unaligned { size } else { size / smallest(job) * smallest(job) };
    if whole_blocks == 0 {
        let detail = format!("its {size} bytes are less than the smallest block, {}", smallest(job));
        return Err(invalid(job, &file.path, detail));
    }
    Ok((Extent { offset, size: whole_blocks }, offset + size))
}

/// The smallest block of a job's directions.
fn smallest(job: &Job) -> u64 {
    let used: &[usize] = match job.pattern.mode {
        Mode::Read => &[0],
        Mode::Write => &[1],
        Mode::Trim => &[2],
        Mode::ReadWrite => &[0, 1],
        Mode::TrimWrite => &[1, 2],
    };
    used.iter().map(|of| job.pattern.blocks[*of].min()).min().unwrap_or(1).max(1)
}
