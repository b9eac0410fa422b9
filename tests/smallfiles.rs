//! `fsbench smallfiles`: the whole binary, on local files, on a real HDFS and on a real S3 server.

mod support;

#[path = "hdfs/cluster.rs"]
mod cluster;
#[path = "s3/server.rs"]
#[allow(dead_code, reason = "each test binary uses its part")]
mod server;

#[path = "smallfiles/ends.rs"]
mod ends;
#[path = "smallfiles/local.rs"]
mod local;
#[path = "smallfiles/refusals.rs"]
mod refusals;
#[path = "smallfiles/stores.rs"]
mod stores;
