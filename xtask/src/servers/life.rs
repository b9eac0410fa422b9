//! The life of one server: start what is missing, wait until it can be used, stop, kill.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::home::Home;
use super::process;
use super::server::Server;

/// A loaded machine with two cores needs most of this for four JVMs.
const START_PATIENCE: Duration = Duration::from_secs(180);
const POLL: Duration = Duration::from_millis(50);

/// What `start` found and did.
pub(crate) struct Started {
    /// How long it took from the first process to "can be used"; none if it was up already.
    pub(crate) after: Option<Duration>,
    /// Where clients find it.
    pub(crate) uri: String,
}

/// Starts a server, or one process of it, and waits until it can be used. What is up stays as it is.
pub(crate) fn start(server: &dyn Server, only: Option<&str>) -> Result<Started> {
    server.install()?;
    let mut home = Home::open(server.name())?;
    let _lock = home.lock()?;
    home.reload()?;
    let only = revive_heart(server, &home, only)?;
    let wanted: Vec<&str> =
        server.processes().iter().copied().filter(|name| only.is_none_or(|only| only == *name)).collect();
    let missing: Vec<&str> = wanted.into_iter().filter(|name| process::pid(&home, name).is_none()).collect();
    let began = Instant::now();
    if !missing.is_empty() {
        if none_alive(server, &home) {
            home.settle_in(server.ports())?;
        }
        server.prepare(&home)?;
        start_processes(server, &home, &missing)?;
    }
    if server.processes().iter().all(|name| process::pid(&home, name).is_some()) {
        server.settle(&home)?;
        wait_for(&home, server.processes(), || server.ready(&home))?;
    }
    let after = (!missing.is_empty()).then(|| began.elapsed());
    Ok(Started { after, uri: server.uri(&home) })
}

/// When the heart is down, the others go down too; a start of the heart is then a start of everything.
fn revive_heart<'a>(server: &dyn Server, home: &Home, only: Option<&'a str>) -> Result<Option<&'a str>> {
    let Some(heart) = server.heart().filter(|heart| process::pid(home, heart).is_none()) else { return Ok(only) };
    if let Some(name) = only.filter(|name| *name != heart) {
        bail!("{0}/{name} cannot start without {0}/{heart}; run `cargo xtask servers start {0}`", server.name());
    }
    stop_processes(server, home, None, process::stop)?;
    Ok(None)
}

fn none_alive(server: &dyn Server, home: &Home) -> bool {
    server.processes().iter().all(|name| process::pid(home, name).is_none())
}

/// Whether any process of a server is up.
pub(crate) fn any_alive(server: &dyn Server) -> Result<bool> {
    let home = Home::open(server.name())?;
    Ok(!none_alive(server, &home))
}

fn start_processes(server: &dyn Server, home: &Home, missing: &[&str]) -> Result<()> {
    for name in missing {
        server.format(home, name)?;
        let command = server.command(home, name)?;
        process::spawn(home, name, &command)?;
        if server.gates().contains(name) {
            wait_for(home, &[name], || server.process_ready(home, name))?;
        }
    }
    for name in missing {
        wait_for(home, missing, || server.process_ready(home, name))
            .with_context(|| format!("{}/{name} did not start", server.name()))?;
    }
    Ok(())
}

/// How often in a row a process must look dead: while it executes another program (setsid becomes java, java becomes
/// itself with other settings) it has no command line for a moment.
const DEAD_LOOKS: u32 = 20;

/// Waits for `ready`, but no longer than the processes in `watched` live.
fn wait_for(home: &Home, watched: &[&str], ready: impl Fn() -> bool) -> Result<()> {
    let until = Instant::now() + START_PATIENCE;
    let mut looks_dead = 0;
    while !ready() {
        let dead = watched.iter().find(|name| process::died(home, name));
        looks_dead = if dead.is_some() { looks_dead + 1 } else { 0 };
        if let Some(name) = dead.filter(|_| looks_dead >= DEAD_LOOKS) {
            bail!("{}", failure(home, &[name], "died while it was starting"));
        }
        if Instant::now() >= until {
            bail!("{}", failure(home, watched, &format!("cannot be used after {} s", START_PATIENCE.as_secs())));
        }
        std::thread::sleep(POLL);
    }
    Ok(())
}

fn failure(home: &Home, names: &[&str], what: &str) -> String {
    let mut text = format!("{}/{} {what}", home.server(), names.join("+"));
    for name in names {
        let log = home.log(name);
        text += &format!(
            "; log: {}
{}",
            log.display(),
            process::log_tail(&log, 12)
        );
    }
    text
}

/// Stops a server, or one process of it. Returns what was stopped.
pub(crate) fn stop(server: &dyn Server, only: Option<&str>, wipe: bool) -> Result<Vec<String>> {
    let home = Home::open(server.name())?;
    let _lock = home.lock()?;
    let stopped = stop_processes(server, &home, only, process::stop)?;
    if wipe {
        home.wipe()?;
    }
    Ok(stopped)
}

/// Kills a server, or one process of it, with SIGKILL. Returns what was killed.
pub(crate) fn kill(server: &dyn Server, only: Option<&str>) -> Result<Vec<String>> {
    let home = Home::open(server.name())?;
    let _lock = home.lock()?;
    stop_processes(server, &home, only, process::kill)
}

fn stop_processes(
    server: &dyn Server,
    home: &Home,
    only: Option<&str>,
    end: fn(&Home, &str) -> Result<bool>,
) -> Result<Vec<String>> {
    let mut ended = Vec::new();
    for name in server.processes().iter().rev() {
        if only.is_none_or(|only| only == *name) && end(home, name)? {
            ended.push(format!("{}/{name}", server.name()));
        }
    }
    Ok(ended)
}
