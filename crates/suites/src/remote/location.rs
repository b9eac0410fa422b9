//! Where a run happens: the file system, the target's base as a URI, and the one file that all workers share.
//!
//! URIs are taken literally, without percent decoding, as the original and the Hadoop shell do. A local path that is
//! not absolute becomes `file:path`; the binary knows the working directory, the suite does not.

use super::error::UsageError;
use super::operation::{FsType, Operation};
use super::values::Values;
use fsbench_model::Settings;

/// Where a run happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) fs: FsType,
    /// The base: `hdfs://host:8020/dir`, `hdfs:///dir` when only Hadoop's files know the host, `s3://bucket/prefix`,
    /// `file:///dir`, `file:dir`, `null:`, `mem:`.
    pub(super) uri: String,
    /// The name below the base of the file that all workers read.
    pub(super) shared: Option<String>,
    /// The endpoint, when the location was an `http(s)://` URL.
    pub(super) endpoint: Option<String>,
    pub(super) notes: Vec<String>,
}

/// A base or file as it was given.
struct Given<'a> {
    text: &'a str,
    scheme: Option<String>,
    /// What follows `scheme:`, or the whole text.
    rest: &'a str,
    /// The place for messages.
    place: String,
}

/// Decides the file system and the base.
pub(super) fn locate(
    values: &Values,
    operation: Operation,
    settings: &Settings,
    has_conf: bool,
) -> Result<Location, UsageError> {
    let one_file = operation.reads_one_file() && values.text("file_path").is_some();
    let name = if one_file { "file_path" } else { "base_dir" };
    let told = values.origin("fs_type").and(values.word("fs_type")).and_then(FsType::of_word);
    if let Some(fs @ (FsType::Null | FsType::Mem)) = told {
        return Ok(nowhere(fs, values.text(name), one_file));
    }
    let text = values.text(name).ok_or_else(|| missing(operation))?;
    let given = Given::split(text, values.place(name));
    let fs = file_system(&given, told, settings, has_conf, values)?;
    let mut location = match fs {
        FsType::Hdfs => hdfs(&given, settings, one_file)?,
        FsType::S3 => s3(&given, one_file)?,
        FsType::Local => local(&given, one_file)?,
        FsType::Null | FsType::Mem => nowhere(fs, one_file.then_some(given.rest), one_file),
    };
    if told.is_none() && given.scheme.is_none() {
        location.notes.push(format!("fs_type is {}: {text} has no scheme", fs.word()));
    }
    Ok(location)
}

fn missing(operation: Operation) -> UsageError {
    let word = operation.word();
    if operation.reads_one_file() {
        let remedy = "give --file_path=URI for one file, or --base_dir=URI to read test_<thread> below it";
        return UsageError::new("--file_path", format!("{word} needs a file, and none is given"), remedy);
    }
    let remedy = "give --base_dir=URI, as in hdfs://host:8020/dir, s3://bucket/prefix or /dir, or base_dir in the conf";
    UsageError::new("--base_dir", format!("{word} needs a directory or prefix, and none is given"), remedy)
}

impl<'a> Given<'a> {
    fn split(text: &'a str, place: String) -> Self {
        let text = text.trim();
        let (scheme, rest) = match text.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme, rest) => (Some(scheme.to_ascii_lowercase()), rest),
            _ => (None, text),
        };
        Given { text, scheme, rest, place }
    }

    /// What follows the `//` of a URI as authority and path; without `//` there is no authority.
    fn authority_and_path(&self) -> (&'a str, &'a str) {
        match self.rest.strip_prefix("//") {
            Some(rest) if self.scheme.is_some() => rest.split_at(rest.find('/').unwrap_or(rest.len())),
            _ => ("", self.rest),
        }
    }

    fn refuse(&self, what: impl Into<String>, remedy: impl Into<String>) -> UsageError {
        UsageError::new(self.place.clone(), what, remedy)
    }
}

