//! Decorators: any target with a delay, with faults, or with a limit in front of it. For tests of the engine, and for
//! seeing what a slower or worse store would do to a result.

use crate::{
    Buffer, Capabilities, Completion, Cursor, Error, ErrorKind, FileId, Io, OpenOptions, Page, Probe, Result, Session,
    Stat, Target,
};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Which calls fail, counted over all sessions in the order in which they come.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    /// Calls that succeed first.
    pub after: u64,
    /// Calls that fail then; the ones behind succeed again.
    pub count: u64,
    /// As what they fail.
    pub kind: ErrorKind,
}

/// The slowest that a call may be served.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limit {
    /// Added to every call and every transfer.
    pub delay: Duration,
    /// Bytes per second of each session, 0 for no limit.
    pub bytes_per_second: u64,
}

/// A target behind decorators.
pub struct Decorated {
    inner: Arc<dyn Target>,
    limit: Limit,
    faults: Option<Faults>,
    calls: Arc<AtomicU64>,
}

impl Decorated {
    /// `inner`, as slow as `limit` and as faulty as `faults` say.
    #[must_use]
    pub fn new(inner: Arc<dyn Target>, limit: Limit, faults: Option<Faults>) -> Self {
        Self { inner, limit, faults, calls: Arc::default() }
    }
}

impl Target for Decorated {
    fn scheme(&self) -> &'static str {
        self.inner.scheme()
    }

    fn uri(&self) -> String {
        self.inner.uri()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn facts(&self) -> Vec<(String, String)> {
        self.inner.facts()
    }

    fn session(&self, probe: Rc<dyn Probe>) -> Result<Box<dyn Session>> {
        let inner = self.inner.session(probe)?;
        let scheme = self.inner.scheme();
        Ok(Box::new(DecoratedSession {
            inner,
            scheme,
            limit: self.limit,
            faults: self.faults,
            calls: self.calls.clone(),
        }))
    }

    fn guard_write(&self, path: &str) -> Result<()> {
        self.inner.guard_write(path)
    }

    fn interrupt(&self) {
        self.inner.interrupt();
    }

    fn resume(&self) {
        self.inner.resume();
    }
}

struct DecoratedSession {
    inner: Box<dyn Session>,
    scheme: &'static str,
    limit: Limit,
    faults: Option<Faults>,
    calls: Arc<AtomicU64>,
}

impl DecoratedSession {
    fn pass(&self, operation: &'static str, path: &str, bytes: usize) -> Result<()> {
        let mut delay = self.limit.delay;
        if let Some(ns) = (bytes as u64 * 1_000_000_000).checked_div(self.limit.bytes_per_second) {
            delay += Duration::from_nanos(ns);
        }
        if !delay.is_zero() {
            std::thread::sleep(delay);
        }
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        match self.faults {
            Some(f) if call >= f.after && call - f.after < f.count => {
                Err(Error::new(f.kind, self.scheme, operation, path, "a fault was asked for"))
            }
            _ => Ok(()),
        }
    }
}

impl Session for DecoratedSession {
    fn stat(&mut self, path: &str) -> Result<Stat> {
        self.pass("stat", path, 0)?;
        self.inner.stat(path)
    }

    fn exists(&mut self, path: &str) -> Result<bool> {
        self.pass("stat", path, 0)?;
        self.inner.exists(path)
    }

    fn list(&mut self, path: &str, from: Option<Cursor>) -> Result<Page> {
        self.pass("list", path, 0)?;
        self.inner.list(path, from)
    }

    fn mkdir(&mut self, path: &str) -> Result<()> {
        self.pass("mkdir", path, 0)?;
        self.inner.mkdir(path)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        self.pass("rename", from, 0)?;
        self.inner.rename(from, to)
    }

    fn delete(&mut self, path: &str) -> Result<()> {
        self.pass("delete", path, 0)?;
        self.inner.delete(path)
    }

    fn truncate(&mut self, path: &str, size: u64) -> Result<()> {
        self.pass("truncate", path, 0)?;
        self.inner.truncate(path, size)
    }

    fn abort_unfinished(&mut self, owned: &dyn Fn(&str) -> bool) -> Result<u64> {
        self.inner.abort_unfinished(owned)
    }

    fn open(&mut self, path: &str, options: OpenOptions) -> Result<FileId> {
        self.pass("open", path, 0)?;
        self.inner.open(path, options)
    }

    fn size(&mut self, file: FileId) -> Result<u64> {
        self.inner.size(file)
    }

    fn submit(&mut self, io: Io) -> Result<()> {
        self.inner.submit(io)
    }

    fn reap(&mut self, min: usize, done: &mut Vec<Completion>) -> Result<()> {
        let before = done.len();
        self.inner.reap(min, done)?;
        for completion in &mut done[before..] {
            let bytes = completion.result.as_ref().copied().unwrap_or(0);
            if let Err(fault) = self.pass("transfer", "a file", bytes) {
                completion.result = Err(fault);
            }
        }
        Ok(())
    }

    fn swap_buffer(&mut self, buffer: Buffer) -> Buffer {
        self.inner.swap_buffer(buffer)
    }

    fn close(&mut self, file: FileId) -> Result<()> {
        self.pass("close", "a file", 0)?;
        self.inner.close(file)
    }

    fn abandon(&mut self, file: FileId) -> Result<()> {
        self.inner.abandon(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemTarget, NoProbe};

    #[test]
    fn a_target_behind_harmless_decorators_conforms() {
        crate::conformance::run(&Decorated::new(Arc::new(MemTarget::default()), Limit::default(), None));
    }

    #[test]
    fn exactly_the_asked_calls_fail() {
        let faults = Faults { after: 1, count: 2, kind: ErrorKind::Throttled };
        let target = Decorated::new(Arc::new(MemTarget::default()), Limit::default(), Some(faults));
        let mut session = target.session(Rc::new(NoProbe)).expect("a session");
        let kinds: Vec<_> = (0..4).map(|_| session.exists("a").map_err(|e| e.kind)).collect();
        assert_eq!(kinds, [Ok(false), Err(ErrorKind::Throttled), Err(ErrorKind::Throttled), Ok(false)]);
    }
}
