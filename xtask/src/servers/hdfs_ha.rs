//! `hdfs-ha`: two NameNodes that share their edits through a directory, one DataNode, failover by hand.
//! It has no ZooKeeper and no JournalNodes: what is tested is the client, not Hadoop's election.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::home::Home;
use super::server::Server;
use super::{hdfs, install, java, process};

const CORE_SITE: &str = include_str!("../../servers/hdfs-ha/core-site.xml");
const HDFS_SITE: &str = include_str!("../../servers/hdfs-ha/hdfs-site.xml");
const HAADMIN: &str = "org.apache.hadoop.hdfs.tools.DFSHAAdmin";
const NAMENODES: [&str; 2] = ["nn1", "nn2"];
const PATIENCE: Duration = Duration::from_secs(60);

/// Two NameNodes, `nn1` active at first, and one DataNode.
pub(crate) struct HdfsHa;

impl Server for HdfsHa {
    fn name(&self) -> &'static str {
        "hdfs-ha"
    }

    fn processes(&self) -> &'static [&'static str] {
        &["nn1", "nn2", "datanode"]
    }

    fn ports(&self) -> &'static [&'static str] {
        &["nn1-rpc", "nn1-http", "nn2-rpc", "nn2-http", "datanode-data", "datanode-http", "datanode-ipc"]
    }

    fn install(&self) -> Result<()> {
        install::hadoop().map(|_| ())
    }

    fn prepare(&self, home: &Home) -> Result<()> {
        java::write_conf(home, CORE_SITE, HDFS_SITE, &[])
    }

    fn format(&self, home: &Home, process: &str) -> Result<()> {
        if process == "datanode" || home.data().join("nn2/current/VERSION").exists() {
            return Ok(());
        }
        java::format(home, Some("dfs.ha.namenode.id=nn1"), &[])?;
        // What -bootstrapStandby would do, without a running NameNode to ask.
        copy_dir(&home.data().join("nn1"), &home.data().join("nn2"))
    }

    fn command(&self, home: &Home, process: &str) -> Result<Command> {
        match process {
            "datanode" => java::datanode(home, process, &[]),
            id => java::namenode(home, process, Some(id), &[]),
        }
    }

    fn process_ready(&self, home: &Home, process: &str) -> bool {
        match process {
            // One of the NameNodes may have been killed on purpose.
            "datanode" => {
                let up = NAMENODES.into_iter().filter(|id| process::pid(home, id).is_some()).count();
                hdfs::datanode_ready(home, up)
            }
            id => hdfs::namenode_state(home, id).is_some(),
        }
    }

    fn settle(&self, home: &Home) -> Result<()> {
        if active(home).is_some() { Ok(()) } else { activate(home, "nn1") }
    }

    fn ready(&self, home: &Home) -> bool {
        active(home).is_some_and(|id| hdfs::writable(home.port(&format!("{id}-http"))))
    }

    fn uri(&self, home: &Home) -> String {
        let active = active(home).unwrap_or("none");
        format!("hdfs://fsbench-ha (active: {active})")
    }

    fn env(&self, home: &Home) -> Vec<(&'static str, String)> {
        vec![
            ("FSBENCH_TEST_HDFS_HA", "hdfs://fsbench-ha".to_owned()),
            ("FSBENCH_TEST_HDFS_HA_CONF", home.conf().display().to_string()),
        ]
    }
}

/// Kills the active NameNode with SIGKILL and makes the other one active; says what it did.
pub(crate) fn failover() -> Result<String> {
    let home = Home::open(HdfsHa.name())?;
    let _lock = home.lock()?;
    let Some(old) = active(&home) else {
        bail!("no NameNode of hdfs-ha is active; run `cargo xtask servers start hdfs-ha`");
    };
    let Some(new) = NAMENODES.into_iter().find(|id| *id != old && process::pid(&home, id).is_some()) else {
        bail!("{old} is the only NameNode that is up; run `cargo xtask servers start hdfs-ha` first");
    };
    process::kill(&home, old)?;
    let began = Instant::now();
    activate(&home, new)?;
    Ok(format!("killed hdfs-ha/{old}; hdfs-ha/{new} is active {:.1} s later", began.elapsed().as_secs_f64()))
}

fn active(home: &Home) -> Option<&'static str> {
    NAMENODES.into_iter().find(|id| hdfs::namenode_state(home, id).as_deref() == Some("active"))
}

fn activate(home: &Home, id: &str) -> Result<()> {
    let log = home.log("haadmin");
    let mut command = java::tool(home, HAADMIN, &[])?;
    // By force: the other one may be dead, and then it cannot say that it is not active.
    command.args(["-transitionToActive", "--forceactive", id]);
    process::run_logged(&mut command, &log, &format!("making hdfs-ha/{id} active"))?;
    let until = Instant::now() + PATIENCE;
    while active(home) != Some(id) {
        if Instant::now() >= until {
            bail!("hdfs-ha/{id} is not active {} s after it was told so; log: {}", PATIENCE.as_secs(), log.display());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn copy_dir(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry.with_context(|| format!("cannot read {}", from.display()))?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_dir(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target).with_context(|| format!("cannot copy to {}", target.display()))?;
        }
    }
    Ok(())
}