/// `x://…` has a scheme; without slashes only ours do, so that a file name may hold a colon.
fn is_scheme(scheme: &str, rest: &str) -> bool {
    let word = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let ours = ["file", "null", "mem"].iter().any(|s| scheme.eq_ignore_ascii_case(s));
    word && (rest.starts_with("//") || ours)
}

fn file_system(
    given: &Given<'_>,
    told: Option<FsType>,
    settings: &Settings,
    has_conf: bool,
    values: &Values,
) -> Result<FsType, UsageError> {
    let by_scheme = given.scheme.as_deref().map(|scheme| by_scheme(scheme, given)).transpose()?;
    match (told, by_scheme) {
        (Some(told), Some(fs)) if told != fs => {
            let what = format!("{} is not on {}", given.text, told.word());
            let place = values.place("fs_type");
            Err(given.refuse(what, format!("take {place} away, or give a path or URI of {}", told.word())))
        }
        (Some(fs), _) | (None, Some(fs)) => Ok(fs),
        // Without a scheme the original's default counts, unless nothing at all speaks of HDFS.
        (None, None) if has_conf || settings.find("fs.defaultFS").is_some() => Ok(FsType::Hdfs),
        (None, None) => Ok(FsType::Local),
    }
}

fn by_scheme(scheme: &str, given: &Given<'_>) -> Result<FsType, UsageError> {
    Ok(match scheme {
        "hdfs" => FsType::Hdfs,
        "s3" | "s3a" | "s3n" | "http" | "https" => FsType::S3,
        "file" => FsType::Local,
        "null" => FsType::Null,
        "mem" => FsType::Mem,
        "abfs" | "abfss" | "wasb" | "wasbs" => {
            return Err(given.refuse(format!("{scheme}:// is Azure, which is not supported"), "use an S3 gateway"));
        }
        "viewfs" | "webhdfs" | "swebhdfs" => {
            let what = format!("{scheme}:// is not spoken here");
            return Err(given.refuse(what, "give the hdfs:// address of the NameNode's RPC port or nameservice"));
        }
        _ => {
            let remedy = "there are hdfs://, s3:// (also for other S3-compatible stores), file:///, null: and mem:";
            return Err(given.refuse(format!("scheme '{scheme}' is not known"), remedy));
        }
    })
}

fn hdfs(given: &Given<'_>, settings: &Settings, one_file: bool) -> Result<Location, UsageError> {
    let (authority, path) = given.authority_and_path();
    let configured = configured_authority(settings)?;
    let mut notes = Vec::new();
    let authority = match (authority, &configured) {
        ("", Some((configured, _))) => configured.as_str(),
        (authority, Some((configured, origin))) if authority != configured => {
            notes.push(format!(
                "{} names {authority}, and {origin} names {configured}: {authority} is used",
                given.place
            ));
            authority
        }
        (authority, _) => authority,
    };
    let (folder, shared) = folder_and_file(given, &clean_path(path, true), one_file)?;
    Ok(Location { fs: FsType::Hdfs, uri: format!("hdfs://{authority}{folder}"), shared, endpoint: None, notes })
}

/// The authority of `fs.defaultFS`, and where it stands.
fn configured_authority(settings: &Settings) -> Result<Option<(String, String)>, UsageError> {
    let Some(setting) = settings.iter().find(|s| s.key == "fs.defaultFS" && !s.value.is_empty()) else {
        return Ok(None);
    };
    let place = format!("{}: fs.defaultFS", setting.origin);
    let (scheme, rest) = setting.value.split_once("://").unwrap_or(("hdfs", &setting.value));
    if !scheme.eq_ignore_ascii_case("hdfs") {
        let remedy = "give hdfs://host:port or hdfs://nameservice";
        return Err(UsageError::new(place, format!("{} is not an HDFS", setting.value), remedy));
    }
    let authority = rest.split('/').next().unwrap_or_default();
    Ok((!authority.is_empty()).then(|| (authority.to_string(), place)))
}

