//! The small-file check as GitLab documents it: a shell runs the loop, with a process of `cat` for each file that is
//! read. One operation is the whole loop, with the start of the shell.
//!
//! bash runs the documented line itself. Where there is no bash, sh runs the same loop with a counter: brace ranges are
//! not POSIX.

use super::{Scene, Step, Steps};
use crate::live::Stop;
use crate::phase::LOOK;
use fsbench_model::SmallFiles;
use fsbench_results::Kind;
use fsbench_target::{Error, ErrorKind};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

pub(super) struct Shell {
    folder: PathBuf,
    files: u64,
    is_write: bool,
    /// One worker runs the loop, once.
    is_over: bool,
}

impl Shell {
    pub(super) fn new(plan: &SmallFiles, worker: u32) -> Self {
        let base = Path::new(plan.shell.as_deref().unwrap_or_default());
        Self { folder: base.join(&plan.directory), files: plan.files, is_write: plan.writes(), is_over: worker > 0 }
    }

    fn body(&self) -> &'static str {
        if self.is_write { r#"echo 'test' > "test${i}.txt""# } else { r#"cat "test${i}.txt" > /dev/null"# }
    }

    /// The line of GitLab's documentation, but for the number.
    fn for_bash(&self) -> String {
        format!("for i in {{0..{}}}; do {}; done", self.files - 1, self.body())
    }

    fn for_sh(&self) -> String {
        format!("i=0; while [ $i -lt {} ]; do {}; i=$((i+1)); done", self.files, self.body())
    }

    /// Starts bash, or sh where there is none.
    fn start(&self) -> io::Result<(&'static str, Child)> {
        let start = |shell: &'static str, script: String| {
            let mut command = Command::new(shell);
            command.args(["-c", &script]).current_dir(&self.folder);
            // A group of its own: Ctrl-C is fsbench's to handle, and ends the shell together with its children.
            command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
            command.spawn().map(|child| (shell, child))
        };
        match start("bash", self.for_bash()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => start("sh", self.for_sh()),
            started => started,
        }
    }

    fn fail(&self, kind: ErrorKind, shell: &str, detail: impl Into<String>) -> Error {
        Error::new(kind, shell_name(shell), "run the loop in", self.folder.display().to_string(), detail)
    }

    /// What the shell said went wrong: the first sentence, and how many there were.
    fn check(&self, shell: &str, output: &Output) -> Result<(), Error> {
        let said = String::from_utf8_lossy(&output.stderr);
        let detail = match said.lines().count() {
            0 if output.status.success() => return Ok(()),
            0 => format!("it ended with {}", output.status),
            1 => said.trim().to_string(),
            lines => format!("{} (and {} lines more)", said.lines().next().unwrap_or_default(), lines - 1),
        };
        let kind = if said.contains("No space left") { ErrorKind::NoSpace } else { ErrorKind::Other };
        Err(self.fail(kind, shell, detail))
    }
}

fn shell_name(shell: &str) -> &'static str {
    if shell == "bash" { "bash" } else { "sh" }
}

/// Kills the group when the user asks to stop before the child has ended.
fn watch(group: u32, ended: &Receiver<()>, stop: &Stop) {
    while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
        if stop.asked() {
            let group = Pid::from_raw(group.cast_signed()).expect("a child's number is not 0");
            // It may have ended by itself just now.
            let _ = kill_process_group(group, Signal::KILL);
            return;
        }
    }
}

impl Steps for Shell {
    fn step(&mut self, scene: &mut Scene<'_>) -> Result<Step, Error> {
        if std::mem::replace(&mut self.is_over, true) {
            return Ok(Step::Nothing);
        }
        let start = scene.recorder.now();
        let (shell, child) = self.start().map_err(|error| self.fail(ErrorKind::Other, "sh", error.to_string()))?;
        let (ended, waiting) = channel();
        let (group, stop) = (child.id(), scene.stop);
        let (output, end) = std::thread::scope(|scope| {
            scope.spawn(move || watch(group, &waiting, stop));
            let output = child.wait_with_output();
            let end = scene.recorder.now();
            drop(ended);
            (output, end)
        });
        if stop.asked() {
            return Err(Error::interrupted(shell_name(shell), "run the loop in", self.folder.display().to_string()));
        }
        let output = output.map_err(|error| self.fail(ErrorKind::Other, shell, error.to_string()))?;
        self.check(shell, &output)?;
        scene.recorder.record(Kind::Operation, end - start, end, 0);
        scene.recorder.count(shell, 1);
        Ok(Step::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsbench_model::{Bytes, SmallStep, Span};

    fn shell(step: SmallStep) -> Shell {
        let (directory, shell) = ("d".to_string(), Some("/base".to_string()));
        let plan = SmallFiles { directory, files: 1001, size: Bytes(5), content: None, step, shell, limit: Span(1) };
        Shell::new(&plan, 0)
    }

    #[test]
    fn bash_gets_the_documented_lines() {
        let (write, read) = (shell(SmallStep::Write { sync: false }), shell(SmallStep::Read { verify: false }));
        assert_eq!(write.for_bash(), r#"for i in {0..1000}; do echo 'test' > "test${i}.txt"; done"#);
        assert_eq!(read.for_bash(), r#"for i in {0..1000}; do cat "test${i}.txt" > /dev/null; done"#);
        assert_eq!(read.for_sh(), r#"i=0; while [ $i -lt 1001 ]; do cat "test${i}.txt" > /dev/null; i=$((i+1)); done"#);
        assert_eq!(write.folder, Path::new("/base/d"));
    }
}
