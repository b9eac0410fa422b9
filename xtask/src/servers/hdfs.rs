//! `hdfs`: one NameNode and one DataNode, without authentication. And how any NameNode or DataNode is asked
//! whether it is ready, for the other flavours of HDFS.

use std::fs;
use std::process::Command;

use anyhow::Result;

use super::home::Home;
use super::http::{field, jmx, listens};
use super::server::Server;
use super::{install, java};

const CORE_SITE: &str = include_str!("../../servers/hdfs/core-site.xml");
const HDFS_SITE: &str = include_str!("../../servers/hdfs/hdfs-site.xml");

/// In the JSON-in-a-JSON-string that a DataNode has for its NameNodes.
const RUNNING: &str = r#"\"ActorState\":\"RUNNING\""#;
const REPORTED: &str = "Successfully sent block report";

/// One NameNode and one DataNode; the superuser is `root`.
pub(crate) struct Hdfs;

impl Server for Hdfs {
    fn name(&self) -> &'static str {
        "hdfs"
    }

    fn processes(&self) -> &'static [&'static str] {
        &["namenode", "datanode"]
    }

    fn ports(&self) -> &'static [&'static str] {
        &["namenode-rpc", "namenode-http", "datanode-data", "datanode-http", "datanode-ipc"]
    }

    fn install(&self) -> Result<()> {
        install::hadoop().map(|_| ())
    }

    fn prepare(&self, home: &Home) -> Result<()> {
        java::write_conf(home, CORE_SITE, HDFS_SITE, &[])
    }

    fn format(&self, home: &Home, process: &str) -> Result<()> {
        if process != "namenode" || home.data().join("nn/current/VERSION").exists() {
            return Ok(());
        }
        java::format(home, None, &[])
    }

    fn command(&self, home: &Home, process: &str) -> Result<Command> {
        match process {
            "namenode" => java::namenode(home, process, None, &[]),
            _ => java::datanode(home, process, &[]),
        }
    }

    fn process_ready(&self, home: &Home, process: &str) -> bool {
        match process {
            "namenode" => namenode_state(home, "namenode").is_some(),
            _ => datanode_ready(home, 1),
        }
    }

    fn ready(&self, home: &Home) -> bool {
        writable(home.port("namenode-http"))
    }

    fn uri(&self, home: &Home) -> String {
        format!("hdfs://127.0.0.1:{}", home.port("namenode-rpc"))
    }

    fn env(&self, home: &Home) -> Vec<(&'static str, String)> {
        vec![
            ("FSBENCH_TEST_HDFS", self.uri(home)),
            ("FSBENCH_TEST_HDFS_CONF", home.conf().display().to_string()),
            ("FSBENCH_TEST_HDFS_HTTP", format!("127.0.0.1:{}", home.port("namenode-http"))),
        ]
    }
}

/// `active` or `standby` once the NameNode answers; `prefix` is what its ports are called.
pub(crate) fn namenode_state(home: &Home, prefix: &str) -> Option<String> {
    let status = jmx(home.port(&format!("{prefix}-http")), "Hadoop:service=NameNode,name=NameNodeStatus")?;
    let state = field(&status, "State")?;
    let serves = matches!(state, "active" | "standby") && listens(home.port(&format!("{prefix}-rpc")));
    serves.then(|| state.to_owned())
}

/// Registered with that many NameNodes, and its blocks reported to them: a reader finds them.
pub(crate) fn datanode_ready(home: &Home, namenodes: usize) -> bool {
    // Only the log tells of block reports at once: the counter in JMX is ten seconds late. Each start has a new log.
    let log = fs::read_to_string(home.log("datanode")).unwrap_or_default();
    if log.matches(REPORTED).count() < namenodes {
        return false;
    }
    let info = jmx(home.port("datanode-http"), "Hadoop:service=DataNode,name=DataNodeInfo");
    info.is_some_and(|info| info.matches(RUNNING).count() >= namenodes)
}

/// A DataNode lives and safe mode is off.
pub(crate) fn writable(namenode_http: u16) -> bool {
    let live = jmx(namenode_http, "Hadoop:service=NameNode,name=FSNamesystemState");
    let live = live.as_deref().and_then(|json| field(json, "NumLiveDataNodes")?.parse::<u32>().ok());
    let info = jmx(namenode_http, "Hadoop:service=NameNode,name=NameNodeInfo");
    live.is_some_and(|live| live >= 1) && info.is_some_and(|json| field(&json, "Safemode") == Some(""))
}
