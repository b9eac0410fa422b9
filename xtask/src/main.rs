//! The project's chores, as verbs: `cargo xtask servers …`, `cargo xtask with-servers …`, `cargo xtask tidy`.
//! Arguments are matched by hand: this program must compile in seconds, so it has next to no dependencies.

mod servers;
mod with_servers;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask servers start   [NAME…]           start servers (default: s3 hdfs); installs what is missing
cargo xtask servers stop    [NAME…] [--wipe]  stop servers (default: all); --wipe also removes their data
cargo xtask servers kill    NAME…             SIGKILL, for fault tests
cargo xtask servers restart NAME…             stop, then start
cargo xtask servers status                    what is up, where
cargo xtask servers env     [NAME…]           `export` lines for the tests, of servers that are up
cargo xtask servers failover hdfs-ha          kill -9 the active NameNode and make the other one active
cargo xtask with-servers [--only a,b] -- CMD… start all (or those named), run CMD with that env, stop them

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

fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let Some((verb, rest)) = args.split_first() else {
        anyhow::bail!("no command given\n{USAGE}");
    };
    match verb.as_str() {
        "servers" => servers::run(rest).map(|()| ExitCode::SUCCESS),
        "with-servers" => with_servers::run(rest),
        "-h" | "--help" | "help" => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        other => anyhow::bail!("unknown command `{other}`\n{USAGE}"),
    }
}
