//! The target `s3:`, a prefix in a bucket.

use crate::client::{Client, Shared};
use crate::config::S3Config;
use crate::driver::{Driver, Mode, Stop};
use crate::session::S3Session;
use crate::tls;
use fsbench_target::{Capabilities, Probe, Result, Session, Target};
use std::rc::Rc;
use std::sync::Arc;

/// A prefix in a bucket of an S3-compatible store. Sessions connect with their first call.
pub struct S3Target {
    shared: Arc<Shared>,
    stop: Arc<Stop>,
}

impl S3Target {
    /// A target on what `config` names. Connects to nothing yet.
    ///
    /// # Errors
    /// When the certificate authorities cannot be read, or the configuration holds what HTTP cannot carry.
    pub fn new(config: S3Config) -> Result<Self> {
        let tls = match config.endpoint.tls {
            true => Some(tls::connector(config.ca_bundle.as_deref())?),
            false => None,
        };
        let uri = config.uri();
        let shared = Shared::new(config, tls).map_err(|failure| failure.at("open", uri))?;
        Ok(Self { shared: Arc::new(shared), stop: Arc::default() })
    }
}

impl Target for S3Target {
    fn scheme(&self) -> &'static str {
        "s3"
    }

    fn uri(&self) -> String {
        self.shared.config.uri()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            random_write: false,
            append: false,
            truncate: false,
            sync: false,
            atomic_rename: false,
            rename_refuses_existing: false,
            directories: false,
            page_cache: false,
            parallel_reads: true,
            upload_bytes_max: self.shared.config.upload_bytes_max(),
        }
    }

    fn facts(&self) -> Vec<(String, String)> {
        let config = &self.shared.config;
        let limit = config.max_connections.map_or_else(|| "unlimited".into(), |most| most.to_string());
        let access_key = config.credentials.as_ref().map_or("anonymous", |_| "signature v4");
        let style = if config.path_style { "path" } else { "virtual-host" };
        let payload = match (&config.credentials, config.signed_payload) {
            (None, _) => "none",
            (_, true) => "sha256",
            (_, false) => "unsigned",
        };
        [
            ("endpoint", config.endpoint.url()),
            ("region", config.region.clone()),
            ("style", style.into()),
            ("client", concat!("fsbench-s3 ", env!("CARGO_PKG_VERSION"), ", HTTP/1.1").into()),
            ("authentication", access_key.into()),
            ("payload", payload.into()),
            ("part_size", config.part_size.to_string()),
            ("upload_concurrency", config.upload_concurrency.to_string()),
            ("copy_part_threshold", config.copy_part_threshold.to_string()),
            ("max_connections", limit),
            ("connect_timeout_ms", config.connect_timeout.as_millis().to_string()),
            ("request_timeout_ms", config.request_timeout.as_millis().to_string()),
            ("retries", config.retries.to_string()),
        ]
        .map(|(name, value)| (name.to_string(), value))
        .into()
    }

    fn session(&self, probe: Rc<dyn Probe>) -> Result<Box<dyn Session>> {
        let mode = Mode::new(self.stop.clone());
        let driver = Driver::new(mode.clone())?;
        let client = Client::new(self.shared.clone(), mode, probe);
        Ok(Box::new(S3Session::new(driver, client)))
    }

    fn interrupt(&self) {
        self.stop.tell(true);
    }

    fn resume(&self) {
        self.stop.tell(false);
    }
}
