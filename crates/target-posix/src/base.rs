//! The base directory: names below it as the kernel wants them, and its errors with names in them.

use fsbench_target::{Error, ErrorKind, Result, relative};
use rustix::io::Errno;
use std::ffi::CStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What `Error::target` and `Target::scheme` say.
pub(crate) const SCHEME: &str = "posix";

/// An absolute directory that need not exist.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    path: PathBuf,
    uri: String,
}

impl Base {
    /// Makes `path` absolute; it may be missing, but must not be a file.
    pub(crate) fn new(path: &Path) -> Result<Self> {
        let fail = |error: &std::io::Error| Error::of_io(SCHEME, "use", path.display().to_string(), error);
        let absolute = std::path::absolute(path).map_err(|error| fail(&error))?;
        let absolute: PathBuf = absolute.components().collect();
        let uri = format!("file://{}", absolute.display().to_string().trim_end_matches('/'));
        let base = Self { path: absolute, uri };
        match std::fs::metadata(&base.path) {
            Ok(found) if found.is_dir() => Ok(base),
            Ok(_) => Err(base.not_a_directory()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(base),
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Err(base.not_a_directory()),
            Err(error) => Err(Error::of_io(SCHEME, "use", base.name(""), &error)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn uri(&self) -> &str {
        &self.uri
    }

    /// A name as errors show it, `file:///base/name`.
    pub(crate) fn name(&self, path: &str) -> String {
        let slash = if path.is_empty() { "" } else { "/" };
        format!("{}{slash}{path}", self.uri)
    }

    /// An error of the kernel's.
    #[cold]
    pub(crate) fn fail(&self, operation: &'static str, path: &str, errno: Errno) -> Error {
        let error = Error::of_io(SCHEME, operation, self.name(path), &errno.into());
        match errno {
            Errno::LOOP => Error {
                kind: ErrorKind::WrongType,
                detail: "it is a symbolic link, and those are not followed".into(),
                ..error
            },
            Errno::BADF => Error {
                kind: ErrorKind::Invalid,
                detail: "the file is not open for this (reading or writing only)".into(),
                ..error
            },
            Errno::MFILE => error.with_hint("raise the limit with ulimit -n, or use fewer threads"),
            Errno::XDEV => error.with_hint("a mount point lies between the two names"),
            _ => error,
        }
    }

    /// An error of our own.
    #[cold]
    pub(crate) fn refuse(&self, kind: ErrorKind, operation: &'static str, path: &str, detail: &str) -> Error {
        Error::new(kind, SCHEME, operation, self.name(path), detail)
    }

    /// The base, or one of the directories above it, is a file: says which.
    fn not_a_directory(&self) -> Error {
        let file = self.path.ancestors().find(|path| path.metadata().is_ok_and(|found| !found.is_dir()));
        let file = file.unwrap_or(&self.path).display();
        Error::new(ErrorKind::WrongType, SCHEME, "use", format!("file://{file}"), "it is a file, not a directory")
            .with_hint("give the name of a directory; it is made when it does not exist")
    }
}

/// Joins base and name without allocating: one for each name that a call needs.
#[derive(Debug, Default)]
pub(crate) struct Joiner(Vec<u8>);

impl Joiner {
    /// The absolute name, checked to stay below the base.
    pub(crate) fn join(&mut self, base: &Base, operation: &'static str, path: &str) -> Result<&CStr> {
        relative(SCHEME, operation, path)?;
        self.0.clear();
        self.0.extend_from_slice(base.path.as_os_str().as_bytes());
        if !path.is_empty() && self.0 != b"/" {
            self.0.push(b'/');
        }
        self.0.extend_from_slice(path.as_bytes());
        self.0.push(0);
        CStr::from_bytes_with_nul(&self.0)
            .map_err(|_| base.refuse(ErrorKind::Invalid, operation, path, "the name holds a NUL byte"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_and_checked() {
        let base = Base::new(Path::new("/no/such/base/")).unwrap();
        assert_eq!(base.uri(), "file:///no/such/base");
        let mut joiner = Joiner::default();
        assert_eq!(joiner.join(&base, "stat", "a/b").unwrap().to_str(), Ok("/no/such/base/a/b"));
        assert_eq!(joiner.join(&base, "stat", "../b").unwrap_err().kind, ErrorKind::Invalid);
        assert_eq!(base.name("a b"), "file:///no/such/base/a b");
        assert_eq!(base.name(""), "file:///no/such/base");
    }

    #[test]
    fn the_root_is_a_base() {
        let base = Base::new(Path::new("/")).unwrap();
        assert_eq!(base.name("x"), "file:///x");
        let mut joiner = Joiner::default();
        assert_eq!(joiner.join(&base, "stat", "dev/zero").unwrap(), c"/dev/zero");
        assert_eq!(joiner.join(&base, "stat", "").unwrap(), c"/");
    }

    #[test]
    fn a_file_is_no_base() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for path in [file.path().to_path_buf(), file.path().join("below")] {
            let error = Base::new(&path).unwrap_err();
            assert_eq!(error.kind, ErrorKind::WrongType);
            assert_eq!(error.path, format!("file://{}", file.path().display()));
        }
    }
}
