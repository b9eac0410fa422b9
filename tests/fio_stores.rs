//! One job of `fsbench fio` on a local file, on the real HDFS and on the real S3 server, and on the file systems that
//! people compare: ext4, ext3, FUSE.

mod support;

#[path = "hdfs/cluster.rs"]
mod cluster;
#[path = "fio_stores/local.rs"]
mod local;
#[path = "fio_stores/remote.rs"]
mod remote;
#[expect(dead_code, reason = "the tests of fsbench remote use the rest")]
#[path = "s3/server.rs"]
mod server;
