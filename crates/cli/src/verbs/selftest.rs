//! `fsbench selftest`: what the tool itself costs, on stores that cost nothing.

use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Threads of each measurement
    #[arg(long, default_value_t = 1)]
    threads: u32,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    anyhow::bail!("selftest {}", args.threads)
}
