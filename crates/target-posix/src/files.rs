//! The open files of one session, found by id without hashing, and the close that reports.
#![allow(unsafe_code)]

use fsbench_target::FileId;
use rustix::fd::{IntoRawFd, OwnedFd};
use rustix::io::Errno;

/// Low bits of an id are the slot, the others say how often that slot was used before: a stale id is noticed.
const SLOT_BITS: u32 = 20;
const SLOTS_MAX: usize = 1 << SLOT_BITS;

/// One open file.
#[derive(Debug)]
pub(crate) struct OpenFile {
    /// Name relative to the base.
    pub(crate) path: String,
    /// `None` after a close that failed.
    pub(crate) fd: Option<OwnedFd>,
    /// The size when it was opened for reading; `None` in the other modes.
    pub(crate) size: Option<u64>,
    /// Whether this open created or emptied it, so that abandoning deletes it.
    pub(crate) created: bool,
}

#[derive(Debug, Default)]
struct Slot {
    uses: u32,
    file: Option<OpenFile>,
}

/// A table of open files.
#[derive(Debug, Default)]
pub(crate) struct Files {
    slots: Vec<Slot>,
    free: Vec<usize>,
}

fn slot_of(id: FileId) -> usize {
    id.0 as usize & (SLOTS_MAX - 1)
}

/// `close(2)`, whose error may be the first news of a write that failed (NFS, quotas).
pub(crate) fn close(fd: OwnedFd) -> rustix::io::Result<()> {
    // SAFETY: the descriptor was owned, and nobody uses it after this; on Linux it is gone even when close fails.
    match unsafe { libc::close(fd.into_raw_fd()) } {
        0 => Ok(()),
        _ => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)),
    }
}

impl Files {
    /// Takes a file in; `None` when the table is full.
    pub(crate) fn insert(&mut self, file: OpenFile) -> Option<FileId> {
        let index = match self.free.pop() {
            Some(index) => index,
            None if self.slots.len() == SLOTS_MAX => return None,
            None => {
                self.slots.push(Slot::default());
                self.slots.len() - 1
            }
        };
        let slot = &mut self.slots[index];
        slot.file = Some(file);
        Some(FileId((slot.uses << SLOT_BITS) | index as u32))
    }

    fn slot(&self, id: FileId) -> Option<&Slot> {
        self.slots.get(slot_of(id)).filter(|slot| (slot.uses << SLOT_BITS) | slot_of(id) as u32 == id.0)
    }

    pub(crate) fn find(&self, id: FileId) -> Option<&OpenFile> {
        self.slot(id)?.file.as_ref()
    }

    pub(crate) fn find_mut(&mut self, id: FileId) -> Option<&mut OpenFile> {
        self.slot(id)?;
        self.slots[slot_of(id)].file.as_mut()
    }

    pub(crate) fn remove(&mut self, id: FileId) -> Option<OpenFile> {
        let file = self.find_mut(id).is_some().then(|| self.slots[slot_of(id)].file.take())??;
        self.slots[slot_of(id)].uses += 1;
        self.free.push(slot_of(id));
        Some(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> OpenFile {
        OpenFile { path: path.into(), fd: None, size: None, created: false }
    }

    #[test]
    fn slots_are_used_again_under_new_ids() {
        let mut files = Files::default();
        let first = files.insert(file("a")).unwrap();
        let second = files.insert(file("b")).unwrap();
        assert_eq!(files.remove(first).unwrap().path, "a");
        let third = files.insert(file("c")).unwrap();
        assert_eq!(slot_of(third), slot_of(first));
        assert!(files.find(first).is_none() && files.remove(first).is_none());
        assert_eq!(files.find(second).unwrap().path, "b");
        assert_eq!(files.find(third).unwrap().path, "c");
    }

    #[test]
    fn ids_survive_many_uses_of_a_slot() {
        let mut files = Files::default();
        for _ in 0..10_000 {
            let id = files.insert(file("a")).unwrap();
            assert!(files.remove(id).is_some());
        }
    }
}
