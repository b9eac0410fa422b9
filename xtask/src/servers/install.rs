//! What the servers need and the repository does not hold: jars from Maven Central, versitygw from the Go proxy,
//! a few system packages. Downloads go to a cache outside of the repository, once for all clones.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::home::cache_dir;
use super::process::run_logged;

const HADOOP: &str = "3.4.2";
const VERSITYGW: &str = "v1.8.0";
const POM: &str = include_str!("../../servers/pom.xml");

/// The directory with the jars of HDFS, servers and client.
pub(crate) fn hadoop() -> Result<PathBuf> {
    jars("hadoop", &["hadoop-common", "hadoop-hdfs", "hadoop-hdfs-client"])
}

/// The directory with the jars of Hadoop's KDC for tests.
pub(crate) fn minikdc() -> Result<PathBuf> {
    jars("minikdc", &["hadoop-minikdc"])
}

/// The S3 gateway's binary.
pub(crate) fn versitygw() -> Result<PathBuf> {
    let dir = once(&format!("versitygw-{VERSITYGW}"), |into, log| {
        eprintln!("installing versitygw {VERSITYGW} (about two minutes, once)");
        require("go", None)?;
        let mut go = Command::new("go");
        go.args(["install", "-trimpath", "-ldflags", "-s -w"])
            .arg(format!("github.com/versity/versitygw/cmd/versitygw@{VERSITYGW}"))
            // The toolchain that is here: no silent download of another one.
            .env("GOTOOLCHAIN", "local")
            .env("GOBIN", into)
            .current_dir("/");
        run_logged(&mut go, log, "installing versitygw")
    })?;
    Ok(dir.join("versitygw"))
}

/// Java, by `JAVA_HOME` or by `PATH`.
pub(crate) fn java() -> PathBuf {
    match std::env::var_os("JAVA_HOME") {
        Some(home) if Path::new(&home).join("bin/java").is_file() => Path::new(&home).join("bin/java"),
        _ => PathBuf::from("java"),
    }
}

/// `kinit`, and the library that hdfs-native loads at run time.
pub(crate) fn kerberos_client() -> Result<()> {
    require("kinit", Some("krb5-user"))?;
    if !has_library("libgssapi_krb5.so.2") {
        apt_install("libgssapi-krb5-2")?;
    }
    Ok(())
}

/// Makes sure that a program is in `PATH`, from that Debian package if there is one.
pub(crate) fn require(program: &str, package: Option<&str>) -> Result<()> {
    if in_path(program) {
        return Ok(());
    }
    match package {
        Some(package) => apt_install(package),
        None => bail!("`{program}` is not in PATH and is needed for the test servers; please install it"),
    }
}

fn jars(name: &str, artifacts: &[&str]) -> Result<PathBuf> {
    if java() == Path::new("java") {
        require("java", Some("openjdk-17-jre-headless"))?;
    }
    once(&format!("{name}-{HADOOP}"), |into, log| {
        eprintln!("downloading {name} {HADOOP} through Maven (once)");
        require("mvn", Some("maven"))?;
        let dependencies: Vec<String> = artifacts.iter().map(|artifact| dependency(artifact)).collect();
        let pom = into.with_extension("pom.xml");
        fs::write(&pom, POM.replace("@ARTIFACTS@", &dependencies.join("\n")))
            .with_context(|| format!("cannot write {}", pom.display()))?;
        let mut mvn = Command::new("mvn");
        mvn.args(["-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime", "-f"])
            .arg(&pom)
            .arg(format!("-DoutputDirectory={}", into.display()));
        run_logged(&mut mvn, log, &format!("downloading {name} {HADOOP}"))?;
        fs::remove_file(&pom).with_context(|| format!("cannot remove {}", pom.display()))
    })
}

fn dependency(artifact: &str) -> String {
    format!(
        "<dependency><groupId>org.apache.hadoop</groupId><artifactId>{artifact}</artifactId>\
         <version>{HADOOP}</version></dependency>"
    )
}

/// Fills `<cache>/<name>` by `fill(directory, log)` if it is not there. It appears whole or not at all.
fn once(name: &str, fill: impl FnOnce(&Path, &Path) -> Result<()>) -> Result<PathBuf> {
    let cache = cache_dir()?;
    let done = cache.join(name);
    if done.is_dir() {
        return Ok(done);
    }
    fs::create_dir_all(&cache).with_context(|| format!("cannot create {}", cache.display()))?;
    let lock = File::create(cache.join("lock")).with_context(|| format!("cannot write to {}", cache.display()))?;
    lock.lock().with_context(|| format!("cannot lock {}", cache.join("lock").display()))?;
    if done.is_dir() {
        return Ok(done);
    }
    let partial = cache.join(format!("{name}.partial"));
    if partial.exists() {
        fs::remove_dir_all(&partial).with_context(|| format!("cannot remove {}", partial.display()))?;
    }
    fs::create_dir_all(&partial).with_context(|| format!("cannot create {}", partial.display()))?;
    fill(&partial, &cache.join(format!("{name}.log")))?;
    fs::rename(&partial, &done).with_context(|| format!("cannot rename {}", partial.display()))?;
    Ok(done)
}

fn in_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

fn has_library(name: &str) -> bool {
    let listed = Command::new("/sbin/ldconfig").arg("-p").output();
    listed.is_ok_and(|listed| String::from_utf8_lossy(&listed.stdout).contains(name))
}

fn apt_install(package: &str) -> Result<()> {
    if !in_path("apt-get") {
        bail!(
            "{package} (by its Debian name) is needed for the test servers and there is no apt-get here; please install it"
        );
    }
    let cache = cache_dir()?;
    fs::create_dir_all(&cache).with_context(|| format!("cannot create {}", cache.display()))?;
    let log = cache.join(format!("apt-{package}.log"));
    eprintln!("installing {package} through apt-get");
    run_logged(Command::new("apt-get").arg("update"), &log, "apt-get update (are we root?)")?;
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "--no-install-recommends", package]).env("DEBIAN_FRONTEND", "noninteractive");
    run_logged(&mut install, &log, &format!("installing {package}"))
}
