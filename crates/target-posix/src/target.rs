//! The target: what all workers share, the base, the prefetch engine and the interrupt flag.

use crate::base::{Base, Joiner, SCHEME};
use crate::facts;
use crate::ring::Ring;
use crate::session::PosixSession;
use fsbench_target::{Capabilities, Lane, LaneOptions, Probe, Result, Session, Target};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// How several reads get under way at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefetch {
    /// As requests of a ring, one for each session; [`Prefetch::Fadvise`] where the kernel refuses one.
    IoUring,
    /// Each queued range is announced with `posix_fadvise(WILLNEED)` and read in turn. The kernel may read ahead less
    /// than was announced.
    Fadvise,
}

/// What sessions share with their target.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) base: Base,
    prefetch: Prefetch,
    /// Why io_uring is not used although it was wanted; set by the first session or probe that is refused.
    refused: OnceLock<String>,
    interrupted: AtomicBool,
}

impl Shared {
    pub(crate) fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Whether a ring is wanted and none was refused so far.
    pub(crate) fn wants_ring(&self) -> bool {
        self.prefetch == Prefetch::IoUring && self.refused.get().is_none()
    }

    /// A new ring, or `None` for this and all later calls.
    pub(crate) fn ring(&self) -> Option<Ring> {
        if !self.wants_ring() {
            return None;
        }
        Ring::new().map_err(|error| self.refused.get_or_init(|| error.to_string())).ok()
    }
}

/// A directory of a local or mounted file system.
#[derive(Debug)]
pub struct PosixTarget(Arc<Shared>);

impl PosixTarget {
    /// The directory `base`, which need not exist: `mkdir("")` of a session makes it, with its parents. Nothing is
    /// written here.
    ///
    /// # Errors
    /// [`fsbench_target::ErrorKind::WrongType`] when a file stands at `base` or above it, naming that file; denied when
    /// it cannot be looked at.
    pub fn open(base: &Path) -> Result<Self> {
        Ok(Self::new(Base::new(base)?, Prefetch::IoUring))
    }

    /// Chooses how reads are prefetched, instead of the best that the kernel permits. Call it before the
    /// first session is opened: it makes a target of its own, with its own interrupt.
    #[must_use]
    pub fn with_prefetch(self, prefetch: Prefetch) -> Self {
        Self::new(self.0.base.clone(), prefetch)
    }

    fn new(base: Base, prefetch: Prefetch) -> Self {
        Self(Arc::new(Shared { base, prefetch, refused: OnceLock::new(), interrupted: AtomicBool::new(false) }))
    }

    fn prefetch_facts(&self) -> Vec<(String, String)> {
        let engine = self.0.ring().map_or("fadvise", |_| "io_uring");
        let mut facts = vec![("prefetch".to_string(), engine.to_string())];
        if let Some(reason) = self.0.refused.get() {
            facts.push(("io_uring refused".into(), reason.clone()));
        }
        facts
    }
}

impl Target for PosixTarget {
    fn scheme(&self) -> &'static str {
        SCHEME
    }

    fn uri(&self) -> String {
        self.0.base.uri().to_string()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            random_write: true,
            append: true,
            truncate: true,
            sync: true,
            atomic_rename: true,
            rename_refuses_existing: false,
            directories: true,
            page_cache: true,
            parallel_reads: true,
            upload_bytes_max: 0,
        }
    }

    fn facts(&self) -> Vec<(String, String)> {
        let mut facts = facts::of(self.0.base.path());
        facts.extend(self.prefetch_facts());
        facts
    }

    fn session(&self, probe: Rc<dyn Probe>) -> Result<Box<dyn Session>> {
        Ok(Box::new(PosixSession::new(self.0.clone(), probe)))
    }

    fn lane(&self, options: &LaneOptions, _: Rc<dyn Probe>) -> Result<Option<Box<dyn Lane>>> {
        crate::lane::make(&self.0, options)
    }

    fn guard_write(&self, path: &str) -> Result<()> {
        let mut joiner = Joiner::default();
        crate::guard::check(&self.0.base, path, joiner.join(&self.0.base, "write to", path)?)
    }

    fn interrupt(&self) {
        self.0.interrupted.store(true, Ordering::Relaxed);
    }

    fn resume(&self) {
        self.0.interrupted.store(false, Ordering::Relaxed);
    }
}
