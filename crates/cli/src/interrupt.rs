//! Signals: the first Ctrl-C or SIGTERM asks the run to stop and saves what was measured, one a while later ends the process
//! at once; SIGUSR1 asks for the results so far, where a run shows them.

use crate::output;
use anyhow::Context;
use fsbench_runner::{Clock, Live, Stop};
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;
use std::sync::Arc;

/// Signals that come this close together are one: timeout(1) sends the same to the process and to its group.
const ONE_NS: u64 = 700_000_000;

/// Listens from now on, in a thread of its own.
pub(crate) fn listen(stop: Arc<Stop>, live: Arc<Live>) -> anyhow::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGUSR1]).context("cannot listen for Ctrl-C")?;
    let body = move || {
        let clock = Clock::start();
        let mut first = None;
        for signal in signals.forever() {
            match first {
                _ if signal == SIGUSR1 => live.ask_status(),
                Some(first) if clock.now() - first < ONE_NS => {}
                Some(_) => {
                    output::tell("fsbench: ended at once; fsbench clean removes what is left\n");
                    std::process::exit(130);
                }
                None => {
                    output::tell("fsbench: stopping; what was measured is kept (once more to end at once)\n");
                    first = Some(clock.now());
                    stop.ask();
                }
            }
        }
    };
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(body)
        .context("cannot start a thread that listens for Ctrl-C")?;
    Ok(())
}
