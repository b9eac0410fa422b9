//! Polling a future a little later, at the one moment where that matters.
//!
//! This is what keeps a close from measuring a timer. The library's close waits for the DataNode's last
//! acknowledgement and at once asks the NameNode to complete the file. The DataNode reports the block to the NameNode at
//! that same moment, nearly always loses that race, and the library then sleeps 500 ms. A pause of a few milliseconds
//! between the acknowledgement and the question lets the report win. Nothing is cancelled or repeated: the library is
//! merely polled later.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

/// The output of `future`, which is polled `pause` late whenever it asks for that after `running` has fallen: the
/// number of tasks that run for it. A writer's acknowledgements are such a task, which ends with the last of them; the
/// NameNode's answer comes from one that goes on, and is not made to wait.
pub(crate) async fn paced<F: Future>(future: F, pause: Duration, running: impl Fn() -> usize) -> F::Output {
    let mut future = pin!(future);
    loop {
        let mut before = None;
        let output = poll_fn(|context| match before {
            Some(before) if running() < before => Poll::Ready(None),
            _ => {
                let polled = future.as_mut().poll(context).map(Some);
                before = Some(running());
                polled
            }
        });
        if let Some(output) = output.await {
            return output;
        }
        tokio::time::sleep(pause).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn only_the_end_of_a_task_makes_a_pause() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let handle = runtime.handle().clone();
        let pause = Duration::from_millis(50);
        let running = || handle.metrics().num_alive_tasks();
        let short = || tokio::time::sleep(Duration::from_millis(5));
        let before = Instant::now();
        runtime.block_on(async { paced(short(), pause, running).await });
        assert!(before.elapsed() < pause);
        let ended = runtime.block_on(async { paced(tokio::spawn(short()), pause, running).await });
        assert!(ended.is_ok() && before.elapsed() >= pause);
    }
}
