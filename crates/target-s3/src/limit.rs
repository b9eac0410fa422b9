//! The limit on open connections, over all sessions of a target.
//!
//! A session keeps its idle connections, but when another one has to wait it takes an idle connection's place: that one is
//! shut, and its owner opens a new one when it needs it. Without a limit nothing here costs anything.

use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many connections may be open.
#[derive(Debug)]
pub(crate) struct Limit {
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    open: Mutex<Vec<Weak<Place>>>,
}

/// One open connection's place under the limit, from before its connect until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    limit: Arc<Limit>,
    idle: AtomicBool,
    held: Mutex<Held>,
}

#[derive(Debug)]
struct Held {
    permit: Option<OwnedSemaphorePermit>,
    socket: Option<TcpStream>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Limit {
    pub(crate) fn new(connections: usize) -> Arc<Self> {
        Arc::new(Self {
            places: Arc::new(Semaphore::new(connections.min(Semaphore::MAX_PERMITS))),
            waiting: AtomicUsize::new(0),
            open: Mutex::default(),
        })
    }

    /// Waits for a place: a free one, an idle connection's, or one that somebody gives back.
    pub(crate) async fn place(self: &Arc<Self>) -> Arc<Place> {
        let permit = match self.places.clone().try_acquire_owned() {
            Ok(permit) => Some(permit),
            Err(_) => self.wait().await,
        };
        let held = Held { permit, socket: None };
        let place = Arc::new(Place { limit: self.clone(), idle: AtomicBool::new(false), held: Mutex::new(held) });
        let mut open = lock(&self.open);
        open.retain(|place| place.strong_count() > 0);
        open.push(Arc::downgrade(&place));
        place
    }

    async fn wait(self: &Arc<Self>) -> Option<OwnedSemaphorePermit> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let _waiting = Waiting(self);
        if let Some(permit) = self.evict() {
            return Some(permit);
        }
        self.places.clone().acquire_owned().await.ok()
    }

    /// Takes the place of a connection that nobody uses just now.
    fn evict(&self) -> Option<OwnedSemaphorePermit> {
        let open: Vec<_> = lock(&self.open).iter().filter_map(Weak::upgrade).collect();
        let place = open.iter().find(|place| place.idle.swap(false, Ordering::SeqCst))?;
        let mut held = lock(&place.held);
        if let Some(socket) = held.socket.take() {
            // The owner finds it closed; that this may fail on a socket that has ended already does not matter.
            let _ = socket.shutdown(Shutdown::Both);
        }
        held.permit.take()
    }
}

struct Waiting<'a>(&'a Limit);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Place {
    /// Remembers the connection, so that it can be shut when somebody else takes the place.
    pub(crate) fn occupy(&self, socket: Option<TcpStream>) {
        lock(&self.held).socket = socket;
    }

    /// Says that the connection is idle now. False: somebody waits, and the connection is to be dropped.
    pub(crate) fn rest(&self) -> bool {
        self.idle.store(true, Ordering::SeqCst);
        self.limit.waiting.load(Ordering::SeqCst) == 0 || !self.idle.swap(false, Ordering::SeqCst)
    }

    /// Takes the connection into use. False: it was shut meanwhile.
    pub(crate) fn resume(&self) -> bool {
        self.idle.swap(false, Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test(flavor = "current_thread")]
    async fn a_waiter_takes_an_idle_place_and_only_that() {
        let limit = Limit::new(2);
        let (busy, idle) = (limit.place().await, limit.place().await);
        assert!(idle.rest());
        let third = limit.place().await;
        assert!(!idle.resume(), "the idle one lost its place");
        assert!(tokio::time::timeout(Duration::from_millis(20), limit.place()).await.is_err(), "two are in use");
        drop(third);
        let _fourth = limit.place().await;
        drop(busy);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn who_rests_while_somebody_waits_gives_the_place_up() {
        let limit = Limit::new(1);
        let first = limit.place().await;
        let waiter = limit.clone();
        let waiting = async move { waiter.place().await };
        let give = async {
            tokio::task::yield_now().await;
            assert!(!first.rest());
            drop(first);
        };
        tokio::join!(waiting, give);
    }
}
