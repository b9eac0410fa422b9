//! Ctrl-C and SIGTERM: the first asks the run to stop and saves what was measured, the second ends the process at once.

use crate::output;
use anyhow::Context;
use fsbench_runner::Stop;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;

/// Listens from now on, in a thread of its own.
pub(crate) fn listen(stop: Arc<Stop>) -> anyhow::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).context("cannot listen for Ctrl-C")?;
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            for _ in signals.forever() {
                if stop.asked() {
                    output::tell("fsbench: ended at once; fsbench clean removes what is left\n");
                    std::process::exit(130);
                }
                output::tell("fsbench: stopping; what was measured is kept (once more to end at once)\n");
                stop.ask();
            }
        })
        .context("cannot start a thread that listens for Ctrl-C")?;
    Ok(())
}
