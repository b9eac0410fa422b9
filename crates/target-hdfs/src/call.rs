//! Calls with an end: every one has a time limit, and a run that is told to stop ends them all.

use crate::client::{Fault, Outcome};
use crate::engine::Engine;
use fsbench_target::ErrorKind;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Runs calls on a session's engine, in its thread.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    pub(crate) engine: Arc<Engine>,
    pub(crate) stop: watch::Receiver<bool>,
    pub(crate) timeout: Option<Duration>,
}

fn stopped() -> Fault {
    Fault::new(ErrorKind::Interrupted, "the run was told to stop")
}

impl Calls {
    /// Waits for `call` in this thread.
    pub(crate) fn wait<T>(&self, call: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        self.engine.wait(self.limited(call))
    }

    /// Waits for `call`, also when the run was told to stop, but no longer than `limit`.
    pub(crate) fn wait_anyhow<T>(&self, limit: Duration, call: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        self.engine.wait(async { within(Some(limit), call).await })
    }

    /// `call` with the time limit, ended by a stop.
    pub(crate) async fn limited<T>(&self, call: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        let mut stop = self.stop.clone();
        if *stop.borrow() {
            return Err(stopped());
        }
        tokio::select! {
            biased;
            outcome = within(self.timeout, call) => outcome,
            _ = stop.wait_for(|stop| *stop) => Err(stopped()),
        }
    }
}

async fn within<T>(limit: Option<Duration>, call: impl Future<Output = Outcome<T>>) -> Outcome<T> {
    let Some(limit) = limit else { return call.await };
    match tokio::time::timeout(limit, call).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Fault::new(ErrorKind::Timeout, format!("no answer within {} s", limit.as_secs_f64()))
            .with_hint("dfs.client.socket-timeout is the limit")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn bench() -> (watch::Sender<bool>, Calls) {
        let (sender, stop) = watch::channel(false);
        let engine = Arc::new(Engine::single().expect("a runtime"));
        (sender, Calls { engine, stop, timeout: Some(Duration::from_millis(50)) })
    }

    #[test]
    fn a_silent_call_ends_at_the_limit() {
        let (_sender, calls) = bench();
        let fault = calls.wait::<()>(std::future::pending()).expect_err("nothing comes");
        assert_eq!(fault.kind, ErrorKind::Timeout);
        assert_eq!(calls.wait(async { Ok(7) }), Ok(7));
    }

    #[test]
    fn a_stop_ends_calls_under_way_and_refuses_later_ones() {
        let (sender, mut calls) = bench();
        calls.timeout = None;
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            sender.send_replace(true);
            sender
        });
        let before = Instant::now();
        assert_eq!(calls.wait::<()>(std::future::pending()).expect_err("stopped").kind, ErrorKind::Interrupted);
        assert!(before.elapsed() < Duration::from_secs(5));
        let sender = thread.join().expect("joins");
        assert_eq!(calls.wait(async { Ok(7) }).expect_err("refused").kind, ErrorKind::Interrupted);
        assert_eq!(calls.wait_anyhow(Duration::from_secs(1), async { Ok(7) }), Ok(7));
        sender.send_replace(false);
        assert_eq!(calls.wait(async { Ok(7) }), Ok(7));
    }
}
