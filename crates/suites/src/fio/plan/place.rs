//! Where the files of a plan are: this host, one store, or nowhere.

use super::super::error::FioError;
use super::super::values::Values;
use super::Draft;

/// Where the files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Site {
    /// Files of this host.
    Local,
    /// Nothing: `ioengine=null` without files.
    Nowhere,
    /// A store, by its base: `hdfs://host:port/`, `s3://bucket`.
    Store(String),
}

/// A file or directory as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// `None` for this host.
    pub(super) store: Option<String>,
    /// Below the store, or as it was given.
    pub(super) path: String,
}

const SCHEMES: [&str; 5] = ["hdfs", "s3", "s3a", "s3n", "file"];

/// The one place of a plan.
pub(super) fn site(drafts: &[Draft<'_>]) -> Result<Site, FioError> {
    let mut site: Option<Site> = None;
    for draft in drafts {
        for (option, one) in sites(&draft.values)? {
            match &site {
                None => site = Some(one),
                Some(Site::Nowhere) if one == Site::Local => site = Some(one),
                Some(Site::Local) if one == Site::Nowhere => {}
                Some(before) if *before == one => {}
                Some(before) => {
                    let what = format!(
                        "{} and {} in one run; one run has one store: split it into two",
                        shown(before),
                        shown(&one)
                    );
                    return Err(draft.values.refuse(option, what));
                }
            }
        }
    }
    Ok(site.unwrap_or(Site::Local))
}

fn shown(site: &Site) -> &str {
    match site {
        Site::Local => "files of this host",
        Site::Nowhere => "no files at all (ioengine=null)",
        Site::Store(uri) => uri,
    }
}

/// The places that one job names, with the options that name them.
fn sites(values: &Values) -> Result<Vec<(&'static str, Site)>, FioError> {
    let mut out = Vec::new();
    for option in ["directory", "filename", "replay_redirect"] {
        for named in given(values, option)? {
            if named.store.is_some() && option == "filename" && values.has("directory") {
                return Err(values.refuse(option, "a URI, and a directory is given, too; take one of them away"));
            }
            // A plain name below a directory is where the directory is.
            if named.store.is_some() || option == "directory" || !values.has("directory") {
                out.push((option, named.store.map_or(Site::Local, Site::Store)));
            }
        }
    }
    if out.is_empty() {
        let null = values.text("ioengine").as_deref() == Some("null");
        out.push(("ioengine", if null { Site::Nowhere } else { Site::Local }));
    }
    Ok(out)
}

/// The names that an option lists; none when it is not given.
pub(super) fn given(values: &Values, option: &str) -> Result<Vec<Named>, FioError> {
    let Some(text) = values.text(option) else { return Ok(Vec::new()) };
    let names = split(&text).into_iter().map(|name| named(&name));
    names.collect::<Result<Vec<_>, String>>().map_err(|why| values.refuse(option, why))
}

/// Splits at colons, but not at `\:`, nor in a URI's `scheme://host:port`.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        let head = head(rest);
        let mut name = rest[..head].to_string();
        let mut escaped = false;
        let mut end = rest.len();
        for (at, c) in rest[head..].char_indices() {
            match c {
                ':' if !escaped => {
                    end = head + at;
                    break;
                }
                '\\' if rest[head + at + 1..].starts_with(':') => escaped = true,
                c => {
                    name.push(c);
                    escaped = false;
                }
            }
        }
        out.push(name);
        match rest.get(end + 1..) {
            Some(next) if end < rest.len() => rest = next,
            _ => return out,
        }
    }
}

/// Length of `scheme://authority` at the start of a text, 0 when there is none.
fn head(text: &str) -> usize {
    let Some((scheme, rest)) = text.split_once("://").filter(|(scheme, _)| is_scheme(scheme)) else { return 0 };
    scheme.len() + 3 + rest.find('/').unwrap_or(rest.len())
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

fn named(name: &str) -> Result<Named, String> {
    if name == "-" {
        return Err("standard input and output cannot be measured; name a file".into());
    }
    if name.is_empty() {
        return Err("an empty name; write names separated by colons, and a colon of a name as \\:".into());
    }
    let Some((scheme, rest)) = name.split_once("://").filter(|(scheme, _)| is_scheme(scheme)) else {
        return Ok(Named { store: None, path: name.into() });
    };
    let scheme = scheme.to_ascii_lowercase();
    if !SCHEMES.contains(&scheme.as_str()) {
        return Err(format!("scheme '{scheme}' is not known; there are hdfs://, s3:// and file:///"));
    }
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let path = path.trim_start_matches('/').to_string();
    match scheme.as_str() {
        "file" if authority.is_empty() => Ok(Named { store: None, path: format!("/{path}") }),
        "file" => Err(format!("names the host {authority}; a local URI has three slashes: file:///dir")),
        "hdfs" => Ok(Named { store: Some(format!("hdfs://{authority}/")), path }),
        _ if authority.is_empty() => Err("names no bucket; write s3://bucket/key".into()),
        _ => Ok(Named { store: Some(format!("s3://{authority}")), path }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_colons() {
        for (text, names) in [
            ("a:b:c", vec!["a", "b", "c"]),
            ("/dev/dsk/foo@3,0\\:c:/b", vec!["/dev/dsk/foo@3,0:c", "/b"]),
            ("hdfs://nn:8020/a:hdfs://nn:8020/b", vec!["hdfs://nn:8020/a", "hdfs://nn:8020/b"]),
            ("s3://b/k\\:1:x", vec!["s3://b/k:1", "x"]),
            ("a\\b", vec!["a\\b"]),
            ("é:ü", vec!["é", "ü"]),
            ("a:", vec!["a", ""]),
            ("hdfs://nn:8020", vec!["hdfs://nn:8020"]),
        ] {
            assert_eq!(split(text), names, "{text}");
        }
    }

    #[test]
    fn a_uri_is_a_store_and_a_path() {
        let named = |text: &str| named(text).map(|named| (named.store.unwrap_or_default(), named.path));
        assert_eq!(named("hdfs://nn:8020/a/b"), Ok(("hdfs://nn:8020/".into(), "a/b".into())));
        assert_eq!(named("s3a://bucket/k"), Ok(("s3://bucket".into(), "k".into())));
        assert_eq!(named("file:///tmp/x"), Ok((String::new(), "/tmp/x".into())));
        assert_eq!(named("x"), Ok((String::new(), "x".into())));
        for text in ["-", "", "gs://b/k", "file://host/x", "s3:///k"] {
            assert!(named(text).is_err(), "{text}");
        }
    }
}
