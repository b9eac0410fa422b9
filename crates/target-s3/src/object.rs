//! From a name below the base to the object's key, its place in requests, and its name in messages.

use crate::config::S3Config;
use crate::encode;
use crate::failure::{Failure, Outcome};
use fsbench_target::ErrorKind;
use http::uri::PathAndQuery;
use std::fmt;
use std::rc::Rc;

/// The longest key that S3 knows.
const KEY_BYTES_MAX: usize = 1024;

/// One object: what requests on it need, made once.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    bucket: Rc<str>,
    pub(crate) key: String,
    /// Its path, encoded, without a query.
    pub(crate) target: PathAndQuery,
}

/// The whole name, for messages.
impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}/{}", self.bucket, self.key)
    }
}

/// Makes objects of names.
#[derive(Debug)]
pub(crate) struct Names {
    bucket: Rc<str>,
    /// `/bucket/` or `/`: what stands before a key in a path.
    root: String,
    /// `prefix/`, or nothing.
    before: String,
}

impl Names {
    pub(crate) fn new(config: &S3Config) -> Self {
        let root = if config.path_style { format!("/{}/", encode::path(&config.bucket)) } else { "/".into() };
        let before = if config.prefix.is_empty() { String::new() } else { format!("{}/", config.prefix) };
        Self { bucket: config.bucket.as_str().into(), root, before }
    }

    /// The prefix of all keys below `path`.
    pub(crate) fn prefix(&self, path: &str) -> String {
        if path.is_empty() { self.before.clone() } else { format!("{}{path}/", self.before) }
    }

    /// A key's name below the base.
    pub(crate) fn path<'k>(&self, key: &'k str) -> Option<&'k str> {
        key.strip_prefix(self.before.as_str())
    }

    /// The whole name, for messages.
    pub(crate) fn uri(&self, path: &str) -> String {
        match (path, self.before.as_str()) {
            ("", "") => format!("s3://{}", self.bucket),
            ("", before) => format!("s3://{}/{}", self.bucket, before.trim_end_matches('/')),
            (path, before) => format!("s3://{}/{before}{path}", self.bucket),
        }
    }

    pub(crate) fn object(&self, path: &str) -> Outcome<Object> {
        self.of_key([self.before.as_str(), path].concat())
    }

    pub(crate) fn of_key(&self, key: String) -> Outcome<Object> {
        if key.len() > KEY_BYTES_MAX {
            let detail = format!("the key has {} bytes, S3 takes {KEY_BYTES_MAX}", key.len());
            return Err(Failure::new(ErrorKind::Invalid, detail));
        }
        let mut text = String::with_capacity(self.root.len() + key.len() + 16);
        text.push_str(&self.root);
        encode::push_path(&mut text, &key);
        let target = PathAndQuery::from_maybe_shared(text);
        let target = target.map_err(|error| Failure::new(ErrorKind::Invalid, error.to_string()))?;
        Ok(Object { bucket: self.bucket.clone(), key, target })
    }

    /// `/bucket/key`, encoded: the value of `x-amz-copy-source`.
    pub(crate) fn copy_source(&self, object: &Object) -> String {
        format!("/{}/{}", encode::path(&self.bucket), encode::path(&object.key))
    }

    /// The bucket with a query, encoded and sorted.
    pub(crate) fn bucket_query(&self, query: &str) -> Outcome<PathAndQuery> {
        with_query(if self.root == "/" { "/" } else { self.root.trim_end_matches('/') }, query)
    }
}

/// A path with a query, both encoded.
pub(crate) fn with_query(path: &str, query: &str) -> Outcome<PathAndQuery> {
    PathAndQuery::from_maybe_shared(format!("{path}?{query}"))
        .map_err(|error| Failure::new(ErrorKind::Invalid, error.to_string()))
}
