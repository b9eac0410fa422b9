//! `mem:`, files in this process's memory: a complete store to prove the engine on, with every ability.
//!
//! Shared by all sessions of one target, gone with it. Not a benchmark of memory: one lock guards the name space.

use crate::{
    Capabilities, Completion, Cursor, Entry, Error, ErrorKind, FileId, Io, IoKind, OpenMode, OpenOptions, Page, Probe,
    Result, Session, Stat, Target, relative,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const PAGE_ENTRIES: usize = 1000;

type Bytes = Arc<Mutex<Vec<u8>>>;

#[derive(Debug, Default)]
struct Names {
    files: BTreeMap<String, Bytes>,
    directories: BTreeSet<String>,
}

#[derive(Debug, Default)]
struct Store {
    names: Mutex<Names>,
    interrupted: AtomicBool,
}

/// The target `mem:`.
#[derive(Clone, Debug, Default)]
pub struct MemTarget(Arc<Store>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn error(kind: ErrorKind, operation: &'static str, path: &str, detail: &str) -> Error {
    Error::new(kind, "mem", operation, format!("mem:{path}"), detail)
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

impl Names {
    fn is_directory(&self, path: &str) -> bool {
        path.is_empty() || self.directories.contains(path)
    }

    fn file(&self, operation: &'static str, path: &str) -> Result<Bytes> {
        if self.is_directory(path) {
            return Err(error(ErrorKind::WrongType, operation, path, "it is a directory"));
        }
        self.files.get(path).cloned().ok_or_else(|| error(ErrorKind::NotFound, operation, path, "no such file"))
    }

    fn place_for_file(&self, operation: &'static str, path: &str) -> Result<()> {
        if self.is_directory(path) {
            return Err(error(ErrorKind::WrongType, operation, path, "it is a directory"));
        }
        match self.is_directory(parent(path)) {
            true => Ok(()),
            false => Err(error(ErrorKind::NotFound, operation, path, "no such directory")),
        }
    }
}

impl Target for MemTarget {
    fn scheme(&self) -> &'static str {
        "mem"
    }

    fn uri(&self) -> String {
        "mem:".into()
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
            page_cache: false,
            parallel_reads: true,
            upload_bytes_max: 0,
        }
    }

    fn facts(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn session(&self, _probe: Rc<dyn Probe>) -> Result<Box<dyn Session>> {
        Ok(Box::new(MemSession { store: self.0.clone(), open: HashMap::new(), next: 0, done: Vec::new() }))
    }

    fn interrupt(&self) {
        self.0.interrupted.store(true, Ordering::Relaxed);
    }

    fn resume(&self) {
        self.0.interrupted.store(false, Ordering::Relaxed);
    }
}

struct OpenFile {
    path: String,
    bytes: Bytes,
    created: bool,
    writable: bool,
}

struct MemSession {
    store: Arc<Store>,
    open: HashMap<FileId, OpenFile>,
    next: u32,
    done: Vec<Completion>,
}

impl MemSession {
    fn go(&self, operation: &'static str, path: &str) -> Result<()> {
        match self.store.interrupted.load(Ordering::Relaxed) {
            true => Err(Error::interrupted("mem", operation, format!("mem:{path}"))),
            false => Ok(()),
        }
    }

    fn names(&self, operation: &'static str, path: &str) -> Result<MutexGuard<'_, Names>> {
        self.go(operation, path)?;
        relative("mem", operation, path)?;
        Ok(lock(&self.store.names))
    }

    fn opened(&self, operation: &'static str, file: FileId) -> Result<&OpenFile> {
        self.open
            .get(&file)
            .ok_or_else(|| error(ErrorKind::Invalid, operation, &format!("file {}", file.0), "it is not open"))
    }

    fn transfer(&self, io: &mut Io) -> Result<usize> {
        let file = self.opened("transfer", io.file)?;
        self.go("transfer", &file.path)?;
        let mut bytes = lock(&file.bytes);
        let start = usize::try_from(io.offset).unwrap_or(usize::MAX);
        match io.kind {
            IoKind::Sync => Ok(0),
            IoKind::Read => {
                let from = bytes.get(start..).unwrap_or(&[]);
                let count = io.len.min(from.len());
                io.buffer.as_mut()[..count].copy_from_slice(&from[..count]);
                Ok(count)
            }
            IoKind::Write if !file.writable => {
                Err(error(ErrorKind::Invalid, "write", &file.path, "it is open for reading only"))
            }
            IoKind::Write => {
                let end = start + io.len;
                if bytes.len() < end {
                    bytes.resize(end, 0);
                }
                bytes[start..end].copy_from_slice(&io.buffer.as_ref()[..io.len]);
                Ok(io.len)
            }
        }
    }
}

impl Session for MemSession {
    fn stat(&mut self, path: &str) -> Result<Stat> {
        let names = self.names("stat", path)?;
        if names.is_directory(path) {
            return Ok(Stat { size: 0, directory: true });
        }
        let file = names.file("stat", path)?;
        let size = lock(&file).len() as u64;
        Ok(Stat { size, directory: false })
    }

    fn exists(&mut self, path: &str) -> Result<bool> {
        let names = self.names("stat", path)?;
        Ok(names.is_directory(path) || names.files.contains_key(path))
    }

    fn list(&mut self, path: &str, from: Option<Cursor>) -> Result<Page> {
        let names = self.names("list", path)?;
        if !names.is_directory(path) {
            return Err(error(ErrorKind::NotFound, "list", path, "no such directory"));
        }
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        let begin = from.map_or(Bound::Included(prefix.clone()), |Cursor(last)| Bound::Excluded(last));
        let mut found = names.files.range((begin, Bound::Unbounded)).take_while(|(name, _)| name.starts_with(&prefix));
        let entries: Vec<Entry> = found
            .by_ref()
            .take(PAGE_ENTRIES)
            .map(|(name, bytes)| Entry { path: name.clone(), size: lock(bytes).len() as u64 })
            .collect();
        let more = found.next().is_some();
        let next = entries.last().filter(|_| more).map(|last| Cursor(last.path.clone()));
        Ok(Page { entries, next })
    }

    fn mkdir(&mut self, path: &str) -> Result<()> {
        let mut names = self.names("mkdir", path)?;
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let chain: Vec<String> = ends.map(|end| path[..end].to_string()).filter(|p| !p.is_empty()).collect();
        if let Some(file) = chain.iter().find(|p| names.files.contains_key(*p)) {
            return Err(error(ErrorKind::WrongType, "mkdir", file, "it is a file"));
        }
        names.directories.extend(chain);
        Ok(())
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        relative("mem", "rename", to)?;
        let mut names = self.names("rename", from)?;
        names.file("rename", from)?;
        names.place_for_file("rename", to)?;
        let Some(bytes) = names.files.remove(from) else {
            return Err(error(ErrorKind::NotFound, "rename", from, "no such file"));
        };
        names.files.insert(to.to_string(), bytes);
        Ok(())
    }

    fn delete(&mut self, path: &str) -> Result<()> {
        let mut names = self.names("delete", path)?;
        if names.files.remove(path).is_some() {
            return Ok(());
        }
        let below = format!("{path}/");
        let used = names.files.keys().chain(&names.directories).any(|name| name.starts_with(&below));
        match (names.directories.contains(path), used) {
            (true, true) => Err(error(ErrorKind::Invalid, "delete", path, "the directory is not empty")),
            (true, false) => {
                names.directories.remove(path);
                Ok(())
            }
            (false, _) => Err(error(ErrorKind::NotFound, "delete", path, "no such file or directory")),
        }
    }

    fn truncate(&mut self, path: &str, size: u64) -> Result<()> {
        let names = self.names("truncate", path)?;
        let file = names.file("truncate", path)?;
        lock(&file).resize(usize::try_from(size).unwrap_or(usize::MAX), 0);
        Ok(())
    }

    fn open(&mut self, path: &str, options: OpenOptions) -> Result<FileId> {
        let mut names = self.names("open", path)?;
        let fresh = match options.mode {
            OpenMode::CreateNew if names.files.contains_key(path) => {
                return Err(error(ErrorKind::AlreadyExists, "create", path, "the file exists"));
            }
            OpenMode::CreateNew | OpenMode::CreateOrReplace => true,
            OpenMode::Read | OpenMode::Append | OpenMode::ReadWrite => false,
        };
        let bytes = if fresh {
            names.place_for_file("create", path)?;
            let bytes = Bytes::default();
            names.files.insert(path.to_string(), bytes.clone());
            bytes
        } else {
            names.file("open", path)?
        };
        drop(names);
        let id = FileId(self.next);
        self.next += 1;
        let writable = options.mode != OpenMode::Read;
        self.open.insert(id, OpenFile { path: path.to_string(), bytes, created: fresh, writable });
        Ok(id)
    }

    fn size(&mut self, file: FileId) -> Result<u64> {
        Ok(lock(&self.opened("stat", file)?.bytes).len() as u64)
    }

    fn submit(&mut self, mut io: Io) -> Result<()> {
        self.opened("submit", io.file)?;
        let result = self.transfer(&mut io);
        self.done.push(Completion { tag: io.tag, result, buffer: io.buffer });
        Ok(())
    }

    fn reap(&mut self, _min: usize, done: &mut Vec<Completion>) -> Result<()> {
        done.append(&mut self.done);
        Ok(())
    }

    fn close(&mut self, file: FileId) -> Result<()> {
        let path = self.opened("close", file)?.path.clone();
        self.go("close", &path)?;
        self.open.remove(&file);
        Ok(())
    }

    fn abandon(&mut self, file: FileId) -> Result<()> {
        if let Some(open) = self.open.remove(&file)
            && open.created
        {
            lock(&self.store.names).files.remove(&open.path);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conforms() {
        crate::conformance::run(&MemTarget::default());
    }
}
