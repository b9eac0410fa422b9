//! What the target gets: the keys of its own from the conf file, and the options that are its business.
//!
//! HDFS gets `dfs.replication`, `dfs.blocksize`, `retries`, and `hadoop_conf_dir` (the user's choice) or `conf_file_dir`
//! (the conf file's folder, the last resort after HADOOP_CONF_DIR). S3 gets `part_size`, `upload_concurrency`, `retries`.
//! `null:` gets `null_size`. Numbers are plain digits. Local files and `mem:` get nothing.

use super::conf::Conf;
use super::error::UsageError;
use super::location::Location;
use super::operation::FsType;
use super::plan::write_size;
use super::table::PART_MIN;
use super::values::Values;
use fsbench_model::{Bytes, Settings};

/// S3's limit.
const PARTS_MAX: u64 = 10_000;
const MIB: u64 = 1 << 20;
/// The spellings under which the target knows an endpoint, and the style of its URLs.
const ENDPOINT_KEYS: [&str; 4] = ["AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "s3.endpoint"];
const STYLE_KEYS: [&str; 2] = ["use_path_style", "s3.path-style-access"];

/// Turns what is left of the conf file into the settings of the target.
pub(super) fn store_settings(
    values: &Values,
    mut settings: Settings,
    conf: Option<&Conf>,
    location: &Location,
    notes: &mut Vec<String>,
) -> Result<Settings, UsageError> {
    match location.fs {
        FsType::S3 => s3_settings(values, &mut settings, location, notes)?,
        FsType::Hdfs => hdfs_settings(values, &mut settings, conf)?,
        FsType::Local | FsType::Mem => settings = Settings::default(),
        FsType::Null => {
            settings = Settings::default();
            pass(values, &mut settings, "null_size", "null_size");
        }
    }
    Ok(settings)
}

/// Hands an option on, under the target's name for it, in plain digits.
fn pass(values: &Values, settings: &mut Settings, name: &str, key: &str) {
    if let Some(number) = values.number(name) {
        settings.set(key, number.to_string(), values.origin(name).unwrap_or("default"));
    }
}

fn s3_settings(
    values: &Values,
    settings: &mut Settings,
    location: &Location,
    notes: &mut Vec<String>,
) -> Result<(), UsageError> {
    refuse_s3_keys(settings)?;
    for name in ["part_size", "upload_concurrency", "retries"] {
        // The target knows these also as s3.part_size, …: our default must not beat them.
        let has_other_spelling = settings.iter().any(|s| s.key.eq_ignore_ascii_case(&format!("s3.{name}")));
        if values.origin(name).is_some() || !has_other_spelling {
            pass(values, settings, name, name);
        }
    }
    if settings.find("part_size").is_some() {
        fit_parts(values, settings, notes)?;
    }
    if let Some(endpoint) = &location.endpoint {
        use_endpoint(endpoint, settings, notes);
    }
    Ok(())
}

/// An endpoint from a URL; one from the conf file beats it, as in the original.
fn use_endpoint(endpoint: &str, settings: &mut Settings, notes: &mut Vec<String>) {
    let one_of = |key: &str, names: &[&str]| names.iter().any(|name| key.eq_ignore_ascii_case(name));
    if let Some(set) = settings.iter().find(|s| one_of(&s.key, &ENDPOINT_KEYS) && !s.value.is_empty()) {
        if set.value != endpoint {
            notes.push(format!("the endpoint is {} ({}), not {endpoint}, as in the original", set.value, set.origin));
        }
        return;
    }
    settings.set("AWS_ENDPOINT", endpoint, "the URL");
    if !settings.iter().any(|s| one_of(&s.key, &STYLE_KEYS)) {
        settings.set("use_path_style", "true", "the URL");
    }
}

/// Keys of newer Doris versions that change which store is meant, or whose account.
fn refuse_s3_keys(settings: &Settings) -> Result<(), UsageError> {
    for setting in settings.iter().filter(|s| !s.value.is_empty()) {
        let place = format!("{}: {}", setting.origin, setting.key);
        let key = setting.key.to_ascii_lowercase();
        if key == "provider" && setting.value.eq_ignore_ascii_case("azure") || key.starts_with("azure_") {
            return Err(UsageError::new(place, "Azure Blob is not supported", "use a store that speaks S3"));
        }
        if key == "aws_role_arn" {
            let remedy = "assume the role outside, and give its keys and AWS_TOKEN";
            return Err(UsageError::new(place, "roles are not supported", remedy));
        }
    }
    Ok(())
}

/// An upload has at most 10,000 parts: larger files need larger parts.
fn fit_parts(values: &Values, settings: &mut Settings, notes: &mut Vec<String>) -> Result<(), UsageError> {
    let (size, part) = (write_size(values), values.bytes("part_size"));
    if size.0.div_ceil(part.0) <= PARTS_MAX {
        return Ok(());
    }
    let fitting = Bytes(size.0.div_ceil(PARTS_MAX).next_multiple_of(MIB).max(PART_MIN));
    if values.origin("part_size").is_some() {
        let what = format!("{size} in parts of {part} are more than {PARTS_MAX} parts");
        return Err(UsageError::new(values.place("part_size"), what, format!("use parts of at least {fitting}")));
    }
    notes.push(format!("parts are {fitting}: an upload has at most {PARTS_MAX}"));
    settings.set("part_size", fitting.0.to_string(), "file_size");
    Ok(())
}

fn hdfs_settings(values: &Values, settings: &mut Settings, conf: Option<&Conf>) -> Result<(), UsageError> {
    if let Some(size) = values.number("block_size").filter(|size| size % 512 != 0) {
        let what = format!("{size} is not a multiple of 512, the bytes of one checksum");
        return Err(UsageError::new(values.place("block_size"), what, "round it, as in 128MiB"));
    }
    pass(values, settings, "replication", "dfs.replication");
    pass(values, settings, "block_size", "dfs.blocksize");
    // A default of ours would silence Hadoop's own key, dfs.client.failover.max.attempts.
    if values.origin("retries").is_some() {
        pass(values, settings, "retries", "retries");
    }
    if let Some(dir) = values.text("hadoop_conf_dir") {
        settings.set("hadoop_conf_dir", dir, values.origin("hadoop_conf_dir").unwrap_or("default"));
    } else if let Some(conf) = conf {
        settings.set("conf_file_dir", conf.folder(), format!("the folder of {}", conf.path));
    }
    Ok(())
}
