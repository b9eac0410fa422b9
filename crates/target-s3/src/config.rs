//! What a session needs to know about the store, resolved from everything that can say it.

mod keys;
mod profile;
mod resolve;
mod uri;

use crate::sign::Credentials;
use std::path::PathBuf;
use std::time::Duration;

/// The smallest part that S3 takes, but for the last one.
pub const PART_BYTES_MIN: u64 = 5 << 20;
/// The largest part, and the largest object that one PUT or CopyObject takes.
pub const PART_BYTES_MAX: u64 = 5 << 30;
/// The most parts of one upload.
pub const PARTS_MAX: u64 = 10_000;

/// How to reach a bucket, and how to behave there. Made by [`S3Config::resolve`]; `Debug` shows no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct S3Config {
    pub(crate) bucket: String,
    /// Empty, or without slashes at its ends.
    pub(crate) prefix: String,
    pub(crate) endpoint: Endpoint,
    pub(crate) region: String,
    pub(crate) path_style: bool,
    /// None: anonymous.
    pub(crate) credentials: Option<Credentials>,
    pub(crate) ca_bundle: Option<PathBuf>,
    pub(crate) max_connections: Option<usize>,
    pub(crate) connect_timeout: Duration,
    pub(crate) request_timeout: Duration,
    pub(crate) part_size: u64,
    pub(crate) upload_concurrency: usize,
    pub(crate) retries: u32,
    pub(crate) signed_payload: bool,
    pub(crate) copy_part_threshold: u64,
}

/// Where the service is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Endpoint {
    pub(crate) tls: bool,
    /// A name or an address; an IPv6 address without its brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Endpoint {
    /// `host`, or `host:port` where the port is not the scheme's own: the `Host` header.
    pub(crate) fn authority(&self, bucket: Option<&str>) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let host = bucket.map_or_else(|| host.clone(), |bucket| format!("{bucket}.{host}"));
        match (self.tls, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("{}://{}", if self.tls { "https" } else { "http" }, self.authority(None))
    }
}

impl S3Config {
    /// The bucket.
    #[must_use]
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// The prefix below which everything happens; empty, or without a slash at its ends.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The endpoint as a URL.
    #[must_use]
    pub fn endpoint(&self) -> String {
        self.endpoint.url()
    }

    /// What a session may hold of one upload: the parts in flight, one that fills, and one to spare.
    pub(crate) fn upload_bytes_max(&self) -> u64 {
        self.part_size.saturating_mul(self.upload_concurrency as u64 + 2)
    }

    /// The base as a URI.
    #[must_use]
    pub fn uri(&self) -> String {
        match self.prefix.as_str() {
            "" => format!("s3://{}", self.bucket),
            prefix => format!("s3://{}/{prefix}", self.bucket),
        }
    }
}
