//! One call of a program: its arguments, environment and limit going in; its streams and exit code coming out.

use super::PATIENCE;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The binary under test.
pub const FSBENCH: &str = env!("CARGO_BIN_EXE_fsbench");

/// A program to be run with a clean environment: what the tester's shell exports must not decide a test.
pub struct Call {
    command: Command,
}

/// `fsbench ARGS`.
pub fn fsbench<S: AsRef<OsStr>>(args: &[S]) -> Call {
    program(FSBENCH, args)
}

/// `fsbench remote FLAGS`.
pub fn remote<S: AsRef<OsStr>>(flags: &[S]) -> Call {
    fsbench(&["remote"]).args(flags)
}

/// Any program.
pub fn program<S: AsRef<OsStr>>(name: impl AsRef<OsStr>, args: &[S]) -> Call {
    let mut command = Command::new(name);
    command.args(args).env_clear().env("HOME", "/nonexistent").stdin(Stdio::null());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    Call { command }
}

impl Call {
    pub fn args<S: AsRef<OsStr>>(mut self, args: &[S]) -> Self {
        self.command.args(args);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn in_dir(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// Makes it the first of a group of its own, as a shell with job control does.
    pub fn in_a_group(mut self) -> Self {
        self.command.process_group(0);
        self
    }

    /// Runs it to its end.
    pub fn run(self) -> Ended {
        self.start().end()
    }

    /// Starts it; both streams are collected from now on.
    pub fn start(mut self) -> Running {
        let line = format!("{:?}", self.command);
        let mut child = self.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let stdout = collect(child.stdout.take().expect("stdout is piped"));
        let stderr = collect(child.stderr.take().expect("stderr is piped"));
        Running { line, child: Owned(child), stdout, stderr }
    }

    /// Starts it with readers that went away at once.
    pub fn run_into_closed_pipes(mut self) -> ExitStatus {
        let mut child = self.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        drop((child.stdout.take(), child.stderr.take()));
        wait(&mut child)
    }
}

fn collect(mut stream: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("a pipe can be read");
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits, but not for ever: a program that hangs is killed, and the test fails.
fn wait(child: &mut Child) -> ExitStatus {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status;
        }
        if Instant::now() > deadline {
            child.kill().expect("a child can be killed");
            panic!("the program hung for {PATIENCE:?} and was killed: {child:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A child that does not outlive a test that fails.
struct Owned(Child);

impl Drop for Owned {
    fn drop(&mut self) {
        drop((self.0.kill(), self.0.wait()));
    }
}

/// A program that runs.
pub struct Running {
    line: String,
    child: Owned,
    stdout: JoinHandle<String>,
    stderr: JoinHandle<String>,
}

impl Running {
    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.0.id().cast_signed()).expect("a pid is not 0");
        kill_process(pid, signal).expect("a child can be signalled");
    }

    /// Signals the whole group, as a terminal does. For a program started [`Call::in_a_group`].
    pub fn signal_group(&self, signal: Signal) {
        let group = Pid::from_raw(self.child.0.id().cast_signed()).expect("a pid is not 0");
        kill_process_group(group, signal).expect("a group can be signalled");
    }

    pub fn has_thread(&self, name: &str) -> bool {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.0.id()));
        let mut names =
            tasks.into_iter().flatten().flatten().map(|task| std::fs::read_to_string(task.path().join("comm")));
        names.any(|found| found.is_ok_and(|found| found.trim() == name))
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.0.try_wait().expect("a child can be waited for").is_some()
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        let status = wait(&mut self.child.0);
        Ended {
            line: self.line,
            stdout: self.stdout.join().expect("stdout is collected"),
            stderr: self.stderr.join().expect("stderr is collected"),
            code: status.code(),
            signal: status.signal(),
        }
    }
}

/// A program that has ended.
#[derive(Debug)]
pub struct Ended {
    line: String,
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

impl Ended {
    /// The same, if it ended with `code`.
    ///
    /// # Panics
    /// Otherwise, with all it said.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "exit code of {self}");
        self
    }

    /// The same, if standard output has all of `parts`, wherever its lines are broken.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Self {
        let text = self.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in parts {
            assert!(text.contains(part.trim()), "no {part:?} on the stdout of {self}");
        }
        self
    }

    /// The same, if standard error has all of `parts`.
    #[track_caller]
    pub fn complains(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "no {part:?} on the stderr of {self}");
        }
        self
    }

    /// The same, if `text` is on neither stream.
    #[track_caller]
    pub fn hides(self, text: &str) -> Self {
        assert!(!self.stdout.contains(text) && !self.stderr.contains(text), "{text:?} was told by {self}");
        self
    }

    /// The lines of standard error that are fsbench's own.
    pub fn sentences(&self) -> Vec<&str> {
        self.stderr.lines().filter(|line| line.starts_with("fsbench: ")).collect()
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { line, stdout, stderr, code, signal } = self;
        write!(f, "{line}\n-- code {code:?}, signal {signal:?}; stdout:\n{stdout}\n-- stderr:\n{stderr}")
    }
}
