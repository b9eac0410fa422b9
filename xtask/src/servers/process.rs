//! One process: its pid file, whether it is alive and ours, starting it detached, stopping and killing it.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::home::Home;

/// How long a process may take to obey SIGTERM before it gets SIGKILL.
const STOP_PATIENCE: Duration = Duration::from_secs(15);
/// How long setsid(1) may take to become the server.
const EXEC_PATIENCE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(25);

/// The pid, if the process is alive and is the one that we started.
pub(crate) fn pid(home: &Home, process: &str) -> Option<u32> {
    let pid: u32 = fs::read_to_string(home.pid_file(process)).ok()?.trim().parse().ok()?;
    is_ours(pid, &home.marks(process)).then_some(pid)
}

/// Whether it died without being asked to: a pid file is left, its process is not.
pub(crate) fn died(home: &Home, process: &str) -> bool {
    home.pid_file(process).exists() && pid(home, process).is_none()
}

/// A pid may have been given to somebody else since; a zombie has no command line.
fn is_ours(pid: u32, marks: &[String]) -> bool {
    command_line(pid).split(|byte| *byte == 0).any(|argument| marks.iter().any(|mark| mark.as_bytes() == argument))
}

/// Arguments separated by NUL; empty if there is no such process.
fn command_line(pid: u32) -> Vec<u8> {
    fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default()
}

/// Starts it in a session of its own, so that neither Ctrl-C nor a closed terminal reaches it.
pub(crate) fn spawn(home: &Home, process: &str, command: &Command) -> Result<()> {
    let log = home.log(process);
    let out = File::create(&log).with_context(|| format!("cannot create {}", log.display()))?;
    let err = out.try_clone().context("cannot duplicate a file descriptor")?;
    // setsid(1) replaces itself by the command: the child's pid is the server's.
    let mut detached = Command::new("setsid");
    detached.arg(command.get_program()).args(command.get_args());
    for (key, value) in command.get_envs() {
        match value {
            Some(value) => detached.env(key, value),
            None => detached.env_remove(key),
        };
    }
    // A place that always exists: the server must not keep a directory busy, nor write a core into the repository.
    detached.current_dir("/").stdin(Stdio::null()).stdout(out).stderr(err);
    let mut child = detached.spawn().with_context(|| {
        format!("cannot run `setsid {}` for {}/{process}", command.get_program().display(), home.server())
    })?;
    let pid_file = home.pid_file(process);
    fs::write(&pid_file, format!("{}\n", child.id()))
        .with_context(|| format!("cannot write {}", pid_file.display()))?;
    // While a process turns into another program its command line is somebody else's, or empty: it would seem dead.
    let until = Instant::now() + EXEC_PATIENCE;
    while Instant::now() < until && child.try_wait().context("cannot wait for setsid")?.is_none() {
        if is_ours(child.id(), &home.marks(process)) && !command_line(child.id()).starts_with(b"setsid\0") {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// SIGTERM, a wait, SIGKILL. Returns whether there was anything to stop.
pub(crate) fn stop(home: &Home, process: &str) -> Result<bool> {
    end(home, process, "TERM")
}

/// SIGKILL. Returns whether there was anything to kill.
pub(crate) fn kill(home: &Home, process: &str) -> Result<bool> {
    end(home, process, "KILL")
}

fn end(home: &Home, process: &str, signal_name: &str) -> Result<bool> {
    let found = pid(home, process);
    if let Some(pid) = found {
        signal(pid, signal_name)?;
        if !wait_gone(pid, STOP_PATIENCE) {
            signal(pid, "KILL")?;
            if !wait_gone(pid, STOP_PATIENCE) {
                bail!(
                    "{}/{process} (pid {pid}) does not die, not even of SIGKILL; see `ps -o stat= -p {pid}`",
                    home.server()
                );
            }
        }
    }
    remove_if_there(&home.pid_file(process))?;
    Ok(found.is_some())
}

fn wait_gone(pid: u32, patience: Duration) -> bool {
    let until = Instant::now() + patience;
    while !is_gone(pid) {
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(POLL);
    }
    true
}

/// Gone, or a zombie without further threads. A process that ends loses its command line before its sockets, so
/// [`pid`] would tell too early that its ports are free.
fn is_gone(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    // The state follows the name, which is in brackets and may hold anything.
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    let threads = fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    matches!(state, Some('Z' | 'X')) && threads <= 1
}

/// Through the shell's own `kill`: it is there on every machine, and no crate with `unsafe` is needed.
pub(crate) fn signal(pid: u32, name: &str) -> Result<()> {
    let status = Command::new("sh")
        .args(["-c", &format!("kill -{name} {pid} 2>/dev/null || ! kill -0 {pid} 2>/dev/null")])
        .status()
        .context("cannot run sh")?;
    if !status.success() {
        bail!("cannot send SIG{name} to pid {pid}: does it belong to another user?");
    }
    Ok(())
}

fn remove_if_there(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// The last lines of a log, for an error message.
pub(crate) fn log_tail(path: &Path, lines: usize) -> String {
    let text = fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let all: Vec<&str> = text.lines().collect();
    let from = all.len().saturating_sub(lines);
    all[from..].iter().map(|line| format!("  | {}\n", line.chars().take(240).collect::<String>())).collect()
}

/// Runs a command to its end with its output in `log`; an error quotes the end of the log.
pub(crate) fn run_logged(command: &mut Command, log: &Path, what: &str) -> Result<()> {
    let out = File::create(log).with_context(|| format!("cannot create {}", log.display()))?;
    let err = out.try_clone().context("cannot duplicate a file descriptor")?;
    let program = command.get_program().display().to_string();
    let status = command
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .status()
        .with_context(|| format!("{what}: cannot run `{program}`; is it installed?"))?;
    if !status.success() {
        bail!("{what}: `{program}` failed ({status}); log: {}\n{}", log.display(), log_tail(log, 15));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_a_zombie_and_a_pid_that_never_was_do_not() {
        assert!(!is_gone(std::process::id()));
        assert!(is_gone(u32::MAX));
        let mut child = Command::new("true").spawn().unwrap();
        assert!(wait_gone(child.id(), Duration::from_secs(5)));
        child.wait().unwrap();
    }

    #[test]
    fn another_program_is_never_ours() {
        assert!(!is_ours(std::process::id(), &["-Dfsbench.process=/nowhere".to_owned()]));
        assert!(!is_ours(u32::MAX, &["java".to_owned()]));
    }
}
