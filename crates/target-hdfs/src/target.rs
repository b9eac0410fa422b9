//! The target: one HDFS, shared by all workers.
//!
//! Nothing is retried, and nothing but the runner reads a clock.

use crate::call::Calls;
use crate::client::{Fault, Outcome};
use crate::config::HdfsConfig;
use crate::engine::{Engine, Keeper};
use crate::file;
use crate::native::{CLOSE_PAUSE, NativeClient, VERSION};
use crate::session::{Common, HdfsSession};
use fsbench_target::{Capabilities, ErrorKind, Probe, Result, Session, Target};
use std::rc::Rc;
use std::sync::Arc;
use tokio::sync::watch;

/// What the library queues for the pipeline of one file: 100 packets of 64 KiB.
const WRITE_QUEUE_BYTES: u64 = 100 * 64 * 1024;

/// A directory on an HDFS. Nothing is connected before the first call of a session.
pub struct HdfsTarget {
    config: HdfsConfig,
    readers: Arc<NativeClient>,
    /// What `readers` runs on.
    _engine: Engine,
    keeper: Keeper,
    stop: watch::Sender<bool>,
}

fn started<T>(result: std::io::Result<T>) -> Outcome<T> {
    result.map_err(|error| Fault::new(ErrorKind::Other, format!("no threads or sockets can be had: {error}")))
}

impl HdfsTarget {
    /// The target that `config` describes.
    ///
    /// # Errors
    /// When threads cannot be started, or the library does not accept the configuration.
    pub fn new(config: HdfsConfig) -> Result<Self> {
        let uri = config.uri();
        Self::set_up(config).map_err(|fault| file::error("set up", &uri, fault))
    }

    fn set_up(config: HdfsConfig) -> Outcome<Self> {
        let engine = started(Engine::shared())?;
        let readers = Arc::new(NativeClient::new(&config, engine.handle().clone())?);
        let keeper = started(Keeper::start())?;
        Ok(Self { config, readers, _engine: engine, keeper, stop: watch::Sender::new(false) })
    }

    fn common(&self) -> Outcome<Common<NativeClient>> {
        let engine = Arc::new(started(Engine::single())?);
        let client = Arc::new(NativeClient::new(&self.config, engine.handle().clone())?);
        self.keeper.add(&engine);
        Ok(Common {
            client,
            readers: self.readers.clone(),
            calls: Calls { engine, stop: self.stop.subscribe(), timeout: self.config.timeout },
            base_uri: self.config.uri(),
            base_path: self.config.address.path.clone(),
            sync: self.config.sync,
        })
    }
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
            upload_bytes_max: WRITE_QUEUE_BYTES,
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
            ("close", closing()),
        ];
        facts.map(|(name, value)| (name.to_owned(), value)).into()
    }

    fn session(&self, probe: Rc<dyn Probe>) -> Result<Box<dyn Session>> {
        let common = self.common().map_err(|fault| file::error("open a session on", &self.uri(), fault))?;
        Ok(Box::new(HdfsSession::new(common, probe)))
    }

    fn interrupt(&self) {
        self.stop.send_replace(true);
    }

    fn resume(&self) {
        self.stop.send_replace(false);
    }
}

/// What a close waits for, besides the storage.
fn closing() -> String {
    let pause = CLOSE_PAUSE.as_millis();
    format!(
        "close waits in steps of 500 ms (hdfs-native) when the NameNode has not heard of the last block; it asks {pause} ms after the DataNode's last answer"
    )
}
