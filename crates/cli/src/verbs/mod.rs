//! The verbs, one file each, and how a command line finds its verb.

mod clean;
mod fio;
mod remote;
mod report;
mod selftest;
mod smallfiles;

use crate::exit::Exit;
use crate::output;
use clap::{Parser, Subcommand};
use std::path::Path;

/// The name under which the binary is Doris' tool.
const DORIS_TOOL: &str = "fs_benchmark_tool";

/// Version of fsbench, as printed and recorded.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Parser)]
#[command(name = "fsbench", version, max_term_width = 100, arg_required_else_help = true)]
/// The storage benchmark: known benchmarks on local files, HDFS and S3, on one engine and one clock.
///
/// Exit codes: 0 all went well; 1 the run finished with errors; 2 the input was wrong and nothing was touched;
/// 130 interrupted, what was measured is saved.
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Doris' fs_benchmark_tool: create_write, open_read, prefetch_read, exists, list, rename, … on HDFS, S3, local files
    #[command(disable_help_flag = true)]
    Remote {
        /// gflags of fs_benchmark_tool; `fsbench remote --help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLAGS")]
        flags: Vec<String>,
    },
    /// fio: job files and fio's command line, on local files, HDFS and S3
    #[command(disable_help_flag = true)]
    Fio {
        /// fio's own arguments; `fsbench fio --help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<String>,
    },
    /// GitLab's check that needs no fio: 1,000 small files written and read, timed, with a verdict
    #[command(disable_help_flag = true)]
    Smallfiles {
        /// A directory or URI, and options; `fsbench smallfiles --help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<String>,
    },
    /// Print what a command would do, without doing it: `fsbench plan remote --operation=…`
    #[command(disable_help_flag = true)]
    Plan {
        /// A verb and its flags
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND", required = true)]
        command: Vec<String>,
    },
    /// Remove exactly what fsbench made below a directory or prefix
    Clean(clean::Args),
    /// Make a report again from a saved Record
    Report(report::Args),
    /// Measure fsbench itself: its cost for each operation, and the ceiling of its S3 client
    Selftest(selftest::Args),
}

/// Finds the verb and runs it.
pub(crate) fn dispatch(args: &[String]) -> anyhow::Result<Exit> {
    let name = args.first().map(Path::new).and_then(Path::file_name).and_then(|n| n.to_str()).unwrap_or("");
    let rest = args.get(1..).unwrap_or(&[]);
    if name == DORIS_TOOL {
        return remote::run(rest);
    }
    if fio::is_name(name) {
        return fio::run(rest);
    }
    // gflags are not clap's: they go to their suite word for word.
    match rest.first().map(String::as_str) {
        Some("remote") => remote::run(&rest[1..]),
        Some("fio") => fio::run(&rest[1..]),
        Some("smallfiles") => smallfiles::run(&rest[1..]),
        Some("plan") if rest.get(1).is_some_and(|verb| verb == "remote") => remote::plan(&rest[2..]),
        Some("plan") if rest.get(1).is_some_and(|verb| verb == "fio") => fio::plan(&rest[2..]),
        Some("plan") if rest.get(1).is_some_and(|verb| verb == "smallfiles") => smallfiles::plan(&rest[2..]),
        _ => by_clap(args),
    }
}

fn by_clap(args: &[String]) -> anyhow::Result<Exit> {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            output::tell(&error.to_string());
            return Ok(Exit::Input);
        }
        Err(help) => {
            output::print(&help.to_string())?;
            return Ok(Exit::Ok);
        }
    };
    match cli.verb {
        Verb::Remote { flags } => remote::run(&flags),
        Verb::Fio { arguments } => fio::run(&arguments),
        Verb::Smallfiles { arguments } => smallfiles::run(&arguments),
        Verb::Plan { command } => {
            anyhow::bail!(
                "'{}' has no plan; write: fsbench plan remote …, plan fio … or plan smallfiles …",
                command.join(" ")
            )
        }
        Verb::Clean(args) => clean::run(&args),
        Verb::Report(args) => report::run(&args),
        Verb::Selftest(args) => selftest::run(&args),
    }
}
