//! `cargo xtask servers VERB …`: what was typed, and the lines that are printed for it.

use anyhow::{Result, bail};

use super::home::Home;
use super::server::{Server, all, find};
use super::{env, hdfs_ha, life, process};
use crate::say;

const DEFAULT: [&str; 2] = ["s3", "hdfs"];

/// A server, or one of its processes.
struct Target {
    server: Box<dyn Server>,
    process: Option<&'static str>,
}

/// Runs one verb.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let Some((verb, rest)) = args.split_first() else {
        bail!("which verb? start, stop, kill, restart, status, env or failover");
    };
    let wipe = rest.iter().any(|arg| arg == "--wipe");
    let names: Vec<&str> = rest.iter().map(String::as_str).filter(|arg| *arg != "--wipe").collect();
    if let Some(option) = names.iter().find(|name| name.starts_with('-')) {
        bail!("unknown option {option}");
    }
    if wipe && verb != "stop" {
        bail!("--wipe goes with `stop` only");
    }
    match verb.as_str() {
        "start" => start(&targets(&names, &DEFAULT)?),
        "stop" => stop(&targets(&names, &["all"])?, wipe),
        "kill" => kill(&named_targets(verb, &names)?),
        "restart" => restart(&named_targets(verb, &names)?),
        "status" => status(&targets(&names, &["all"])?),
        "env" => print_env(targets(&names, &["all"])?),
        "failover" => failover(&names),
        other => bail!("unknown verb `servers {other}`: start, stop, kill, restart, status, env or failover"),
    }
}

fn named_targets(verb: &str, names: &[&str]) -> Result<Vec<Target>> {
    if names.is_empty() {
        bail!("`servers {verb}` needs a name, such as hdfs/datanode");
    }
    targets(names, &[])
}

fn targets(names: &[&str], default: &[&str]) -> Result<Vec<Target>> {
    let names = if names.is_empty() { default } else { names };
    let mut targets = Vec::new();
    for name in names {
        if *name == "all" {
            targets.extend(all().into_iter().map(|server| Target { server, process: None }));
        } else {
            targets.push(target(name)?);
        }
    }
    Ok(targets)
}

fn target(name: &str) -> Result<Target> {
    let Some((server, process)) = name.split_once('/') else {
        return Ok(Target { server: find(name)?, process: None });
    };
    let server = find(server)?;
    match server.processes().iter().find(|known| **known == process) {
        Some(known) => Ok(Target { server, process: Some(known) }),
        None => bail!("{} has no process `{process}`; it has: {}", server.name(), server.processes().join(", ")),
    }
}

impl Target {
    fn label(&self) -> String {
        match self.process {
            Some(process) => format!("{}/{process}", self.server.name()),
            None => self.server.name().to_owned(),
        }
    }
}

fn start(targets: &[Target]) -> Result<()> {
    for target in targets {
        let started = life::start(target.server.as_ref(), target.process)?;
        let how = match started.after {
            Some(after) => format!("ready after {:.1} s", after.as_secs_f64()),
            None => "already up".to_owned(),
        };
        say(&format!("{:<24} {:<34} {how}", target.label(), started.uri))?;
    }
    Ok(())
}

fn stop(targets: &[Target], wipe: bool) -> Result<()> {
    for target in targets {
        if let (Some(_), true) = (target.process, wipe) {
            bail!("--wipe is for whole servers, not for {}", target.label());
        }
        for name in life::stop(target.server.as_ref(), target.process, wipe)? {
            say(&format!("{name:<24} stopped"))?;
        }
        if wipe {
            say(&format!("{:<24} wiped", target.label()))?;
        }
    }
    Ok(())
}

fn kill(targets: &[Target]) -> Result<()> {
    for target in targets {
        let killed = life::kill(target.server.as_ref(), target.process)?;
        if killed.is_empty() {
            bail!("{} is not up: nothing was killed", target.label());
        }
        for name in killed {
            say(&format!("{name:<24} killed"))?;
        }
    }
    Ok(())
}

fn restart(targets: &[Target]) -> Result<()> {
    stop(targets, false)?;
    start(targets)
}

fn status(targets: &[Target]) -> Result<()> {
    say(&format!("{:<26} {:<9} {:<8} URI", "NAME", "STATE", "PID"))?;
    for target in targets {
        let server = target.server.as_ref();
        let home = Home::open(server.name())?;
        let alive = server.processes().iter().filter(|name| process::pid(&home, name).is_some()).count();
        let (state, uri) = match alive {
            0 => ("down", String::new()),
            _ if server.ready(&home) => ("up", server.uri(&home)),
            _ => ("not ready", server.uri(&home)),
        };
        say(format!("{:<26} {state:<9} {:<8} {uri}", server.name(), "").trim_end())?;
        for name in server.processes() {
            let label = format!("  {}/{name}", server.name());
            say(process_line(&home, &label, name).trim_end())?;
        }
    }
    Ok(())
}

fn process_line(home: &Home, label: &str, name: &str) -> String {
    match process::pid(home, name) {
        Some(pid) => format!("{label:<26} {:<9} {pid:<8}", "up"),
        None if process::died(home, name) => {
            format!("{label:<26} {:<9} {:<8} log: {}", "DIED", "", home.log(name).display())
        }
        None => format!("{label:<26} {:<9}", "down"),
    }
}

fn print_env(targets: Vec<Target>) -> Result<()> {
    let servers: Vec<_> = targets.into_iter().map(|target| target.server).collect();
    for (key, value) in env::exports(&servers)? {
        say(&env::export_line(&key, &value))?;
    }
    Ok(())
}

fn failover(names: &[&str]) -> Result<()> {
    if names != ["hdfs-ha"] {
        bail!("failover is for hdfs-ha only: `cargo xtask servers failover hdfs-ha`");
    }
    say(&hdfs_ha::failover()?)
}
