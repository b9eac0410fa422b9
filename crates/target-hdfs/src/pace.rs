//! Letting a future wait a little after each wake-up.
//!
//! This is what keeps a close from measuring a timer. The library's close waits for the DataNode's last
//! acknowledgement and at once asks the NameNode to complete the file. The DataNode reports the block to the NameNode at
//! that same moment, nearly always loses that race, and the library then sleeps 500 ms. A pause of a few milliseconds
//! between the acknowledgement and the question lets the report win. Nothing is cancelled or repeated: the library is
//! merely polled later.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::time::Duration;

/// The output of `future`, which is polled once, and then `pause` after each time that it asks to be polled.
pub(crate) async fn paced<F: Future>(future: F, pause: Duration) -> F::Output {
    let mut future = pin!(future);
    loop {
        let mut polled = false;
        let output = poll_fn(|context| {
            if polled {
                return std::task::Poll::Ready(None);
            }
            polled = true;
            future.as_mut().poll(context).map(Some)
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
    fn every_wake_up_is_answered_later() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let before = Instant::now();
        let work = async {
            for _ in 0..3 {
                tokio::task::yield_now().await;
            }
            7
        };
        assert_eq!(runtime.block_on(paced(work, Duration::from_millis(5))), 7);
        assert!(before.elapsed() >= Duration::from_millis(15));
    }
}
