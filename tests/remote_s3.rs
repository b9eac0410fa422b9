//! `fsbench remote` on a real S3 server, straight and through a proxy that injects faults.

mod support;

#[path = "s3/connections.rs"]
mod connections;
#[path = "s3/faults.rs"]
mod faults;
#[path = "s3/operations.rs"]
mod operations;
#[path = "s3/server.rs"]
mod server;
