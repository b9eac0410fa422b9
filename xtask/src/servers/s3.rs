//! `s3` and `s3-tls`: versitygw over a directory, plain or with a certificate of a CA made for it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::home::Home;
use super::process::run_logged;
use super::server::Server;
use super::{http, install};

const REGION: &str = "us-east-1";
const BUCKET: &str = "fsbench";
// For a server that listens on 127.0.0.1 only and holds test data only.
const ACCESS_KEY: &str = "fsbench-access";
const SECRET_KEY: &str = "fsbench-secret";
const HEALTH: &str = "/fsbench-health";
const OPENSSL_CONF: &str = include_str!("../../servers/s3/openssl.cnf");

/// An S3 endpoint with one bucket.
pub(crate) struct S3 {
    pub(crate) tls: bool,
}

impl Server for S3 {
    fn name(&self) -> &'static str {
        if self.tls { "s3-tls" } else { "s3" }
    }

    fn processes(&self) -> &'static [&'static str] {
        &["gateway"]
    }

    fn ports(&self) -> &'static [&'static str] {
        &["s3"]
    }

    fn install(&self) -> Result<()> {
        if self.tls {
            install::require("openssl", Some("openssl"))?;
        }
        install::versitygw().map(|_| ())
    }

    fn prepare(&self, home: &Home) -> Result<()> {
        // To the gateway, a directory in its root is a bucket.
        let bucket = root(home).join(BUCKET);
        fs::create_dir_all(&bucket).with_context(|| format!("cannot create {}", bucket.display()))?;
        if self.tls { make_certificates(home) } else { Ok(()) }
    }

    fn command(&self, home: &Home, _process: &str) -> Result<Command> {
        let mut command = Command::new(install::versitygw()?);
        // Without --keep-alive every request pays for a connection.
        command.args(["--keep-alive", "--quiet", "--region", REGION, "--health", HEALTH]);
        command.args(["--port", &format!("127.0.0.1:{}", home.port("s3"))]);
        if self.tls {
            // Absolute paths: the gateway changes its directory.
            command.arg("--cert").arg(tls_file(home, "server.pem"));
            command.arg("--key").arg(tls_file(home, "server.key"));
        }
        command.arg("posix").arg(root(home));
        command.env("ROOT_ACCESS_KEY", ACCESS_KEY).env("ROOT_SECRET_KEY", SECRET_KEY);
        Ok(command)
    }

    fn process_ready(&self, home: &Home, _process: &str) -> bool {
        let port = home.port("s3");
        if self.tls { answers_tls(port, &tls_file(home, "ca.pem")) } else { http::get(port, HEALTH).is_some() }
    }

    fn ready(&self, home: &Home) -> bool {
        self.process_ready(home, "gateway")
    }

    fn uri(&self, home: &Home) -> String {
        let scheme = if self.tls { "https" } else { "http" };
        format!("{scheme}://127.0.0.1:{}", home.port("s3"))
    }

    fn env(&self, home: &Home) -> Vec<(&'static str, String)> {
        let mut env = vec![
            ("FSBENCH_TEST_S3_ACCESS_KEY", ACCESS_KEY.to_owned()),
            ("FSBENCH_TEST_S3_SECRET_KEY", SECRET_KEY.to_owned()),
            ("FSBENCH_TEST_S3_REGION", REGION.to_owned()),
            ("FSBENCH_TEST_S3_BUCKET", BUCKET.to_owned()),
        ];
        if self.tls {
            env.push(("FSBENCH_TEST_S3_TLS_ENDPOINT", self.uri(home)));
            env.push(("FSBENCH_TEST_S3_CA", tls_file(home, "ca.pem").display().to_string()));
        } else {
            env.push(("FSBENCH_TEST_S3_ENDPOINT", self.uri(home)));
        }
        env
    }
}

/// Named like the process, so that it marks the process as ours (see `Home::marks`).
fn root(home: &Home) -> PathBuf {
    home.data().join("gateway")
}

fn tls_file(home: &Home, name: &str) -> PathBuf {
    home.data().join("tls").join(name)
}

/// A CA, and a server certificate for localhost and 127.0.0.1 that it signed; made once, until wiped.
fn make_certificates(home: &Home) -> Result<()> {
    if tls_file(home, "server.pem").exists() {
        return Ok(());
    }
    let dir = home.data().join("tls");
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    home.write_conf("openssl.cnf", OPENSSL_CONF, &[])?;
    let conf = home.conf().join("openssl.cnf").display().to_string();
    let key = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-config", &conf];
    let ca = ["-x509", "-days", "3650", "-extensions", "ca", "-subj", "/CN=fsbench test CA"];
    let sign = ["x509", "-req", "-days", "3650", "-CAcreateserial", "-extfile", &conf, "-extensions", "server"];
    let openssl = |step: &str, arguments: &[&str]| {
        let mut command = Command::new("openssl");
        command.args(arguments).current_dir(&dir);
        run_logged(&mut command, &home.log(&format!("openssl-{step}")), "making certificates")
    };
    openssl("ca", &[&key[..], &ca, &["-keyout", "ca.key", "-out", "ca.pem"]].concat())?;
    openssl(
        "request",
        &[&key[..], &["-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr"]].concat(),
    )?;
    let files = ["-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-out", "server.pem"];
    openssl("sign", &[&sign[..], &files].concat())
}

/// Asks through openssl(1), which also says whether the certificate holds.
fn answers_tls(port: u16, ca: &Path) -> bool {
    if !http::listens(port) {
        return false;
    }
    let client = Command::new("openssl")
        .args(["s_client", "-quiet", "-verify_return_error", "-connect", &format!("127.0.0.1:{port}"), "-CAfile"])
        .arg(ca)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut client) = client else { return false };
    if let Some(mut stdin) = client.stdin.take() {
        // A failed write shows in the missing answer.
        let _ = write!(stdin, "GET {HEALTH} HTTP/1.0\r\nHost: localhost\r\n\r\n");
    }
    let answer = client.wait_with_output();
    answer.is_ok_and(|answer| String::from_utf8_lossy(&answer.stdout).contains(" 200 "))
}
