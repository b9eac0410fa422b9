//! `s3:`, S3-compatible object stores, over HTTP/1.1 connections of our own.
//!
//! A thin client, because a benchmark must not measure its client: HTTP/1.1 on sockets that are opened, counted and timed
//! here, Signature V4 with the day's key kept, bodies that go between the socket and the caller's buffers without a stop.
//! Exactly as many connections as there are requests in flight, and no retry that was not asked for.
//!
//! A request that is alone in its session is one call to send and one to receive, and its thread sleeps in the second.
//! Requests in flight beside others share the session's tokio runtime, which also connects. [httparse] reads heads,
//! [rustls](tokio_rustls::rustls) does TLS.
//!
//! # What it does
//! Reads are ranged GETs (one for each read, guarded by the ETag seen at open); writes are one PUT or a multipart upload;
//! rename is CopyObject and DeleteObject; a listing is ListObjectsV2 without a delimiter. Keys as Doris, the AWS tools and
//! environment write them, resolved by [`S3Config::resolve`].
//!
//! # What it does not
//! Directories, append, truncate, writes at any offset, sync: S3 has none. Roles, instance profiles, single sign-on:
//! export their keys to the environment. Azure and Google by their own protocols.
//!
//! # Timeouts
//! The connect timeout covers name resolution, TCP and TLS. The request timeout is the time in which *nothing* moves on
//! the connection, in either direction; a large part on a slow network does not run into it.

mod answer;
mod client;
mod clock;
mod config;
mod conn;
mod copy;
mod driver;
mod encode;
mod failure;
mod head;
mod leftovers;
mod limit;
mod object;
mod ops;
mod parts;
mod payload;
mod recycle;
mod secure;
mod session;
mod sign;
mod target;
mod tls;
mod upload;
mod wire;
mod work;
mod xml;

pub use config::{PART_BYTES_MAX, PART_BYTES_MIN, PARTS_MAX, S3Config};
pub use target::S3Target;
