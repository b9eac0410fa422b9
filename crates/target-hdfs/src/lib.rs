//! HDFS for fsbench: the configuration that Hadoop users have, and a target over a native client, without a JVM.
//!
//! [`HdfsConfig::resolve`] makes one meaning of a URI, settings, Hadoop's XML files and the environment;
//! [`HdfsTarget`] is the store. The client library (`hdfs-native`) is known to one file, `native.rs`, behind the traits
//! of `client.rs`, so that another client can take its place.
//!
//! What is not here: viewfs, short-circuit reads, truncate, storage policies, erasure coding beyond what the library
//! does by itself, and any retry that was not asked for.
//!
//! # The runtime: one for the target, with threads of its own
//!
//! All sessions of a target share one multi-threaded tokio runtime and one client; a session's thread polls its own
//! calls ([`tokio::runtime::Handle::block_on`]) while the runtime's threads drive sockets, check checksums and renew
//! leases. One single-threaded runtime for each session would be simpler and is not possible: the library keeps idle
//! DataNode connections in a table of the *process*, so a session would pick up a socket that belongs to another
//! session's runtime, which nobody drives, and wait for it until the timeout. The figures are in `target.rs`.

mod address;
mod call;
mod client;
mod config;
mod fault;
mod file;
mod keys;
mod listing;
mod native;
mod pace;
mod session;
mod site;
mod target;
mod units;

pub use config::HdfsConfig;
pub use target::HdfsTarget;
