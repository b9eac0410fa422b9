//! The demo: fsbench's main job on a temporary directory and on an S3 server inside this process.
//!
//! It runs the `fsbench` binary beside it exactly as a user would, prints each command before its output, keeps the
//! Records, and removes everything else. The S3 server is the crate `s3s-fs`, on a free port of 127.0.0.1.

mod server;

use anyhow::{Context, bail};
use server::Server;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const OPERATIONS: [&str; 6] = ["create_write", "open_read", "prefetch_read", "exists", "list", "rename"];

fn main() -> ExitCode {
    match demo() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn demo() -> anyhow::Result<()> {
    let fsbench = beside("fsbench")?;
    let records = std::env::current_dir()?.join("target/demo-records");
    std::fs::create_dir_all(&records).with_context(|| format!("cannot make {}", records.display()))?;
    let scratch = tempfile::tempdir().context("cannot make a temporary directory")?;

    let local = scratch.path().join("files");
    job(&fsbench, &records, "local", &[format!("--base_dir={}", local.display())])?;

    let server = Server::start(&scratch.path().join("s3"))?;
    let conf = scratch.path().join("s3.conf");
    std::fs::write(&conf, server.conf()).context("cannot write the conf file")?;
    job(&fsbench, &records, "s3", &["--fs_type=s3".into(), format!("--conf={}", conf.display())])?;

    println!("The Records of these runs, to report again or to compare:");
    for store in ["local", "s3"] {
        for operation in OPERATIONS {
            println!("  {}", record(&records, store, operation).display());
        }
    }
    println!("Again from a Record: {} report {}", fsbench.display(), record(&records, "s3", "open_read").display());
    Ok(())
}

/// A program that Cargo put beside this one.
fn beside(name: &str) -> anyhow::Result<PathBuf> {
    let path = std::env::current_exe().context("cannot find this program")?.with_file_name(name);
    match path.exists() {
        true => Ok(path),
        false => bail!("{} is missing; build it with: make demo", path.display()),
    }
}

fn record(records: &Path, store: &str, operation: &str) -> PathBuf {
    records.join(format!("{store}-{operation}.json"))
}

/// The main job on one store: every operation in turn, then cleaning.
fn job(fsbench: &Path, records: &Path, store: &str, place: &[String]) -> anyhow::Result<()> {
    for operation in OPERATIONS {
        let mut args = vec!["remote".to_string(), format!("--operation={operation}")];
        args.extend_from_slice(place);
        args.extend(["--threads=2".into(), "--iterations=4".into()]);
        args.push(format!("--record={}", record(records, store, operation).display()));
        if operation.ends_with("_read") {
            args.push("--verify".into());
        }
        run(fsbench, &args)?;
    }
    let mut clean = vec!["clean".to_string()];
    for flag in place {
        match flag.strip_prefix("--base_dir=") {
            Some(base) => clean.push(base.into()),
            None if flag.starts_with("--conf") => clean.extend([flag.clone(), server::BASE.into()]),
            None => {}
        }
    }
    run(fsbench, &clean)
}

fn run(fsbench: &Path, args: &[String]) -> anyhow::Result<()> {
    println!("\n$ fsbench {}", args.join(" "));
    let status =
        Command::new(fsbench).args(args).status().with_context(|| format!("cannot run {}", fsbench.display()))?;
    match status.success() {
        true => Ok(()),
        false => bail!("fsbench {} ended with {status}", args.join(" ")),
    }
}
