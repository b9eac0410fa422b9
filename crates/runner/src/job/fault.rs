//! When a request of a job fails: what is survived, what is ignored, and what ends the job.

use super::drive::{Driver, Flight, Halt, shown};
use fsbench_target::{Error, ErrorKind};

/// So many ignored errors are shown.
const IGNORED_KEPT: usize = 10;

impl Driver<'_> {
    #[cold]
    pub(super) fn end_of_file(&mut self, flight: &Flight) {
        let path = shown(self.root, &self.job.files[flight.file as usize].path);
        let detail = format!(
            "nothing was moved at offset {} ({} bytes asked for): the file ends there",
            flight.offset, flight.len
        );
        let mut error = Error::new(ErrorKind::ShortRead, "job", "transfer", path, detail);
        error.errno = nix::errno::Errno::EIO as i32;
        self.error(flight, Box::new(error));
    }

    /// A request failed.
    #[cold]
    pub(super) fn error(&mut self, flight: &Flight, mut error: Box<Error>) {
        if error.kind == ErrorKind::Interrupted {
            self.halt = self.halt.take().or(Some(Halt::Over));
            return;
        }
        if flight.len > 0 && error.kind != ErrorKind::Corrupt && error.kind != ErrorKind::ShortRead {
            error.detail = format!("{} (offset={}, length={})", error.detail, flight.offset, flight.len);
        }
        let on_error = &self.job.on_error;
        let (survives, ignored) = match (error.kind, flight.of) {
            (ErrorKind::Corrupt, _) if self.job.verify.is_some() => {
                let fatal = self.job.verify.as_ref().is_some_and(|verify| verify.fatal);
                (on_error.verify || !fatal, &on_error.ignored[2])
            }
            (_, 0) => (on_error.read, &on_error.ignored[0]),
            _ => (on_error.write, &on_error.ignored[1]),
        };
        let fills = error.kind == ErrorKind::NoSpace && self.job.layout.fill_device;
        if fills {
            self.halt = self.halt.take().or(Some(Halt::Over));
        }
        if fills || ignored.contains(&error.errno) {
            if on_error.dump && self.ignored.len() < IGNORED_KEPT {
                self.ignored.push(format!("ignored: {error}"));
            }
            return;
        }
        self.errors += 1;
        self.team.report(self.index, &error);
        if self.first_error.is_none() {
            self.first_error = Some(error.clone());
        }
        if !survives {
            self.end_with(error);
        }
    }

    /// The job cannot go on, and that is not the fault of one request.
    #[cold]
    pub(crate) fn fail(&mut self, error: Box<Error>) {
        self.errors += 1;
        self.team.report(self.index, &error);
        self.end_with(error);
    }

    pub(super) fn end_with(&mut self, error: Box<Error>) {
        if self.first_error.is_none() {
            self.first_error = Some(error.clone());
        }
        if self.halt.is_none() {
            self.halt = Some(Halt::Failed(error));
        }
    }
}
