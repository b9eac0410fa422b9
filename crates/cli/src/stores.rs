//! From where a plan runs to the target that it runs on. The one place that knows every store.

use fsbench_model::TargetSpec;
use fsbench_target::{Error, ErrorKind, MemTarget, NullTarget, Result, Target};
use fsbench_target_hdfs::{HdfsConfig, HdfsTarget};
use fsbench_target_posix::PosixTarget;
use fsbench_target_s3::{S3Config, S3Target};
use std::path::Path;
use std::sync::Arc;

/// Size of every file of `null:` unless `null_size` says otherwise.
const NULL_FILE_BYTES: u64 = 10 << 20;

/// A target, and what its store wants the user to know.
pub(crate) struct Store {
    pub(crate) target: Arc<dyn Target>,
    pub(crate) notes: Vec<String>,
}

impl Store {
    fn plain(target: impl Target + 'static) -> Self {
        Self { target: Arc::new(target), notes: Vec::new() }
    }
}

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Opens the target of `spec`. Nothing is written.
pub(crate) fn open(spec: &TargetSpec) -> Result<Store> {
    let settings: Vec<(String, String)> = spec.settings.iter().map(|s| (s.key.clone(), s.value.clone())).collect();
    let scheme = spec.uri.split_once(':').map_or("", |(scheme, _)| scheme);
    match scheme {
        "s3" | "s3a" | "s3n" => s3(&spec.uri, &settings),
        "hdfs" => hdfs(&spec.uri, settings),
        "null" => null(spec),
        "mem" => Ok(Store::plain(MemTarget::default())),
        "file" => local(spec.uri.trim_start_matches("file://").trim_start_matches("file:")),
        _ if spec.uri.starts_with('/') => local(&spec.uri),
        _ => Err(Error::new(ErrorKind::Invalid, "fsbench", "open", &spec.uri, format!("'{scheme}' is no known store"))
            .with_hint("write hdfs://…, s3://bucket/prefix, file:///dir, /dir, null: or mem:")),
    }
}

fn s3(uri: &str, settings: &[(String, String)]) -> Result<Store> {
    let (config, notes) = S3Config::resolve(uri, settings, &env)?;
    Ok(Store { target: Arc::new(S3Target::new(config)?), notes })
}

/// Hadoop's XML files come from the directory that the user named, else from HADOOP_CONF_DIR, else from the conf file's
/// folder.
fn hdfs(uri: &str, mut settings: Vec<(String, String)>) -> Result<Store> {
    let mut take = |key: &str| settings.iter().position(|(k, _)| k == key).map(|at| settings.remove(at).1);
    let (named, beside_conf) = (take("hadoop_conf_dir"), take("conf_file_dir"));
    let directory = named.or(beside_conf.filter(|_| env("HADOOP_CONF_DIR").is_none()));
    let (config, notes) = HdfsConfig::resolve(uri, &settings, &env, directory.as_deref().map(Path::new))?;
    Ok(Store { target: Arc::new(HdfsTarget::new(config)?), notes })
}

fn null(spec: &TargetSpec) -> Result<Store> {
    let size = match spec.settings.find("null_size") {
        None => NULL_FILE_BYTES,
        Some(text) => {
            fsbench_model::parse_bytes(text)
                .map_err(|error| {
                    Error::new(ErrorKind::Invalid, "null", "open", "null:", format!("null_size: {error}"))
                })?
                .0
        }
    };
    Ok(Store::plain(NullTarget::new(size)))
}

fn local(path: &str) -> Result<Store> {
    Ok(Store::plain(PosixTarget::open(Path::new(path))?))
}
