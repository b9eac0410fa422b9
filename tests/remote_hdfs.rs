//! `fsbench remote` on a real HDFS: plain, highly available, with Kerberos, with encrypted wires.

mod support;

#[path = "hdfs/cluster.rs"]
mod cluster;
#[path = "hdfs/connections.rs"]
mod connections;
#[path = "hdfs/operations.rs"]
mod operations;
