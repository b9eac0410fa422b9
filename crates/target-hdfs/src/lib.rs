//! HDFS for fsbench: the configuration that Hadoop users have, and a target over a native client, without a JVM.
//!
//! [`HdfsConfig::resolve`] makes one meaning of a URI, settings, Hadoop's XML files and the environment;
//! [`HdfsTarget`] is the store. The client library (`hdfs-native`) is known to one file, `native.rs`, behind the traits
//! of `client.rs`, so that another client can take its place.
//!
//! What is not here: viewfs, short-circuit reads, truncate, storage policies, erasure coding beyond what the library
//! does by itself, and any retry that was not asked for.
//!
//! Which runtime does what, and by which figures that was chosen, is in `engine.rs`; why a close pauses, in `pace.rs`.

mod address;
mod call;
mod client;
mod config;
mod engine;
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
