//! `hdfs-kerberos` and `hdfs-privacy`: a KDC of its own, a NameNode and a DataNode that trust nobody without a
//! ticket. The first protects RPC and data transfer by authentication only, the second encrypts both.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::home::Home;
use super::server::Server;
use super::{hdfs, http, install, java, process};

const CORE_SITE: &str = include_str!("../../servers/kerberos/core-site.xml");
const HDFS_SITE: &str = include_str!("../../servers/kerberos/hdfs-site.xml");
const KDC_PROPERTIES: &str = include_str!("../../servers/kerberos/kdc.properties");
const KRB5_CONF: &str = include_str!("../../servers/kerberos/krb5.conf");
/// AES instead of 3DES; and in Java, because the codec that is tried first wants a native library.
const AES: &str =
    " <property><name>dfs.encrypt.data.transfer.cipher.suites</name><value>AES/CTR/NoPadding</value></property>
 <property><name>hadoop.security.crypto.codec.classes.aes.ctr.nopadding</name>\
<value>org.apache.hadoop.crypto.JceAesCtrCryptoCodec</value></property>
";
const SHELL: &str = "org.apache.hadoop.fs.FsShell";
/// An ordinary user, with a home directory.
const USER: &str = "bench";
const REALM: &str = "FSBENCH.TEST";

/// HDFS with Kerberos; `privacy` encrypts what goes over the wire.
pub(crate) struct Kerberos {
    pub(crate) privacy: bool,
}

impl Server for Kerberos {
    fn name(&self) -> &'static str {
        if self.privacy { "hdfs-privacy" } else { "hdfs-kerberos" }
    }

    fn processes(&self) -> &'static [&'static str] {
        &["kdc", "namenode", "datanode"]
    }

    fn ports(&self) -> &'static [&'static str] {
        &["kdc", "namenode-rpc", "namenode-http", "datanode-data", "datanode-http", "datanode-ipc"]
    }

    fn install(&self) -> Result<()> {
        install::hadoop()?;
        install::minikdc()?;
        install::kerberos_client()
    }

    fn prepare(&self, home: &Home) -> Result<()> {
        let (protection, cipher) = if self.privacy { ("privacy", AES) } else { ("authentication", "") };
        java::write_conf(home, CORE_SITE, HDFS_SITE, &[("PROTECTION", protection), ("CIPHER", cipher)])?;
        home.write_conf("kdc.properties", KDC_PROPERTIES, &[])?;
        home.write_conf("krb5.conf", KRB5_CONF, &[])?;
        if process::pid(home, "kdc").is_none() {
            // Its keys live in memory only: the keytab of an earlier KDC is worthless.
            forget_keys(home)?;
        }
        Ok(())
    }

    fn format(&self, home: &Home, process: &str) -> Result<()> {
        if process != "namenode" || home.data().join("nn/current/VERSION").exists() {
            return Ok(());
        }
        java::format(home, None, &flags(home))
    }

    fn command(&self, home: &Home, process: &str) -> Result<Command> {
        match process {
            "kdc" => kdc(home),
            "namenode" => java::namenode(home, process, None, &flags(home)),
            _ => java::datanode(home, process, &flags(home)),
        }
    }

    fn process_ready(&self, home: &Home, process: &str) -> bool {
        match process {
            "kdc" => kdc_ready(home),
            "namenode" => hdfs::namenode_state(home, "namenode").is_some(),
            _ => hdfs::datanode_ready(home, 1),
        }
    }

    fn gates(&self) -> &'static [&'static str] {
        &["kdc"]
    }

    fn heart(&self) -> Option<&'static str> {
        Some("kdc")
    }

    fn settle(&self, home: &Home) -> Result<()> {
        make_user_home(home)
    }

    fn ready(&self, home: &Home) -> bool {
        hdfs::writable(home.port("namenode-http"))
    }

    fn uri(&self, home: &Home) -> String {
        format!("hdfs://localhost:{}", home.port("namenode-rpc"))
    }

    fn env(&self, home: &Home) -> Vec<(&'static str, String)> {
        let names = if self.privacy {
            [
                "FSBENCH_TEST_HDFS_PRIVACY",
                "FSBENCH_TEST_HDFS_PRIVACY_CONF",
                "FSBENCH_TEST_HDFS_PRIVACY_KEYTAB",
                "FSBENCH_TEST_HDFS_PRIVACY_PRINCIPAL",
                "FSBENCH_TEST_HDFS_PRIVACY_KRB5_CONF",
                "FSBENCH_TEST_HDFS_PRIVACY_DIR",
            ]
        } else {
            [
                "FSBENCH_TEST_HDFS_KRB",
                "FSBENCH_TEST_HDFS_KRB_CONF",
                "FSBENCH_TEST_HDFS_KRB_KEYTAB",
                "FSBENCH_TEST_HDFS_KRB_PRINCIPAL",
                "FSBENCH_TEST_HDFS_KRB_KRB5_CONF",
                "FSBENCH_TEST_HDFS_KRB_DIR",
            ]
        };
        let values = [
            self.uri(home),
            home.conf().display().to_string(),
            keytab(home).display().to_string(),
            format!("{USER}@{REALM}"),
            home.conf().join("krb5.conf").display().to_string(),
            format!("/user/{USER}"),
        ];
        names.into_iter().zip(values).collect()
    }
}

fn keytab(home: &Home) -> PathBuf {
    home.data().join("kdc/all.keytab")
}

fn flags(home: &Home) -> Vec<String> {
    vec![format!("-Djava.security.krb5.conf={}", home.conf().join("krb5.conf").display())]
}

fn forget_keys(home: &Home) -> Result<()> {
    let dir = home.data().join("kdc");
    if dir.exists() {
        fs::remove_dir_all(&dir).with_context(|| format!("cannot remove {}", dir.display()))?;
    }
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))
}

fn kdc(home: &Home) -> Result<Command> {
    let [mark, _] = home.marks("kdc");
    let mut command = Command::new(install::java());
    command.args(["-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.net.preferIPv4Stack=true"]);
    command.arg(mark);
    command.arg("-cp").arg(format!("{}:{}/*", home.conf().display(), install::minikdc()?.display()));
    command.arg("org.apache.hadoop.minikdc.MiniKdc");
    command.arg(home.data().join("kdc")).arg(home.conf().join("kdc.properties")).arg(keytab(home));
    command.args(["nn/localhost", "dn/localhost", "HTTP/localhost", USER]);
    Ok(command)
}

/// It says so itself; the keytab is written just before.
fn kdc_ready(home: &Home) -> bool {
    let log = fs::read_to_string(home.log("kdc")).unwrap_or_default();
    log.contains("Standalone MiniKdc Running") && keytab(home).is_file() && http::listens(home.port("kdc"))
}

/// `/user/bench`, owned by `bench`; once.
fn make_user_home(home: &Home) -> Result<()> {
    let done = home.data().join("user-home-made");
    if done.exists() {
        return Ok(());
    }
    let dir = format!("/user/{USER}");
    for arguments in [["-mkdir", "-p", &dir], ["-chown", USER, &dir]] {
        let mut shell = java::tool(home, SHELL, &flags(home))?;
        shell.args(arguments);
        // As the NameNode's own principal, which is the superuser.
        shell.env("KRB5PRINCIPAL", format!("nn/localhost@{REALM}")).env("KRB5KEYTAB", keytab(home));
        process::run_logged(&mut shell, &home.log("user-home"), "making the user's home directory")?;
    }
    fs::write(&done, "").with_context(|| format!("cannot write {}", done.display()))
}
