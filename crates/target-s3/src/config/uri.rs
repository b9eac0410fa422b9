//! Base URIs and endpoints, from text.

use super::Endpoint;
use super::keys::invalid;
use fsbench_target::Result;

/// Bucket and prefix of `s3://bucket/prefix`, also as `s3a` and `s3n`.
pub(super) fn base(uri: &str) -> Result<(String, String)> {
    let bad = |problem: &str| invalid(format!("{}: {problem}", uri.trim()), "write it as s3://bucket/prefix");
    let (scheme, rest) = uri.trim().split_once("://").ok_or_else(|| bad("it is not a URI"))?;
    if !["s3", "s3a", "s3n"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return Err(bad("its scheme is not s3, s3a or s3n"));
    }
    if rest.contains(['?', '#']) {
        return Err(bad("a prefix cannot hold ? or #"));
    }
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.is_empty() {
        return Err(bad("bucket is not specified"));
    }
    let plain = bucket.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    if !plain || bucket.len() > 255 || bucket.starts_with('.') {
        return Err(bad("this cannot be a bucket's name"));
    }
    let prefix = prefix.trim_end_matches('/');
    if !prefix.is_empty() && prefix.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(bad("a prefix cannot have empty parts, . or .."));
    }
    if prefix.chars().any(char::is_control) {
        return Err(bad("a prefix cannot have control characters"));
    }
    Ok((bucket.to_string(), prefix.to_string()))
}

/// An endpoint, and whether its scheme was assumed.
pub(super) fn endpoint(name: &str, text: &str) -> Result<(Endpoint, bool)> {
    // What stands before an @ may be a password: it is not repeated.
    let shown = text.rsplit_once('@').map_or(text, |(_, behind)| behind);
    let bad =
        |problem: &str| invalid(format!("{name}={shown}: {problem}"), "write it as http://host:port or https://host");
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
        None => (None, text),
    };
    let tls = match scheme.as_deref() {
        None | Some("http") => false,
        Some("https") => true,
        Some(_) => return Err(bad("its scheme is not http or https")),
    };
    let authority = rest.trim_end_matches('/');
    if authority.contains(['/', '?', '#']) {
        return Err(bad("it has a path: the bucket belongs into the s3:// URI"));
    }
    if authority.contains('@') {
        return Err(bad("it has a user name: keys belong into AWS_ACCESS_KEY and AWS_SECRET_KEY"));
    }
    let (host, port) = host_and_port(authority).ok_or_else(|| bad("it is not host or host:port"))?;
    let port = match port {
        None if tls => 443,
        None => 80,
        Some(port) => port.parse().ok().filter(|port| *port > 0).ok_or_else(|| bad("its port is not 1 to 65535"))?,
    };
    Ok((Endpoint { tls, host, port }, scheme.is_none()))
}

fn host_and_port(authority: &str) -> Option<(String, Option<&str>)> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (host, behind) = rest.split_once(']')?;
        host.parse::<std::net::Ipv6Addr>().ok()?;
        let port = if behind.is_empty() { None } else { Some(behind.strip_prefix(':')?) };
        return Some((host.to_string(), port));
    }
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let plain = !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_".contains(&b));
    plain.then(|| (host.to_ascii_lowercase(), port))
}

/// Why a bucket cannot be part of the host name there, if it cannot.
pub(super) fn path_style_reason(bucket: &str, endpoint: &Endpoint) -> Option<&'static str> {
    let dns = bucket.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-.".contains(&b));
    if endpoint.host.parse::<std::net::IpAddr>().is_ok() {
        Some("the endpoint is an address")
    } else if !endpoint.host.contains('.') {
        Some("the endpoint is a local name")
    } else if !dns || bucket.len() > 63 {
        Some("the bucket's name cannot be part of a host name")
    } else if endpoint.tls && bucket.contains('.') {
        Some("the bucket's name has dots, which certificates do not cover")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_buckets_and_prefixes() {
        for (uri, bucket, prefix) in [
            ("s3://b", "b", ""),
            (" s3a://b/ ", "b", ""),
            ("S3N://my.bucket_1/a/b c/", "my.bucket_1", "a/b c"),
            ("s3://b/ü%20+", "b", "ü%20+"),
        ] {
            assert_eq!(base(uri), Ok((bucket.into(), prefix.into())), "{uri}");
        }
        for uri in
            ["", "b/x", "/b", "s3:/b", "s3://", "s3:///x", "hdfs://h/x", "s3://b/a?v=1", "s3://b/a#b", "s3://b/a//b"]
                .into_iter()
                .chain(["s3://b/../x", "s3://b/.", "s3://b@c/x", "s3://b//x", "s3://b:9/x", "s3://b/a\nb"])
        {
            assert!(base(uri).is_err(), "{uri}");
        }
    }

    #[test]
    fn endpoints_have_ports() {
        for (text, tls, host, port, assumed) in [
            ("h", false, "h", 80, true),
            ("127.0.0.1:9000", false, "127.0.0.1", 9000, true),
            ("http://H.example", false, "h.example", 80, false),
            ("HTTPS://h.example/", true, "h.example", 443, false),
            ("https://[::1]:7", true, "::1", 7, false),
        ] {
            let expected = Endpoint { tls, host: host.into(), port };
            assert_eq!(endpoint("AWS_ENDPOINT", text), Ok((expected, assumed)), "{text}");
        }
        for text in
            ["", "http://", "ftp://h", "h:x", "h:0", "h:70000", "h/b", "http://h/b", "[::1", "[x]:1", "a b", "h:1:2"]
        {
            let error = endpoint("AWS_ENDPOINT", text).expect_err(text);
            assert!(error.to_string().contains("AWS_ENDPOINT"), "{error}");
        }
    }

    #[test]
    fn a_password_in_an_endpoint_is_not_repeated() {
        let error = endpoint("AWS_ENDPOINT", "http://user:hunter2@host:9").expect_err("refused");
        assert!(!error.to_string().contains("hunter2") && error.to_string().contains("host:9"), "{error}");
    }

    #[test]
    fn addresses_and_odd_buckets_need_path_style() {
        let at = |text: &str| endpoint("e", text).expect("an endpoint").0;
        assert!(path_style_reason("b", &at("127.0.0.1:1")).is_some());
        assert!(path_style_reason("b", &at("localhost:1")).is_some());
        assert!(path_style_reason("My_Bucket", &at("https://s3.example.com")).is_some());
        assert!(path_style_reason("my.bucket", &at("https://s3.example.com")).is_some());
        assert!(path_style_reason("my.bucket", &at("http://s3.example.com")).is_none());
    }
}
