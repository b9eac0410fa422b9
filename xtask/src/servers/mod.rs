//! The test servers: a real S3 gateway and a real HDFS, as ordinary processes on 127.0.0.1.
//!
//! One file for each thing: `verbs` is what can be typed, `life` starts and stops one server, `process` is one
//! process with its pid file, `home` is where a server keeps its files, `ports` which ports it took, `install`
//! downloads; `s3`, `hdfs`, `hdfs_ha` and `kerberos` say how each server differs from the others.
//!
//! The servers outlive xtask: nothing here stays resident. What is up is read from pid files, each checked
//! against /proc, so that nothing but our own processes is ever signalled.

mod env;
mod hdfs;
mod hdfs_ha;
mod home;
mod http;
mod install;
mod java;
mod kerberos;
mod life;
mod ports;
mod process;
mod s3;
mod server;
mod verbs;

pub(crate) use env::exports;
pub(crate) use home::repo_root;
pub(crate) use life::{any_alive, start, stop};
pub(crate) use process::signal;
pub(crate) use server::{Server, all, find};
pub(crate) use verbs::run;
