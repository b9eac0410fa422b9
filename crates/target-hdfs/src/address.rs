//! Which NameNodes a URI means, and which path.

use crate::site::Properties;
use fsbench_target::{Error, ErrorKind, Result};

const DEFAULT_PORT: u16 = 8020;

/// A URI with the NameNodes that stand behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// Nameservice, or `host:port`.
    pub(crate) authority: String,
    /// Absolute, without a slash at the end; `""` is the root.
    pub(crate) path: String,
    /// `host:port` of each NameNode, in the order of trying.
    pub(crate) namenodes: Vec<String>,
    /// Whether the authority is the name of a nameservice.
    pub(crate) nameservice: bool,
}

fn invalid(uri: &str, detail: impl Into<String>) -> Error {
    Error::new(ErrorKind::Invalid, "hdfs", "use", uri, detail)
}

/// Resolves `uri`: `hdfs://host:port/path`, `hdfs://host/path` (port 8020), `hdfs://nameservice/path`, or a path on
/// `fs.defaultFS`. A URI with an authority is used as it is, whatever `fs.defaultFS` says.
pub(crate) fn resolve(uri: &str, properties: &Properties, notes: &mut Vec<String>) -> Result<Address> {
    let (authority, path) = split(uri)?;
    let authority = match authority {
        "" => default_authority(uri, properties)?,
        own => own.to_owned(),
    };
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    if parts.iter().any(|part| matches!(*part, "." | "..")) {
        return Err(invalid(uri, "the path has a part \".\" or \"..\""));
    }
    let path = parts.iter().map(|part| format!("/{part}")).collect();
    if let Some(namenodes) = nameservice(uri, &authority, properties)? {
        return Ok(Address { authority, path, namenodes, nameservice: true });
    }
    let authority = with_port(uri, authority, notes)?;
    Ok(Address { namenodes: vec![authority.clone()], authority, path, nameservice: false })
}

/// Authority (empty if there is none) and path of `uri`.
fn split(uri: &str) -> Result<(&str, &str)> {
    let Some((scheme, rest)) = uri.split_once("://") else {
        return match uri.strip_prefix("hdfs:") {
            Some(path) => Ok(("", path)),
            None => Ok(("", uri)),
        };
    };
    if !scheme.eq_ignore_ascii_case("hdfs") {
        let error = Error::new(ErrorKind::Unsupported, "hdfs", "use", uri, format!("{scheme}:// is no HDFS address"));
        let hint = match scheme {
            "viewfs" => "viewfs is not supported: give the hdfs:// address that the mount stands for",
            "webhdfs" | "swebhdfs" => "give the hdfs:// address of the NameNode's RPC port, usually 8020",
            _ => "give hdfs://NAMENODE:PORT/PATH, hdfs://NAMESERVICE/PATH, or a path with fs.defaultFS",
        };
        return Err(error.with_hint(hint));
    }
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    match authority.rsplit_once('@') {
        Some(_) => Err(invalid(uri, "a user in the address is not supported").with_hint("set hadoop.username")),
        None => Ok((authority, path)),
    }
}

fn default_authority(uri: &str, properties: &Properties) -> Result<String> {
    let Some(default) = properties.get("fs.defaultFS").or_else(|| properties.get("fs.default.name")) else {
        return Err(invalid(uri, "it names no NameNode, and there is no fs.defaultFS").with_hint(
            "give hdfs://NAMENODE:PORT/PATH, set fs.defaultFS, or point --hadoop_conf_dir to core-site.xml",
        ));
    };
    let default = default.trim();
    if !default.contains("://") && !default.is_empty() && !default.starts_with('/') {
        return Ok(default.trim_end_matches('/').to_owned());
    }
    match split(default)? {
        ("", _) => Err(invalid(default, "this fs.defaultFS names no NameNode")
            .with_hint("set fs.defaultFS to hdfs://NAMENODE:PORT or hdfs://NAMESERVICE")),
        (authority, _) => Ok(authority.to_owned()),
    }
}

/// The NameNodes of `name` if it is a nameservice.
fn nameservice(uri: &str, name: &str, properties: &Properties) -> Result<Option<Vec<String>>> {
    let host = name.split(':').next().unwrap_or(name);
    let Some(ids) = properties.get(&format!("dfs.ha.namenodes.{host}")) else {
        let declared = properties.get("dfs.nameservices").is_some_and(|all| all.split(',').any(|n| n.trim() == name));
        return match properties.get(&format!("dfs.namenode.rpc-address.{name}")) {
            Some(address) => Ok(Some(vec![address.trim().to_owned()])),
            None if declared => Err(invalid(uri, format!("dfs.ha.namenodes.{name} is missing"))
                .with_hint(format!("\"{name}\" is one of dfs.nameservices; name its NameNodes"))),
            None => Ok(None),
        };
    };
    if host != name {
        return Err(invalid(uri, format!("\"{host}\" is a nameservice, and takes no port"))
            .with_hint(format!("use hdfs://{host}/…")));
    }
    let mut namenodes = Vec::new();
    for id in ids.split(',').map(str::trim).filter(|id| !id.is_empty()) {
        let key = format!("dfs.namenode.rpc-address.{name}.{id}");
        let address = properties.get(&key).filter(|address| !address.trim().is_empty());
        let address = address.ok_or_else(|| {
            invalid(uri, format!("{key} is missing")).with_hint(format!("dfs.ha.namenodes.{name} names \"{id}\""))
        })?;
        namenodes.push(address.trim().to_owned());
    }
    match namenodes.is_empty() {
        true => Err(invalid(uri, format!("dfs.ha.namenodes.{name} names no NameNode"))),
        false => Ok(Some(namenodes)),
    }
}

