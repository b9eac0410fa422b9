//! The HDFS clusters of the tests: conf files as Doris' users write them, and WebHDFS to look past fsbench.
#![allow(dead_code, reason = "each test binary uses its part")]

use crate::support::servers::{Place, variable};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

/// A cluster that `FSBENCH_TEST_HDFS*` name.
pub(crate) struct Cluster {
    /// `hdfs://host:port` or `hdfs://nameservice`.
    pub(crate) uri: String,
    /// Folder of its XML files.
    pub(crate) conf_dir: String,
    flavour: &'static str,
}

impl Cluster {
    /// `""`, `"_HA"`, `"_KRB"` or `"_PRIVACY"`.
    pub(crate) fn of(flavour: &'static str) -> Option<Self> {
        let uri = variable(&format!("FSBENCH_TEST_HDFS{flavour}"))?;
        Some(Self { uri, conf_dir: variable(&format!("FSBENCH_TEST_HDFS{flavour}_CONF"))?, flavour })
    }

    /// Another of its variables.
    pub(crate) fn value(&self, name: &str) -> String {
        let name = format!("FSBENCH_TEST_HDFS{}_{name}", self.flavour);
        variable(&name).unwrap_or_else(|| panic!("{name} comes with {}", self.uri))
    }

    /// A place with a conf file that holds `conf`, below the directory where this cluster's user may write.
    pub(crate) fn place(&self, test: &str, conf: &str) -> Place {
        let home = std::env::var(format!("FSBENCH_TEST_HDFS{}_DIR", self.flavour)).unwrap_or_default();
        let mut place = Place::below(&format!("{}{home}", self.uri), test);
        place.flags.push(format!("--conf={}", place.room.file("hdfs.conf", conf)));
        place
    }

    /// Doris' two lines.
    pub(crate) fn conf(&self) -> String {
        format!("fs.defaultFS={}\nhadoop.username=root\n", self.uri)
    }

    /// A value of its `hdfs-site.xml`.
    pub(crate) fn site(&self, key: &str) -> String {
        let text = std::fs::read_to_string(Path::new(&self.conf_dir).join("hdfs-site.xml")).expect("hdfs-site.xml");
        let (_, after) = text.split_once(&format!("<name>{key}</name>")).unwrap_or_else(|| panic!("no {key}"));
        let (value, _) = after.split_once("</value>").expect("a value");
        value.split_once("<value>").expect("a value").1.trim().to_string()
    }

    /// A nameservice in a conf file, as Doris' documentation has it.
    pub(crate) fn conf_of_nameservice(&self) -> String {
        let name = self.uri.trim_start_matches("hdfs://");
        let address = |node: &str| {
            let key = format!("dfs.namenode.rpc-address.{name}.{node}");
            format!("{key}={}\n", self.site(&key))
        };
        format!(
            "{}dfs.nameservices={name}\ndfs.ha.namenodes.{name}=nn1,nn2\n{}{}\
             dfs.client.failover.proxy.provider.{name}=org.apache.hadoop.hdfs.server.namenode.ha.\
             ConfiguredFailoverProxyProvider\n",
            self.conf(),
            address("nn1"),
            address("nn2")
        )
    }

    /// WebHDFS as the superuser, over plain HTTP: `GETFILESTATUS`, `MKDIRS&permission=777`.
    pub(crate) fn webhdfs(&self, method: &str, path: &str, operation: &str) -> Value {
        let host = variable("FSBENCH_TEST_HDFS_HTTP").expect("it comes with FSBENCH_TEST_HDFS");
        let mut stream = TcpStream::connect(&host).expect("the NameNode's HTTP port");
        let request = format!(
            "{method} /webhdfs/v1{path}?user.name=root&op={operation} HTTP/1.0\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        if body.is_empty() {
            return Value::Null;
        }
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error} in {answer}"))
    }

    /// The path of a name at a place.
    pub(crate) fn path(&self, place: &Place, name: &str) -> String {
        format!("{}/{name}", place.uri.strip_prefix(&self.uri).expect("the place is on this cluster"))
    }
}
