//! From calls that wait to futures: a session's runtime, and the word to stop that reaches into every wait.
//!
//! Most calls are one request at a time. Their futures run without the runtime, and wait in the socket's own system calls
//! ([`crate::wire`]); only to connect, or to pause before a retry, they need it. Several requests in flight always do.

use crate::failure::{Failure, Outcome};
use fsbench_target::{Error, ErrorKind, Result};
use futures_util::task::AtomicWaker;
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::task::unconstrained;

/// How long removing what is left may take, after which it is an error.
const CLEANUP: Duration = Duration::from_secs(15);

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

/// How the connections of a session wait.
pub(crate) struct Mode {
    alone: Cell<bool>,
    stop: Arc<Stop>,
}

impl Mode {
    pub(crate) fn new(stop: Arc<Stop>) -> Rc<Self> {
        Rc::new(Self { alone: Cell::new(false), stop })
    }

    /// Whether the request under way is all that there is, so that its thread may sleep in a system call.
    pub(crate) fn is_alone(&self) -> bool {
        self.alone.get()
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.told.load(Ordering::SeqCst)
    }
}

/// Runs the futures of one session, in its thread.
pub(crate) struct Driver {
    runtime: Option<Runtime>,
    mode: Rc<Mode>,
    waiting: Arc<AtomicWaker>,
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
    pub(crate) fn new(mode: Rc<Mode>) -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build();
        let runtime = runtime.map_err(|error| Error::of_io("s3", "start a session on", "s3", &error))?;
        let waiting = mode.stop.subscribe();
        Ok(Self { runtime: Some(runtime), mode, waiting })
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("the runtime lives as long as the session")
    }

    /// Polls to the end. Two things must not happen in here, or a future that outlives the call is forgotten: tokio's
    /// cooperative budget running out, and its `yield_now`. Both park a waker in a place that is dropped with the call.
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime().block_on(unconstrained(future))
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.mode.is_stopped()
    }

    /// Runs a future to its end. `None`: the target was interrupted, and the future dropped.
    pub(crate) fn run<F: Future>(&mut self, future: F) -> Option<F::Output> {
        self.run_pinned(pin!(future))
    }

    /// The same for a future that has only one request under way at any time, while nothing else moves.
    pub(crate) fn run_alone<F: Future>(&mut self, future: F) -> Option<F::Output> {
        if self.is_stopped() {
            return None;
        }
        let mut future = pin!(future);
        self.mode.alone.set(true);
        let entered = self.runtime().enter();
        let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        drop(entered);
        let done = match polled {
            Poll::Ready(output) => Some(output),
            Poll::Pending => self.run_pinned(future),
        };
        self.mode.alone.set(false);
        done
    }

    fn run_pinned<F: Future>(&self, mut future: Pin<&mut F>) -> Option<F::Output> {
        if self.is_stopped() {
            return None;
        }
        self.block_on(poll_fn(|cx| {
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                return Poll::Ready(Some(output));
            }
            self.waiting.register(cx.waker());
            if self.is_stopped() { Poll::Ready(None) } else { Poll::Pending }
        }))
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
