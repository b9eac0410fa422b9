//! What the tests share: the server that the environment names, a probe that counts, files written and read whole.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "each test binary uses its part")]

use fsbench_target::{
    Buffer, Completion, ErrorKind, Event, FileId, Io, IoKind, OpenMode, OpenOptions, Probe, Result, Session, Stage,
};
use fsbench_target_s3::{S3Config, S3Target};
use std::cell::RefCell;
use std::time::Instant;

/// The server that `FSBENCH_TEST_S3_*` name.
pub struct Server {
    pub endpoint: String,
    pub access_key: String,
    pub secret_key: String,
    pub region: String,
    pub bucket: String,
    pub bundle: Option<String>,
}

impl Server {
    /// The plain server; `None`, with the reason printed, when the environment names none.
    pub fn from_env() -> Option<Self> {
        Self::named("ENDPOINT")
    }

    /// The server with TLS, whose authority is in `FSBENCH_TEST_S3_CA`.
    pub fn tls_from_env() -> Option<Self> {
        let mut server = Self::named("TLS_ENDPOINT")?;
        server.bundle = Some(std::env::var("FSBENCH_TEST_S3_CA").expect("an authority comes with a TLS endpoint"));
        Some(server)
    }

    fn named(endpoint: &str) -> Option<Self> {
        let value = |name: &str| std::env::var(format!("FSBENCH_TEST_S3_{name}")).ok();
        let Some(endpoint) = value(endpoint) else {
            let required = std::env::var("FSBENCH_TEST_REQUIRE").is_ok_and(|value| value == "1");
            assert!(!required, "FSBENCH_TEST_S3_{endpoint} is not set, and FSBENCH_TEST_REQUIRE=1");
            eprintln!("skipped: FSBENCH_TEST_S3_{endpoint} is not set (cargo xtask servers start, then env)");
            return None;
        };
        Some(Self {
            endpoint,
            access_key: value("ACCESS_KEY").expect("an access key comes with an endpoint"),
            secret_key: value("SECRET_KEY").expect("a secret key comes with an endpoint"),
            region: value("REGION").unwrap_or_else(|| "us-east-1".into()),
            bucket: value("BUCKET").expect("a bucket comes with an endpoint"),
            bundle: None,
        })
    }

    pub fn without_bundle(mut self) -> Self {
        self.bundle = None;
        self
    }

    /// A target on a prefix of the test's own. Later settings win.
    pub fn target(&self, prefix: &str, settings: &[(&str, &str)]) -> S3Target {
        self.target_in(&self.bucket, prefix, settings)
    }

    pub fn target_in(&self, bucket: &str, prefix: &str, settings: &[(&str, &str)]) -> S3Target {
        let base = [
            ("AWS_ENDPOINT", self.endpoint.as_str()),
            ("AWS_ACCESS_KEY", &self.access_key),
            ("AWS_SECRET_KEY", &self.secret_key),
            ("AWS_REGION", &self.region),
        ];
        let bundle = self.bundle.as_deref().map(|path| ("s3.ca_bundle", path));
        // Runs may share the bucket.
        let prefix = format!("target-s3-{}/{prefix}", std::process::id());
        target(bucket, &prefix, &base.into_iter().chain(bundle).chain(settings.iter().copied()).collect::<Vec<_>>())
    }
}

/// A target from settings alone.
pub fn target(bucket: &str, prefix: &str, settings: &[(&str, &str)]) -> S3Target {
    let settings: Vec<_> = settings.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
    let (config, _) =
        S3Config::resolve(&format!("s3://{bucket}/{prefix}"), &settings, &|_| None).unwrap_or_else(|e| panic!("{e}"));
    S3Target::new(config).unwrap_or_else(|error| panic!("{error}"))
}

/// A probe that counts.
pub struct Tally {
    start: Instant,
    stages: RefCell<Vec<(Stage, u64)>>,
    events: RefCell<Vec<Event>>,
}

impl Default for Tally {
    fn default() -> Self {
        Self { start: Instant::now(), stages: RefCell::default(), events: RefCell::default() }
    }
}

impl Probe for Tally {
    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64 + 1
    }

    fn stage(&self, stage: Stage, start: u64, bytes: u64) {
        assert!(start <= self.now());
        self.stages.borrow_mut().push((stage, bytes));
    }

    fn event(&self, event: Event) {
        self.events.borrow_mut().push(event);
    }
}

impl Tally {
    pub fn count(&self, stage: Stage) -> u64 {
        self.stages.borrow().iter().filter(|(seen, _)| *seen == stage).count() as u64
    }

    pub fn bytes(&self, stage: Stage) -> u64 {
        self.stages.borrow().iter().filter(|(seen, _)| *seen == stage).map(|(_, bytes)| bytes).sum()
    }

    pub fn events(&self, event: Event) -> usize {
        self.events.borrow().iter().filter(|seen| **seen == event).count()
    }
}

pub fn sample(len: usize) -> Vec<u8> {
    (0..len as u64).map(|i| ((i ^ (i >> 9)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect()
}

pub fn options(mode: OpenMode, size: usize, hint: bool) -> OpenOptions {
    OpenOptions { mode, size_hint: hint.then_some(size as u64) }
}

pub fn kind<T: std::fmt::Debug>(result: Result<T>) -> ErrorKind {
    result.expect_err("this call must fail").kind
}

pub fn reap_one(session: &mut dyn Session) -> Completion {
    let mut done = Vec::new();
    session.reap(1, &mut done).expect("reap works");
    assert_eq!(done.len(), 1);
    done.remove(0)
}

pub fn write_io(file: FileId, offset: u64, data: &[u8]) -> Io {
    let mut buffer = Buffer::new(data.len());
    buffer.as_mut().copy_from_slice(data);
    Io { tag: offset, file, kind: IoKind::Write, offset, len: data.len(), buffer }
}

pub fn write(session: &mut dyn Session, file: FileId, data: &[u8], chunk: usize) -> Result<()> {
    let mut offset = 0;
    for piece in data.chunks(chunk) {
        session.submit(write_io(file, offset, piece))?;
        assert_eq!(reap_one(session).result?, piece.len());
        offset += piece.len() as u64;
    }
    Ok(())
}

pub fn put(session: &mut dyn Session, path: &str, mode: OpenMode, data: &[u8], chunk: usize, hint: bool) -> Result<()> {
    let file = session.open(path, options(mode, data.len(), hint))?;
    write(session, file, data, chunk)?;
    session.close(file)
}

pub fn read_at(session: &mut dyn Session, file: FileId, offset: u64, len: usize) -> Result<Vec<u8>> {
    session.submit(Io { tag: 1, file, kind: IoKind::Read, offset, len, buffer: Buffer::new(len) })?;
    let done = reap_one(session);
    done.result.map(|count| done.buffer.as_ref()[..count].to_vec())
}

pub fn get(session: &mut dyn Session, path: &str) -> Vec<u8> {
    let file = session.open(path, options(OpenMode::Read, 0, false)).unwrap_or_else(|error| panic!("{error}"));
    let size = session.size(file).expect("it is open");
    let data = read_at(session, file, 0, size as usize).unwrap_or_else(|error| panic!("{error}"));
    session.close(file).expect("closes");
    data
}
