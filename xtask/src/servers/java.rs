//! How Hadoop's daemons and tools are run: class path, JVM flags, environment.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::home::Home;
use super::{install, process};

const NAMENODE: &str = "org.apache.hadoop.hdfs.server.namenode.NameNode";
const DATANODE: &str = "org.apache.hadoop.hdfs.server.datanode.DataNode";
const LOG4J: &str = include_str!("../../servers/log4j.properties");
const CORE_COMMON: &str = include_str!("../../servers/core-common.xml");
const DATANODE_COMMON: &str = include_str!("../../servers/datanode-common.xml");

/// Extra JVM flags of a whole server, such as where its krb5.conf is.
pub(crate) type Flags<'a> = &'a [String];

/// The NameNode; `id` is its name in an HA pair.
pub(crate) fn namenode(home: &Home, process: &str, id: Option<&str>, flags: Flags) -> Result<Command> {
    let mut command = daemon(home, process, flags)?;
    command.arg(NAMENODE);
    if let Some(id) = id {
        command.arg("-D").arg(format!("dfs.ha.namenode.id={id}"));
    }
    Ok(command)
}

/// The DataNode.
pub(crate) fn datanode(home: &Home, process: &str, flags: Flags) -> Result<Command> {
    let mut command = daemon(home, process, flags)?;
    command.arg(DATANODE);
    Ok(command)
}

/// Formats a NameNode's storage, to its end; `option` overrides one setting.
pub(crate) fn format(home: &Home, option: Option<&str>, flags: Flags) -> Result<()> {
    let mut command = tool(home, NAMENODE, flags)?;
    if let Some(option) = option {
        command.args(["-D", option]);
    }
    command.args(["-format", "-nonInteractive"]);
    process::run_logged(&mut command, &home.log("format"), &format!("formatting {}", home.server()))
}

/// A command-line tool of Hadoop; give it its arguments.
pub(crate) fn tool(home: &Home, class: &str, flags: Flags) -> Result<Command> {
    let mut command = Command::new(install::java());
    command.args(["-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]);
    common(&mut command, home, flags)?;
    command.arg(class);
    Ok(command)
}

/// core-site.xml, hdfs-site.xml, logging, and the directories that the web servers insist on.
pub(crate) fn write_conf(home: &Home, core: &str, hdfs: &str, more: &[(&str, &str)]) -> Result<()> {
    let mut keys = vec![("CORE_COMMON", CORE_COMMON), ("DATANODE_COMMON", DATANODE_COMMON)];
    keys.extend_from_slice(more);
    home.write_conf("core-site.xml", core, &keys)?;
    home.write_conf("hdfs-site.xml", hdfs, &keys)?;
    home.write_conf("log4j.properties", LOG4J, &[])?;
    // The jars on Maven Central have no webapps/; empty ones are enough for JMX and WebHDFS.
    for webapp in ["hdfs", "datanode", "static"] {
        create_dir(&home.conf().join("webapps").join(webapp))?;
    }
    create_dir(&home.data().join("tmp"))
}

fn daemon(home: &Home, process: &str, flags: Flags) -> Result<Command> {
    let mut command = Command::new(install::java());
    if std::env::var_os("FSBENCH_JVM_FULL").is_some_and(|value| value == "1") {
        command.arg("-Xmx2g");
    } else {
        // The quick compiler alone and the simplest collector: ready in half the time, on two cores.
        command.args(["-Xmx384m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]);
    }
    let [mark, _] = home.marks(process);
    command.arg(mark);
    common(&mut command, home, flags)?;
    Ok(command)
}

fn common(command: &mut Command, home: &Home, flags: Flags) -> Result<()> {
    let jars = install::hadoop()?;
    command.args(["-Djava.net.preferIPv4Stack=true", "-XX:-UsePerfData"]);
    // Or a killed daemon leaves Jetty's directories in /tmp.
    command.arg(format!("-Djava.io.tmpdir={}", home.data().join("tmp").display()));
    command.arg(format!("-Dhadoop.log.dir={}", home.log("hadoop").with_extension("").display()));
    for package in ["lang", "util", "io"] {
        command.arg(format!("--add-opens=java.base/java.{package}=ALL-UNNAMED"));
    }
    command.args(flags);
    command.arg("-cp").arg(format!("{}:{}/*", home.conf().display(), jars.display()));
    // The superuser is `root`, whoever runs this; and no configuration or ticket of the caller's leaks in.
    command.env("HADOOP_USER_NAME", "root");
    for variable in ["HADOOP_CONF_DIR", "HADOOP_HOME", "CLASSPATH", "JAVA_TOOL_OPTIONS", "KRB5CCNAME", "KRB5_CONFIG"] {
        command.env_remove(variable);
    }
    Ok(())
}

fn create_dir(dir: &Path) -> Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))
}
