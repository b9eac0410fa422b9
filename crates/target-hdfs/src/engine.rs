//! The runtimes: each session drives its own calls in its own thread, and reads have threads of their own.
//!
//! Measured on the real HDFS (2 busy cores, hdfs-native alone, two runs; MB/s and CPU-s for each GB, calls/s and CPU-µs
//! for each call), the choice was between one single-threaded runtime and client for each session, and one shared
//! multi-threaded runtime with one client:
//!
//! | | own, 1 thread | shared, 1 thread | own, 4 threads | shared, 4 threads |
//! |---|---|---|---|---|
//! | stat | 11.9-31.8 k/s, 8-24 µs | 6.9-7.3 k/s, 70 µs | 25 k/s, 17-23 µs | 18-25 k/s, 22-32 µs |
//! | list | 6-28 k/s, 15-30 µs | 5-6 k/s, 75-110 µs | 20-22 k/s, 24-30 µs | 20-25 k/s, 27 µs |
//! | write 256 MiB | 204-223, 0.82-0.97 | 211-428, 1.08-1.15 | 288-442, 1.0-1.1 | 325-342, 1.2-1.4 |
//! | read, 1 MiB ranges | 622-636, 0.75-0.89 | 409-478, 1.3-1.5 | 811-868, 1.0 | 587-739, 1.1-1.3 |
//! | read, one stream | 471-613, 1.23-1.30 | 652-729, 1.1-1.2 | 663-706, 1.24 | 864-880, 1.15 |
//!
//! A shared runtime costs each call two more thread switches, so the name space and writes run on the session's own.
//! Reads cannot: the library keeps idle DataNode connections in a table of the *process*. A session would be handed a
//! socket that belongs to another session's runtime, and wait for it as long as that session is doing something else.
//! So readers are opened by one client on a runtime with threads of its own, where streams are fast too.
//!
//! As it is built (`examples/measure.rs`, load 1-3 on 2 cores, chunks of 1,000,000 bytes, 3 runs), 1 and 4 threads: write
//! 525-586 and 587-654 MB/s at 0.6-1.0 CPU-s/GB; read 540-753 and 900-1078 at 1.3-2.0; single ranges 738-846 and 836-969
//! at 0.9-1.4; stat 9-14 k/s and 26-40 k/s at 17-28 µs; list 6-36 k/s and 21-34 k/s; 4 threads peak at 24 MB of memory.
//! About 0.4 CPU-s/GB of each transfer is the library's table-driven CRC32C.
//!
//! A session's runtime stands still between its calls. A keeper drives it for a moment every second, so that leases
//! and connections of files open for writing survive a pause.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};

const KEEP_EVERY: Duration = Duration::from_secs(1);
const KEEP_FOR: Duration = Duration::from_millis(1);

/// A runtime that ends without waiting for its tasks: the library renews leases for ever.
#[derive(Debug)]
pub(crate) struct Engine {
    runtime: Option<Runtime>,
    busy: AtomicBool,
}

impl Engine {
    /// Driven only by who waits.
    pub(crate) fn single() -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Self { runtime: Some(runtime), busy: AtomicBool::new(false) })
    }

    /// Driven by a thread for each processor.
    pub(crate) fn shared() -> std::io::Result<Self> {
        let runtime = Builder::new_multi_thread().thread_name("hdfs-read").enable_all().build()?;
        Ok(Self { runtime: Some(runtime), busy: AtomicBool::new(false) })
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("only drop takes the runtime away")
    }

    pub(crate) fn handle(&self) -> &Handle {
        self.runtime().handle()
    }

    /// Waits for `future` in this thread.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.busy.store(true, Ordering::Relaxed);
        let output = self.runtime().block_on(future);
        self.busy.store(false, Ordering::Relaxed);
        output
    }

    /// Lets timers and sockets go on for a moment, unless the session does that itself. Both at once would be no harm.
    fn keep(&self) {
        if !self.busy.load(Ordering::Relaxed) {
            self.runtime().block_on(async { tokio::time::sleep(KEEP_FOR).await });
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Keeps the engines of sessions alive that are between two calls.
#[derive(Debug)]
pub(crate) struct Keeper {
    engines: Arc<Mutex<Vec<Weak<Engine>>>>,
    /// Its end is the thread's end.
    _end: mpsc::Sender<()>,
}

impl Keeper {
    /// Starts the thread.
    pub(crate) fn start() -> std::io::Result<Self> {
        let engines = Arc::new(Mutex::new(Vec::new()));
        let (end, ended) = mpsc::channel();
        let kept = engines.clone();
        std::thread::Builder::new().name("hdfs-keep".into()).spawn(move || keep(&kept, &ended))?;
        Ok(Self { engines, _end: end })
    }

    /// Adds an engine, until it is dropped elsewhere.
    pub(crate) fn add(&self, engine: &Arc<Engine>) {
        self.engines.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(engine));
    }
}

fn keep(engines: &Mutex<Vec<Weak<Engine>>>, ended: &mpsc::Receiver<()>) {
    while ended.recv_timeout(KEEP_EVERY) == Err(RecvTimeoutError::Timeout) {
        let alive: Vec<Arc<Engine>> = {
            let mut engines = engines.lock().unwrap_or_else(PoisonError::into_inner);
            engines.retain(|engine| engine.strong_count() > 0);
            engines.iter().filter_map(Weak::upgrade).collect()
        };
        for engine in alive {
            engine.keep();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn tasks_go_on_while_nobody_waits() {
        let engine = Arc::new(Engine::single().expect("a runtime"));
        let keeper = Keeper::start().expect("a thread");
        keeper.add(&engine);
        let count = Arc::new(AtomicU32::new(0));
        let counted = count.clone();
        engine.handle().spawn(async move {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        std::thread::sleep(KEEP_EVERY + Duration::from_millis(500));
        assert_eq!(count.load(Ordering::Relaxed), 1);
        assert_eq!(engine.wait(async { 7 }), 7);
    }
}
