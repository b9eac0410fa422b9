//! From calls that wait to futures: a session's runtime, and the word to stop that reaches into every wait.

use crate::failure::{Failure, Outcome};
use fsbench_target::{Error, ErrorKind, Probe, Result};
use futures_util::task::AtomicWaker;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::task::unconstrained;

/// How long removing what is left may take, after which it is an error.
const CLEANUP: Duration = Duration::from_secs(15);
/// After a rest longer than this, connections are looked at before they are used: the server may have closed some.
const REST_NS_MAX: u64 = 20_000_000;

/// The word to stop, for all sessions of a target.
#[derive(Default)]
pub(crate) struct Stop {
    told: AtomicBool,
    sessions: Mutex<Vec<Weak<AtomicWaker>>>,
}

impl Stop {
    fn sessions(&self) -> MutexGuard<'_, Vec<Weak<AtomicWaker>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn subscribe(&self) -> Arc<AtomicWaker> {
        let waker = Arc::new(AtomicWaker::new());
        let mut sessions = self.sessions();
        sessions.retain(|session| session.strong_count() > 0);
        sessions.push(Arc::downgrade(&waker));
        waker
    }

    /// Gives the word, or takes it back.
    pub(crate) fn tell(&self, stop: bool) {
        self.told.store(stop, Ordering::SeqCst);
        self.sessions().iter().filter_map(Weak::upgrade).for_each(|session| session.wake());
    }
}

/// Runs the futures of one session, in its thread.
pub(crate) struct Driver {
    runtime: Option<Runtime>,
    stop: Arc<Stop>,
    waiting: Arc<AtomicWaker>,
    probe: Rc<dyn Probe>,
    /// When the last run ended.
    last_ns: u64,
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A name resolution that hangs must not hang the run.
            runtime.shutdown_background();
        }
    }
}

/// Comes back after the runtime has looked at its sockets and timers.
fn turn<T>(cx: &Context<'_>) -> Poll<T> {
    cx.waker().wake_by_ref();
    Poll::Pending
}

impl Driver {
    pub(crate) fn new(stop: Arc<Stop>, probe: Rc<dyn Probe>) -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build();
        let runtime = runtime.map_err(|error| Error::of_io("s3", "start a session on", "s3", &error))?;
        let waiting = stop.subscribe();
        Ok(Self { runtime: Some(runtime), stop, waiting, probe, last_ns: 0 })
    }

    /// Polls to the end. Two things must not happen in here, or a future that outlives the call is forgotten: tokio's
    /// cooperative budget running out, and its `yield_now`. Both park a waker in a place that is dropped with the call.
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        let runtime = self.runtime.as_ref().expect("the runtime lives as long as the session");
        runtime.block_on(unconstrained(future))
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.told.load(Ordering::SeqCst)
    }

    /// Runs a future to its end. `None`: the target was interrupted, and the future dropped.
    pub(crate) fn run<F: Future>(&mut self, future: F) -> Option<F::Output> {
        if self.is_stopped() {
            return None;
        }
        let mut look = self.has_rested();
        let mut future = pin!(future);
        let done = self.block_on(poll_fn(|cx| {
            if std::mem::take(&mut look) {
                // Before anything is sent, the runtime shall see which connections were closed meanwhile.
                return turn(cx);
            }
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                return Poll::Ready(Some(output));
            }
            self.waiting.register(cx.waker());
            if self.is_stopped() { Poll::Ready(None) } else { Poll::Pending }
        }));
        self.last_ns = self.probe.now();
        done
    }

    fn has_rested(&self) -> bool {
        let now = self.probe.now();
        now == 0 || now.saturating_sub(self.last_ns) > REST_NS_MAX
    }

    /// Runs a future a little: what is ready moves on, nothing is waited for.
    pub(crate) fn poke(&mut self, mut poll: impl FnMut(&mut Context<'_>)) {
        let mut first = true;
        self.block_on(poll_fn(|cx| {
            poll(cx);
            if std::mem::take(&mut first) { turn(cx) } else { Poll::Ready(()) }
        }));
    }

    /// Runs a future to its end, interrupted or not, but not for long.
    pub(crate) fn clean<T>(&mut self, future: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        let done = self.block_on(async { tokio::time::timeout(CLEANUP, future).await });
        done.unwrap_or_else(|_| {
            Err(Failure::new(ErrorKind::Timeout, format!("it took longer than {} s", CLEANUP.as_secs())))
        })
    }
}
