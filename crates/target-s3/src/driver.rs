//! From calls that wait to futures: a session's runtime, and the word to stop that reaches into every wait.

use crate::failure::{Failure, Outcome};
use fsbench_target::{Error, ErrorKind, Result};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

/// How long removing what is left may take, after which it is an error.
pub(crate) const CLEANUP: Duration = Duration::from_secs(15);

/// Runs the futures of one session, in its thread.
pub(crate) struct Driver {
    runtime: Option<Runtime>,
    told: watch::Receiver<bool>,
    /// Ends when the target is interrupted.
    stop: Option<Pin<Box<dyn Future<Output = ()>>>>,
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A name resolution that hangs must not hang the run.
            runtime.shutdown_background();
        }
    }
}

async fn stopped(mut told: watch::Receiver<bool>) {
    if told.wait_for(|told| *told).await.is_err() {
        std::future::pending().await
    }
}

impl Driver {
    pub(crate) fn new(told: watch::Receiver<bool>) -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build();
        let runtime = runtime.map_err(|error| Error::of_io("s3", "start a session on", "s3", &error))?;
        Ok(Self { runtime: Some(runtime), told, stop: None })
    }

    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.as_ref().expect("the runtime lives as long as the session").block_on(future)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        *self.told.borrow()
    }

    /// Runs a future to its end. `None`: the target was interrupted, and the future dropped.
    pub(crate) fn run<F: Future>(&mut self, future: F) -> Option<F::Output> {
        if self.is_stopped() {
            return None;
        }
        let told = &self.told;
        let mut stop = self.stop.take().unwrap_or_else(|| Box::pin(stopped(told.clone())));
        let mut future = pin!(future);
        let done = self.block_on(poll_fn(|cx| {
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                return Poll::Ready(Some(output));
            }
            stop.as_mut().poll(cx).map(|()| None)
        }));
        if done.is_some() {
            self.stop = Some(stop);
        }
        done
    }

    /// Runs a future a little: what is ready moves on, nothing is waited for.
    pub(crate) fn poke(&mut self, mut poll: impl FnMut(&mut std::task::Context<'_>)) {
        self.block_on(async {
            poll_fn(|cx| Poll::Ready(poll(cx))).await;
            tokio::task::yield_now().await;
            poll_fn(|cx| Poll::Ready(poll(cx))).await;
        });
    }

    /// Runs a future to its end, interrupted or not, but not for long.
    pub(crate) fn clean<T>(&mut self, future: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        let done = self.block_on(async { tokio::time::timeout(CLEANUP, future).await });
        done.unwrap_or_else(|_| {
            Err(Failure::new(ErrorKind::Timeout, format!("it took longer than {} s", CLEANUP.as_secs())))
        })
    }
}