fn s3(given: &Given<'_>, one_file: bool) -> Result<Location, UsageError> {
    let (authority, path) = given.authority_and_path();
    let mut notes = Vec::new();
    let kept = path.split(['?', '#']).next().unwrap_or_default();
    if kept.len() < path.len() {
        notes.push(format!("{}: what follows {kept} is dropped, as in the original", given.place));
    }
    let path = kept.trim().trim_start_matches('/');
    let (endpoint, bucket, key) = match given.scheme.as_deref() {
        Some("http" | "https") if authority.contains('@') => {
            let what = "the URL holds a user or password";
            return Err(given.refuse(what, "give the keys as AWS_ACCESS_KEY and AWS_SECRET_KEY"));
        }
        Some("http" | "https") if authority.is_empty() => {
            return Err(given.refuse(format!("'{}' names no host", given.text), "give http://host/bucket/prefix"));
        }
        Some(scheme @ ("http" | "https")) => {
            let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
            (Some(format!("{scheme}://{authority}")), bucket, key)
        }
        _ => (None, authority, path),
    };
    if bucket.is_empty() {
        let what = format!("'{}' names no bucket", given.text);
        return Err(given.refuse(what, "give s3://bucket/prefix or http://host/bucket/prefix"));
    }
    let key = if one_file { key } else { key.trim_end_matches('/') };
    let (folder, shared) = folder_and_file(given, &format!("/{key}"), one_file)?;
    let uri = format!("s3://{bucket}{}", folder.trim_end_matches('/'));
    Ok(Location { fs: FsType::S3, uri, shared, endpoint, notes })
}

fn local(given: &Given<'_>, one_file: bool) -> Result<Location, UsageError> {
    let (authority, path) = given.authority_and_path();
    if !matches!(authority, "" | "localhost") {
        let what = format!("'{}' names the host {authority}", given.text);
        return Err(given.refuse(what, "a local URI has three slashes: file:///dir"));
    }
    let absolute = path.starts_with('/');
    let (folder, shared) = folder_and_file(given, &clean_path(path, absolute), one_file)?;
    let uri = if absolute { format!("file://{folder}") } else { format!("file:{folder}") };
    Ok(Location { fs: FsType::Local, uri, shared, endpoint: None, notes: Vec::new() })
}

/// `null:` and `mem:` have no places; of a path only the file's name counts.
fn nowhere(fs: FsType, path: Option<&str>, one_file: bool) -> Location {
    let name = path.and_then(|path| path.rsplit(['/', ':']).next()).filter(|name| !name.is_empty());
    let shared = one_file.then(|| name.unwrap_or("file").to_string());
    let notes = match path {
        Some(path) if !path.trim_end_matches(['/', ':']).eq_ignore_ascii_case(fs.word()) && !one_file => {
            vec![format!("{path} is not used: {}: has no places", fs.word())]
        }
        _ => Vec::new(),
    };
    Location { fs, uri: format!("{}:", fs.word()), shared, endpoint: None, notes }
}

/// Without doubled and trailing slashes; with a leading one when absolute.
fn clean_path(path: &str, absolute: bool) -> String {
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
    let joined = parts.join("/");
    match (absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_string(),
        (false, false) => joined,
    }
}

/// For one file: its folder and its name.
fn folder_and_file(given: &Given<'_>, path: &str, one_file: bool) -> Result<(String, Option<String>), UsageError> {
    if !one_file {
        return Ok((path.to_string(), None));
    }
    let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
    if given.text.ends_with('/') || matches!(name, "" | "." | "..") {
        let what = format!("'{}' names a directory, not a file", given.text);
        return Err(given.refuse(what, "give the whole path of a file"));
    }
    let folder = if folder.is_empty() { "/" } else { folder };
    Ok((folder.to_string(), Some(name.to_string())))
}

#[cfg(test)]
#[path = "location_tests.rs"]
mod tests;
