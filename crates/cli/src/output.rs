//! Writing results out: to standard output, where a closed pipe is no error, and to files, whole or not at all.

use anyhow::Context;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Prints to standard output. A reader that has gone away (`| head`) is fine.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

/// Tells the user something on standard error. Nobody may be listening (`2>&1 | head`), which is fine: what matters
/// is in the exit code and the Record.
pub(crate) fn tell(text: &str) {
    drop(std::io::stderr().lock().write_all(text.as_bytes()));
}

/// A file that results are written to, again and again; readers see the old or the new document, never half of one.
/// A pipe or a device is written to as it is.
pub(crate) struct ResultFile {
    path: PathBuf,
    is_regular: bool,
}

impl ResultFile {
    /// Checks that a file can be written there, before anything is measured.
    pub(crate) fn at(path: &str) -> anyhow::Result<Self> {
        let path_buf = PathBuf::from(path);
        let file = Self { is_regular: path_buf.is_file() || !path_buf.exists(), path: path_buf };
        if file.path.is_dir() {
            anyhow::bail!("cannot write results to {path}: it is a directory");
        }
        if !file.is_regular {
            return Ok(file);
        }
        let draft = file.draft();
        std::fs::File::create_new(&draft).with_context(|| format!("cannot write results to {path}"))?;
        drop(std::fs::remove_file(draft));
        Ok(file)
    }

    /// A name beside the file that nobody else has.
    fn draft(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".fsbench-{}", std::process::id()));
        PathBuf::from(name)
    }

    /// Replaces the file's content.
    pub(crate) fn save(&self, text: &str) -> anyhow::Result<()> {
        if !self.is_regular {
            return std::fs::write(&self.path, text)
                .with_context(|| format!("cannot write to {}", self.path.display()));
        }
        let draft = self.draft();
        std::fs::write(&draft, text)
            .and_then(|()| std::fs::rename(&draft, &self.path))
            .inspect_err(|_| drop(std::fs::remove_file(&draft)))
            .with_context(|| format!("cannot write results to {}", self.path.display()))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
