//! `cargo xtask with-servers [--only a,b] -- CMD…`: servers up, a command with their environment, servers down.
//! A server that was up before stays up. The exit code is the command's.

use std::process::{Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::servers::{self, Server};

const POLL: Duration = Duration::from_millis(50);

type Servers = Vec<Box<dyn Server>>;

/// The last signal that asked us to end; 0 is none.
type Asked = Arc<AtomicUsize>;

pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let (chosen, command) = parse(args)?;
    let asked = listen()?;
    let mut started = Vec::new();
    let outcome = start_all(&chosen, &mut started, &asked).and_then(|()| run_command(&chosen, command, &asked));
    let mut stopped = Ok(());
    for server in started.into_iter().rev() {
        match servers::stop(server, None, false) {
            Ok(_) => eprintln!("{:<14} stopped", server.name()),
            Err(error) => stopped = Err(error),
        }
    }
    outcome.and_then(|code| stopped.map(|()| code))
}

fn parse(args: &[String]) -> Result<(Servers, &[String])> {
    let usage = "usage: cargo xtask with-servers [--only a,b] -- CMD…";
    let split =
        args.iter().position(|arg| arg == "--").with_context(|| format!("no `--` before the command\n{usage}"))?;
    let (options, command) = (&args[..split], &args[split + 1..]);
    if command.is_empty() {
        bail!("no command after `--`\n{usage}");
    }
    let chosen = match options {
        [] => servers::all(),
        [only, names] if only == "--only" => names.split(',').map(servers::find).collect::<Result<_>>()?,
        _ => bail!("cannot understand `{}`\n{usage}", options.join(" ")),
    };
    Ok((chosen, command))
}

/// From here on Ctrl-C no longer ends us, or nobody would stop the servers.
fn listen() -> Result<Asked> {
    let asked = Asked::default();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let number = usize::try_from(signal).context("a signal's number is positive")?;
        signal_hook::flag::register_usize(signal, Arc::clone(&asked), number)
            .with_context(|| format!("cannot listen for signal {signal}"))?;
    }
    Ok(asked)
}

fn start_all<'a>(chosen: &'a [Box<dyn Server>], started: &mut Vec<&'a dyn Server>, asked: &Asked) -> Result<()> {
    for server in chosen {
        if asked.load(Ordering::Relaxed) != 0 {
            bail!("interrupted");
        }
        // Ours to stop even if its start fails half way, unless it was up before.
        let was_up = servers::any_alive(server.as_ref())?;
        if !was_up {
            started.push(server.as_ref());
        }
        let start = servers::start(server.as_ref(), None)?;
        let seconds = start.after.unwrap_or_default().as_secs_f64();
        eprintln!(
            "{:<14} {:<34} {}",
            server.name(),
            start.uri,
            if was_up { "was up".to_owned() } else { format!("ready after {seconds:.1} s") }
        );
    }
    Ok(())
}

fn run_command(chosen: &[Box<dyn Server>], command: &[String], asked: &Asked) -> Result<ExitCode> {
    let env = servers::exports(chosen)?;
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .envs(env)
        .spawn()
        .with_context(|| format!("cannot run `{}`", command[0]))?;
    let mut passed_on = 0;
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for the command")? {
            return Ok(exit_code(status));
        }
        let signal = asked.load(Ordering::Relaxed);
        if signal != passed_on {
            passed_on = signal;
            // Ctrl-C has reached the command already: it is in the terminal's foreground group with us.
            if i32::try_from(signal) != Ok(SIGINT) {
                servers::signal(child.id(), "TERM")?;
            }
        }
        std::thread::sleep(POLL);
    }
}

/// As a shell reports it: 128 + the signal that ended the command.
fn exit_code(status: ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_servers_and_the_command_are_told_apart() {
        let args = words("--only s3,hdfs -- cargo test -- --nocapture");
        let (chosen, command) = parse(&args).unwrap();
        let names: Vec<_> = chosen.iter().map(|server| server.name()).collect();
        assert_eq!(names, ["s3", "hdfs"]);
        assert_eq!(command, &words("cargo test -- --nocapture")[..]);
    }

    #[test]
    fn mistakes_are_named() {
        for (args, expected) in [("cargo test", "no `--`"), ("--only s4 -- x", "s4"), ("--onyl s3 -- x", "--onyl")] {
            let error = format!("{:#}", parse(&words(args)).err().unwrap());
            assert!(error.contains(expected), "{error}");
        }
    }
}
