//! What the peers share: the job that they are given, and how it is timed and reported. What a request is made of is
//! each peer's own.
//!
//! A peer is called as `peer OPERATION BYTES COUNT TASKS BUCKET PREFIX [VARIANT]`, finds the server and the keys in the
//! usual AWS variables, does COUNT operations of BYTES in TASKS tasks, task t on the object `PREFIX/test_<t>` as fsbench
//! does, and prints one line of JSON. Its CPU time is that of the loop alone: what it needs to start is not counted.

use rustix::time::{ClockId, clock_gettime};
use std::future::Future;
use std::time::Instant;

/// What to do, again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Write a whole object.
    Put,
    /// Read a whole object, and drop the pieces as they come.
    Get,
    /// Read a whole object into one piece of memory.
    GetBytes,
    /// Read the next BYTES of a larger object.
    Range,
    /// What opening and reading a file is: HEAD, then a ranged GET.
    Open,
}

/// The command line.
#[derive(Clone, Debug)]
pub struct Job {
    /// What to do.
    pub operation: Operation,
    /// Bytes of one object, or of one range.
    pub bytes: u64,
    /// Operations of each task.
    pub each: u64,
    /// Tasks, and so connections.
    pub tasks: u64,
    /// The bucket.
    pub bucket: String,
    /// What keys begin with.
    pub prefix: String,
    /// How the client is set up, if there is a choice.
    pub variant: String,
}

impl Job {
    /// Reads the command line.
    ///
    /// # Panics
    /// With the right usage, if it is wrong.
    #[must_use]
    pub fn from_args() -> Self {
        let args: Vec<String> = std::env::args().skip(1).collect();
        let arg = |at: usize| args.get(at).cloned().unwrap_or_default();
        let number = |at: usize| arg(at).parse::<u64>().expect("OPERATION BYTES COUNT TASKS BUCKET PREFIX [VARIANT]");
        let operation = match arg(0).as_str() {
            "put" => Operation::Put,
            "get" => Operation::Get,
            "get-bytes" => Operation::GetBytes,
            "range" => Operation::Range,
            "open" => Operation::Open,
            other => panic!("'{other}' is no operation: put, get, get-bytes, range or open"),
        };
        let tasks = number(3);
        let each = number(2).div_ceil(tasks);
        Self { operation, bytes: number(1), each, tasks, bucket: arg(4), prefix: arg(5), variant: arg(6) }
    }

    /// The object of a task.
    #[must_use]
    pub fn key(&self, task: u64) -> String {
        format!("{}/test_{task}", self.prefix)
    }

    /// The bytes that the task's `nth` operation reads, as an inclusive range.
    #[must_use]
    pub fn range(&self, nth: u64) -> (u64, u64) {
        let start = if self.operation == Operation::Range { nth * self.bytes } else { 0 };
        (start, start + self.bytes - 1)
    }
}

/// Runs `work` once for each task, on tokio's default runtime as users have it, and prints what it cost.
///
/// # Panics
/// When an operation failed: a peer that makes mistakes is not measured.
pub fn measure<F, W>(job: &Job, work: F)
where
    F: Fn(u64) -> W,
    W: Future<Output = u64> + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let start = Start::now();
    let bytes: u64 = runtime.block_on(async {
        let tasks: Vec<_> = (0..job.tasks).map(|task| tokio::spawn(work(task))).collect();
        let mut bytes = 0;
        for task in tasks {
            bytes += task.await.expect("a task ends well");
        }
        bytes
    });
    start.report(job, bytes);
}

/// Runs `work` once for each task, each in a thread of its own, and prints what it cost.
///
/// # Panics
/// When an operation failed.
pub fn measure_threads(job: &Job, work: impl Fn(u64) -> u64 + Sync) {
    let start = Start::now();
    let bytes = std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..job.tasks).map(|task| scope.spawn(move || work(task))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a task ends well")).sum()
    });
    start.report(job, bytes);
}

/// When the loop began, on both clocks.
struct Start {
    wall: Instant,
    cpu_ns: u64,
}

impl Start {
    fn now() -> Self {
        Self { wall: Instant::now(), cpu_ns: cpu_ns() }
    }

    fn report(&self, job: &Job, bytes: u64) {
        let (wall, cpu) = (self.wall.elapsed().as_nanos(), cpu_ns() - self.cpu_ns);
        let operations = job.tasks * job.each;
        assert_eq!(bytes, operations * job.bytes, "bytes that were moved");
        let requests = if job.operation == Operation::Open { 2 * operations } else { operations };
        println!(r#"{{"requests": {requests}, "bytes": {bytes}, "wall_ns": {wall}, "cpu_ns": {cpu}}}"#);
    }
}

/// User and system time of the process.
fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}
