//! HDFS that fails in the middle of a run: DataNodes and NameNodes are killed and come back, or do not.
//!
//! Servers are killed here, so nothing else may use them at the same time: these tests are a binary of their own, and
//! take turns. Each brings its server back, also when it fails.

mod support;

#[path = "hdfs/cluster.rs"]
mod cluster;
#[path = "hdfs/failing.rs"]
mod failing;
