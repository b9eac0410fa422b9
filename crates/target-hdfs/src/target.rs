//! The target: one HDFS, shared by all workers.
//!
//! Nothing is retried, and nothing but the runner reads a clock.

use crate::call::Calls;
use crate::client::Fault;
use crate::config::HdfsConfig;
use crate::file;
use crate::native::{NativeClient, VERSION};
use crate::session::{Common, HdfsSession};
use fsbench_target::{Capabilities, ErrorKind, Probe, Result, Session, Target};
use std::rc::Rc;
use std::sync::Arc;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::watch;

/// A directory on an HDFS. Nothing is connected before the first call of a session.
pub struct HdfsTarget {
    config: HdfsConfig,
    client: Arc<NativeClient>,
    stop: watch::Sender<bool>,
    runtime: Engine,
}

/// The runtime, which ends without waiting for its tasks: the library renews leases for ever.
struct Engine(Option<Runtime>);

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl HdfsTarget {
    /// The target that `config` describes.
    ///
    /// # Errors
    /// When threads cannot be started, or the library does not accept the configuration.
    pub fn new(config: HdfsConfig) -> Result<Self> {
        let uri = config.uri();
        let wrong = |fault| file::error("set up", &uri, fault);
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads())
            .thread_name("hdfs-io")
            .enable_all()
            .build()
            .map_err(|error| wrong(Fault::new(ErrorKind::Other, format!("no threads can be started: {error}"))))?;
        let client = NativeClient::new(&config, runtime.handle().clone()).map_err(wrong)?;
        Ok(Self { client: Arc::new(client), stop: watch::Sender::new(false), runtime: Engine(Some(runtime)), config })
    }

    fn handle(&self) -> Handle {
        self.runtime.0.as_ref().expect("the runtime is taken by drop only").handle().clone()
    }
}

/// Threads that drive sockets and checksums.
fn threads() -> usize {
    2
}

impl std::fmt::Debug for HdfsTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HdfsTarget").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Target for HdfsTarget {
    fn scheme(&self) -> &'static str {
        "hdfs"
    }

    fn uri(&self) -> String {
        self.config.uri()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            random_write: false,
            append: true,
            truncate: false,
            sync: true,
            atomic_rename: true,
            rename_refuses_existing: true,
            directories: true,
            page_cache: false,
            parallel_reads: true,
        }
    }

    fn facts(&self) -> Vec<(String, String)> {
        let config = &self.config;
        let or_default = |value: Option<String>| value.unwrap_or_else(|| "the NameNode's default".into());
        let facts = [
            ("client", format!("hdfs-native {VERSION}")),
            ("namenode", format!("{} ({})", config.address.authority, config.address.namenodes.join(", "))),
            ("user", config.identity.user().to_owned()),
            ("authentication", config.identity.authentication().to_owned()),
            ("protection", config.protection()),
            ("replication", or_default(config.replication.map(|count| count.to_string()))),
            ("block size", or_default(config.block_size.map(|size| size.to_string()))),
            ("call timeout", config.timeout.map_or("none".into(), |limit| format!("{} s", limit.as_secs_f64()))),
            ("failover attempts", config.attempts.to_string()),
            ("sync at close", config.sync.to_string()),
            ("close", "close waits in steps of 500 ms (hdfs-native)".into()),
        ];
        facts.map(|(name, value)| (name.to_owned(), value)).into()
    }

    fn session(&self, probe: Rc<dyn Probe>) -> Result<Box<dyn Session>> {
        let calls = Calls { runtime: self.handle(), stop: self.stop.subscribe(), timeout: self.config.timeout };
        let common = Common {
            client: self.client.clone(),
            calls,
            base_uri: self.config.uri(),
            base_path: self.config.address.path.clone(),
            sync: self.config.sync,
        };
        Ok(Box::new(HdfsSession::new(common, probe)))
    }

    fn interrupt(&self) {
        self.stop.send_replace(true);
    }

    fn resume(&self) {
        self.stop.send_replace(false);
    }
}
