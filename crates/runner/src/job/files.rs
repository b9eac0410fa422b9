//! A job's files on its lane: opened when they are needed, not more at once than allowed.

use super::blocks::Extent;
use fsbench_model::job::{Advice, EngineName, Job, Mode};
use fsbench_target::{Error, Lane, LaneAccess, LaneKind, Result};
use std::collections::VecDeque;

/// Which files are open.
pub(crate) struct Files {
    open: Vec<bool>,
    /// Open files, the oldest first.
    order: VecDeque<u32>,
    open_max: usize,
    /// Whether the store takes whole files, in order.
    streams: bool,
    extents: Vec<Extent>,
    names: Option<LaneKind>,
}

impl Files {
    /// Declares the files of `job` on its lane; engines that work on names need nothing open.
    pub(crate) fn declare(job: &Job, lane: &mut dyn Lane, extents: &[Extent], streams: bool) -> Result<Self> {
        for file in &job.files {
            lane.declare(&file.path)?;
        }
        let names = match job.engine.name {
            EngineName::Filecreate => Some(LaneKind::Create),
            EngineName::Filestat => Some(LaneKind::Stat),
            EngineName::Filedelete => Some(LaneKind::Delete),
            _ => None,
        };
        let open_max = (job.open_files_max.max(1) as usize).min(job.files.len().max(1));
        let open = vec![names.is_some(); job.files.len()];
        Ok(Self { open, order: VecDeque::new(), open_max, streams, extents: extents.to_vec(), names })
    }

    /// What every request does, for engines that work on names.
    #[inline]
    pub(crate) fn kind_of_names(&self) -> Option<LaneKind> {
        self.names
    }

    #[inline]
    pub(crate) fn is_open(&self, file: u32) -> bool {
        self.open[file as usize]
    }

    /// The file to close before another is opened: the one that has been open longest, when that would be too many.
    pub(crate) fn in_the_way(&self) -> Option<u32> {
        (self.order.len() >= self.open_max).then(|| self.order.front().copied()).flatten()
    }

    /// Closes a file that has nothing in flight.
    pub(crate) fn close_one(&mut self, file: u32, lane: &mut dyn Lane) -> Result<()> {
        self.order.retain(|open| *open != file);
        self.open[file as usize] = false;
        lane.close(file)
    }

    /// Opens a file.
    pub(crate) fn open(&mut self, file: u32, lane: &mut dyn Lane, job: &Job) -> Result<()> {
        let access = self.access(file, job);
        lane.open(file, access)?;
        self.open[file as usize] = true;
        self.order.push_back(file);
        if job.layout.invalidate && !access.create && !job.layout.pre_read {
            lane.invalidate(file)?;
        }
        Ok(())
    }

    fn access(&self, file: u32, job: &Job) -> LaneAccess {
        let verifies = job.verify.is_some();
        let extent = self.extents[file as usize];
        let write = !matches!(job.pattern.mode, Mode::Read) && !job.verify.as_ref().is_some_and(|verify| verify.only);
        let read = matches!(job.pattern.mode, Mode::Read | Mode::ReadWrite) || verifies && !self.streams;
        LaneAccess {
            read,
            write,
            create: write && (job.layout.on_open || job.layout.fill_device),
            stream_bytes: if self.streams && write { extent.offset + extent.size } else { 0 },
            random: match job.layout.advice {
                Advice::None | Advice::Noreuse => None,
                Advice::Pattern => Some(job.pattern.random),
                Advice::Random => Some(true),
                Advice::Sequential => Some(false),
            },
            once: job.layout.advice == Advice::Noreuse,
            bytes: extent.offset + extent.size,
        }
    }

    /// Opens what fits, so that opening is not part of the first requests.
    pub(crate) fn open_first(&mut self, lane: &mut dyn Lane, job: &Job) -> Result<()> {
        if self.names.is_some() {
            return Ok(());
        }
        (0..self.open_max as u32).try_for_each(|file| self.open(file, lane, job))
    }

    /// Whether the store takes whole files, in order.
    pub(crate) fn streams(&self) -> bool {
        self.streams
    }

    /// Drops open files from the page cache, where the job wants that: before every pass, as fio does when it opens them
    /// again.
    pub(crate) fn invalidate(&self, lane: &mut dyn Lane, job: &Job) -> Result<()> {
        if !job.layout.invalidate || job.layout.pre_read {
            return Ok(());
        }
        self.order.iter().try_for_each(|file| lane.invalidate(*file))
    }

    /// The files that are open.
    pub(crate) fn opened(&self) -> Vec<u32> {
        self.order.iter().copied().collect()
    }

    /// Closes all; the first error, after all were tried.
    pub(crate) fn close(&mut self, lane: &mut dyn Lane) -> std::result::Result<(), Error> {
        let mut first = Ok(());
        for file in self.order.drain(..) {
            self.open[file as usize] = false;
            let closed = lane.close(file);
            if first.is_ok() {
                first = closed;
            }
        }
        first
    }
}