fn with_port(uri: &str, authority: String, notes: &mut Vec<String>) -> Result<String> {
    let after_v6 = authority.rfind(']').map_or(0, |at| at + 1);
    match authority[after_v6..].rsplit_once(':') {
        Some((_, port)) if port.parse::<u16>().is_ok_and(|port| port > 0) => Ok(authority),
        Some((_, port)) => Err(invalid(uri, format!("\"{port}\" is not a port"))),
        None => {
            notes.push(format!("{authority} has no port: the NameNode's usual port {DEFAULT_PORT} is assumed"));
            Ok(format!("{authority}:{DEFAULT_PORT}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn properties(pairs: &[(&str, &str)]) -> Properties {
        pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    fn resolved(uri: &str, pairs: &[(&str, &str)]) -> Result<Address> {
        resolve(uri, &properties(pairs), &mut Vec::new())
    }

    const HA: [(&str, &str); 5] = [
        ("fs.defaultFS", "hdfs://ha"),
        ("dfs.nameservices", "ha,other"),
        ("dfs.ha.namenodes.ha", "nn1, nn2"),
        ("dfs.namenode.rpc-address.ha.nn1", "h1:8020"),
        ("dfs.namenode.rpc-address.ha.nn2", " h2:8020"),
    ];

    #[test]
    fn uris_paths_and_defaults() {
        let default = [("fs.defaultFS", "hdfs://d:9000/")];
        for (uri, authority, path) in [
            ("hdfs://h:1/a//b/", "h:1", "/a/b"),
            ("hdfs://h", "h:8020", ""),
            ("HDFS://h/", "h:8020", ""),
            ("/a", "d:9000", "/a"),
            ("a/b", "d:9000", "/a/b"),
            ("hdfs:///a", "d:9000", "/a"),
            ("hdfs:/a", "d:9000", "/a"),
            ("hdfs://[::1]:9000/a", "[::1]:9000", "/a"),
            ("hdfs://[::1]/a", "[::1]:8020", "/a"),
        ] {
            let address = resolved(uri, &default).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!((address.authority.as_str(), address.path.as_str()), (authority, path), "{uri}");
            assert!(!address.nameservice);
        }
        assert_eq!(resolved("/a", &[("fs.defaultFS", "d:9000")]).expect("without a scheme").authority, "d:9000");
    }

    #[test]
    fn nameservices() {
        let address = resolved("/a", &HA).expect("the default is the nameservice");
        assert_eq!((address.authority.as_str(), address.nameservice), ("ha", true));
        assert_eq!(address.namenodes, ["h1:8020", "h2:8020"]);
        let elsewhere = resolved("hdfs://h9:1/a", &HA).expect("another authority is used as it is");
        assert_eq!(elsewhere.namenodes, ["h9:1"]);
        let single = resolved("hdfs://one/a", &[("dfs.namenode.rpc-address.one", "h:1")]).expect("no HA");
        assert_eq!(single.namenodes, ["h:1"]);
    }

    #[test]
    fn mistakes_are_named() {
        let missing: Vec<_> = HA.iter().filter(|(key, _)| !key.ends_with("nn2")).copied().collect();
        for (uri, pairs, expected) in [
            ("/a", &[][..], "fs.defaultFS"),
            ("/a", &[("fs.defaultFS", "file:///")][..], "file://"),
            ("/a", &[("fs.defaultFS", "hdfs:///")][..], "names no NameNode"),
            ("hdfs://ha:8020/a", &HA[..], "takes no port"),
            ("hdfs://other/a", &HA[..], "dfs.ha.namenodes.other is missing"),
            ("hdfs://ha/a", &missing[..], "dfs.namenode.rpc-address.ha.nn2 is missing"),
            ("hdfs://h:port/a", &[][..], "not a port"),
            ("hdfs://h:1/../a", &[][..], "\"..\""),
            ("viewfs://c/a", &[][..], "viewfs is not supported"),
            ("hdfs://me@h:1/a", &[][..], "hadoop.username"),
        ] {
            let error = resolved(uri, pairs).expect_err(uri).to_string();
            assert!(error.contains(expected), "{uri}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_uri_panics_and_paths_are_clean(uri in "(hdfs:(//)?)?[a-z.:/@\\[\\]0-9ü]*") {
            if let Ok(address) = resolved(&uri, &HA) {
                prop_assert!(address.path.is_empty() || address.path.starts_with('/'));
                prop_assert!(!address.path.ends_with('/') && !address.path.contains("//"));
                prop_assert!(!address.namenodes.is_empty());
            }
        }
    }
}
