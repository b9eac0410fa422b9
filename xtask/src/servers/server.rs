//! What every kind of server must say about itself, and the list of them.

use std::process::Command;

use anyhow::{Result, anyhow};

use super::home::Home;
use super::{hdfs, hdfs_ha, kerberos, s3};

/// One server: a few processes that are started together and share a directory.
pub(crate) trait Server {
    /// The name that is typed, and the name of its directory.
    fn name(&self) -> &'static str;

    /// Its processes in the order in which they start; they stop in the opposite order.
    fn processes(&self) -> &'static [&'static str];

    /// The ports it needs, by name; kept in the `ports` file.
    fn ports(&self) -> &'static [&'static str];

    /// Downloads what is missing.
    fn install(&self) -> Result<()>;

    /// Writes the configuration. Called before any process starts.
    fn prepare(&self, home: &Home) -> Result<()>;

    /// Formats the storage of one process if it has none. Called just before that process starts, when the gates
    /// before it are ready.
    fn format(&self, _home: &Home, _process: &str) -> Result<()> {
        Ok(())
    }

    /// The command of one process. One of [`Home::marks`] must be among its arguments.
    fn command(&self, home: &Home, process: &str) -> Result<Command>;

    /// Whether one process does its work.
    fn process_ready(&self, home: &Home, process: &str) -> bool;

    /// Processes that must be ready before those after them start.
    fn gates(&self) -> &'static [&'static str] {
        &[]
    }

    /// Without this process the others are useless and have to be started anew (a KDC forgets its keys).
    fn heart(&self) -> Option<&'static str> {
        None
    }

    /// What remains to be done when all processes are up; done again at each start, so it must be idempotent.
    fn settle(&self, _home: &Home) -> Result<()> {
        Ok(())
    }

    /// Whether the server as a whole can be used.
    fn ready(&self, home: &Home) -> bool;

    /// Where clients find it.
    fn uri(&self, home: &Home) -> String;

    /// The environment that tests read.
    fn env(&self, home: &Home) -> Vec<(&'static str, String)>;
}

/// Every server, in the order of `status`.
pub(crate) fn all() -> Vec<Box<dyn Server>> {
    vec![
        Box::new(s3::S3 { tls: false }),
        Box::new(s3::S3 { tls: true }),
        Box::new(hdfs::Hdfs),
        Box::new(hdfs_ha::HdfsHa),
        Box::new(kerberos::Kerberos { privacy: false }),
        Box::new(kerberos::Kerberos { privacy: true }),
    ]
}

/// The server of that name.
pub(crate) fn find(name: &str) -> Result<Box<dyn Server>> {
    all().into_iter().find(|server| server.name() == name).ok_or_else(|| {
        let known: Vec<_> = all().iter().map(|server| server.name()).collect();
        anyhow!("there is no test server `{name}`; there are: {}", known.join(", "))
    })
}
