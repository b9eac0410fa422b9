//! The name space: plain system calls on absolute names.

use crate::base::{Base, Joiner};
use fsbench_target::{ErrorKind, Result, Stat};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawMode};
use rustix::io::{Errno, retry_on_intr};

/// Permissions of new directories and files, less the umask.
const DIRECTORY_MODE: RawMode = 0o777;

/// Whether the last part of a name may be a link: only the base itself, which is the user's own choice.
fn at_flags(path: &str) -> AtFlags {
    if path.is_empty() { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW }
}

/// Names below a base; holds the memory for two of them.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) one: Joiner,
    two: Joiner,
}

impl Names {
    fn look(&mut self, base: &Base, path: &str) -> Result<std::result::Result<rustix::fs::Stat, Errno>> {
        let name = self.one.join(base, "stat", path)?;
        Ok(rustix::fs::statat(CWD, name, at_flags(path)))
    }

    pub(crate) fn stat(&mut self, base: &Base, path: &str) -> Result<Stat> {
        let found = self.look(base, path)?.map_err(|errno| base.fail("stat", path, errno))?;
        match FileType::from_raw_mode(found.st_mode) {
            FileType::Directory => Ok(Stat { size: 0, directory: true }),
            FileType::Symlink => Err(base.fail("stat", path, Errno::LOOP)),
            _ => Ok(Stat { size: found.st_size as u64, directory: false }),
        }
    }

    pub(crate) fn exists(&mut self, base: &Base, path: &str) -> Result<bool> {
        match self.look(base, path)? {
            Ok(_) => Ok(true),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(false),
            Err(errno) => Err(base.fail("stat", path, errno)),
        }
    }

    /// Makes `path` and what is missing above it: from the deepest, as usually only that one is.
    pub(crate) fn mkdir(&mut self, base: &Base, path: &str) -> Result<()> {
        match self.mkdir_one(base, path)? {
            Err(Errno::NOENT) if path.is_empty() => std::fs::create_dir_all(base.path()).map_err(|error| {
                fsbench_target::Error::of_io(crate::base::SCHEME, "make directory", base.name(""), &error)
            }),
            Err(Errno::NOENT) => {
                self.mkdir(base, parent(path))?;
                match self.mkdir_one(base, path)? {
                    Err(Errno::EXIST) => self.must_be_directory(base, path),
                    other => other.map_err(|errno| base.fail("make directory", path, errno)),
                }
            }
            Err(Errno::EXIST) => self.must_be_directory(base, path),
            Err(Errno::NOTDIR) if !path.is_empty() => {
                self.must_be_directory(base, parent(path))?;
                Err(base.fail("make directory", path, Errno::NOTDIR))
            }
            other => other.map_err(|errno| base.fail("make directory", path, errno)),
        }
    }

    fn mkdir_one(&mut self, base: &Base, path: &str) -> Result<std::result::Result<(), Errno>> {
        let name = self.one.join(base, "make directory", path)?;
        Ok(rustix::fs::mkdir(name, Mode::from_raw_mode(DIRECTORY_MODE)))
    }

    /// Refuses a file or a link in `path` or anywhere between it and the base, naming it.
    fn must_be_directory(&mut self, base: &Base, path: &str) -> Result<()> {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for end in ends {
            let part = &path[..end];
            let found = self.look(base, part)?.map_err(|errno| base.fail("make directory", part, errno))?;
            match FileType::from_raw_mode(found.st_mode) {
                FileType::Directory => {}
                FileType::Symlink => return Err(base.fail("make directory", part, Errno::LOOP)),
                _ => {
                    let detail = "it is a file, not a directory";
                    return Err(base.refuse(ErrorKind::WrongType, "make directory", part, detail));
                }
            }
        }
        Ok(())
    }

    pub(crate) fn rename(&mut self, base: &Base, from: &str, to: &str) -> Result<()> {
        let Self { one, two } = self;
        let (old, new) = (one.join(base, "rename", from)?, two.join(base, "rename", to)?);
        if from.is_empty() || to.is_empty() {
            return Err(base.refuse(ErrorKind::Invalid, "rename", from, "the base itself is never renamed"));
        }
        rustix::fs::rename(old, new).map_err(|errno| {
            let mut error = base.fail("rename", from, errno);
            error.detail = format!("to {}: {}", base.name(to), error.detail);
            error
        })
    }

    pub(crate) fn delete(&mut self, base: &Base, path: &str) -> Result<()> {
        let name = self.one.join(base, "delete", path)?;
        let deleted = match rustix::fs::unlink(name) {
            // Linux says ISDIR, POSIX and some file systems PERM.
            Err(first @ (Errno::ISDIR | Errno::PERM)) => match rustix::fs::rmdir(name) {
                Err(Errno::NOTDIR) => Err(first),
                other => other,
            },
            other => other,
        };
        deleted.map_err(|errno| base.fail("delete", path, errno))
    }

    pub(crate) fn truncate(&mut self, base: &Base, path: &str, size: u64) -> Result<()> {
        let name = self.one.join(base, "truncate", path)?;
        let flags = OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        retry_on_intr(|| rustix::fs::open(name, flags, Mode::empty()))
            .and_then(|file| retry_on_intr(|| rustix::fs::ftruncate(&file, size)))
            .map_err(|errno| base.fail("truncate", path, errno))
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}
