//! The project's chores, as verbs: `cargo xtask servers …`, `cargo xtask with-servers …`, `cargo xtask tidy`.
//! Arguments are matched by hand: this program must compile in seconds, so it has next to no dependencies.

mod servers;
mod tidy;
mod with_servers;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

const USAGE: &str = "\
cargo xtask servers start   [NAME…]           start servers (default: s3 hdfs); installs what is missing
cargo xtask servers stop    [NAME…] [--wipe]  stop servers (default: all); --wipe also removes their data
cargo xtask servers kill    NAME…             SIGKILL, for fault tests
cargo xtask servers restart NAME…             stop, then start
cargo xtask servers status                    what is up, where
cargo xtask servers env     [NAME…]           `export` lines for the tests, of servers that are up
cargo xtask servers failover hdfs-ha          kill -9 the active NameNode and make the other one active
cargo xtask with-servers [--only a,b] -- CMD… start all (or those named), run CMD with that env, stop them
cargo xtask tidy                              check what the house style says can be checked

NAME is a server, or one of its processes (see `servers status`), or `all`:
  s3 s3-tls hdfs hdfs-ha hdfs-kerberos hdfs-privacy
  s3/gateway hdfs/namenode hdfs/datanode hdfs-ha/nn1 hdfs-ha/nn2 hdfs-ha/datanode hdfs-kerberos/kdc …

FSBENCH_SERVERS      where servers keep data, logs and pid files (default: <repo>/.servers)
XDG_CACHE_HOME       downloads go to $XDG_CACHE_HOME/fsbench (default: ~/.cache/fsbench)
FSBENCH_JVM_FULL=1   larger heaps and the full JIT, for benchmarks instead of tests";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// A line on standard output. A reader that has gone away (`… | head`) is no error.
pub(crate) fn say(line: &str) -> Result<()> {
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

fn run(args: &[String]) -> Result<ExitCode> {
    let Some((verb, rest)) = args.split_first() else {
        bail!("no command given\n{USAGE}");
    };
    match verb.as_str() {
        "servers" => servers::run(rest).map(|()| ExitCode::SUCCESS),
        "with-servers" => with_servers::run(rest),
        "tidy" => tidy::run(rest),
        "-h" | "--help" | "help" => say(USAGE).map(|()| ExitCode::SUCCESS),
        other => bail!("unknown command `{other}`\n{USAGE}"),
    }
}
