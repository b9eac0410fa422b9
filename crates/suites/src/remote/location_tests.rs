//! Tests of locations: which URI and which file every spelling means.

use super::*;
use crate::remote::typed::Typed;
use proptest::prelude::*;

/// Locates `flags` beside the keys of a conf.
fn locate_with(flags: &[(&'static str, &str)], conf: &[(&str, &str)]) -> Result<Location, UsageError> {
    let mut typed = Typed::default();
    for (name, text) in flags {
        let given = crate::remote::typed::Given { text: (*text).to_string(), origin: format!("--{name}") };
        typed.values.insert(name, given);
    }
    let mut settings = Settings::default();
    for (line, (key, value)) in conf.iter().enumerate() {
        settings.set(*key, *value, format!("t.conf:{}", line + 1));
    }
    let values = Values::resolve(&typed, &mut settings)?;
    let operation = Operation::parse(values.text("operation").unwrap_or_default(), "--operation")?;
    locate(&values, operation, &settings, !conf.is_empty())
}

const HDFS: &[(&str, &str)] = &[("fs.defaultFS", "hdfs://nn:8020")];
const S3: &[(&str, &str)] = &[("fs_type", "s3"), ("AWS_ENDPOINT", "http://h:9000")];

#[test]
fn a_base_is_found_by_its_spelling() {
    for (base, conf, uri) in [
        ("hdfs://nn:8020/a/b/", &[][..], "hdfs://nn:8020/a/b"),
        ("HDFS://nn/a", &[], "hdfs://nn/a"),
        ("hdfs://nn", &[], "hdfs://nn/"),
        ("hdfs:///a", &[], "hdfs:///a"),
        ("/a//b/", HDFS, "hdfs://nn:8020/a/b"),
        ("a", HDFS, "hdfs://nn:8020/a"),
        ("hdfs:///a", HDFS, "hdfs://nn:8020/a"),
        ("/a", &[("fs.defaultFS", "nn:8020")], "hdfs://nn:8020/a"),
        ("/a", &[("fs.defaultFS", "hdfs://ns1/")], "hdfs://ns1/a"),
        ("/a", &[("hadoop.username", "u")], "hdfs:///a"),
        ("s3://bucket", &[], "s3://bucket"),
        ("s3a://bucket/p/q//", &[], "s3://bucket/p/q"),
        ("https://h:9000/bucket/p", &[], "s3://bucket/p"),
        ("s3://b/p?x=1#y", S3, "s3://b/p"),
        ("/mnt/disk/", &[], "file:///mnt/disk"),
        ("dir/sub", &[], "file:dir/sub"),
        (".", &[], "file:."),
        ("a:b", &[], "file:a:b"),
        ("file:///d", &[], "file:///d"),
        ("file://localhost/d", &[], "file:///d"),
        ("file:/d", &[], "file:///d"),
        ("/", &[], "file:///"),
        ("null:", &[], "null:"),
        ("mem://", &[], "mem:"),
    ] {
        let location = locate_with(&[("base_dir", base)], conf).expect(base);
        assert_eq!((location.uri.as_str(), location.shared), (uri, None), "{base} {conf:?}");
    }
}

#[test]
fn one_file_is_a_folder_and_a_name() {
    for (path, conf, uri, name) in [
        ("hdfs://nn:8020/a/b", &[][..], "hdfs://nn:8020/a", "b"),
        ("hdfs://nn/b", &[], "hdfs://nn/", "b"),
        ("/x/y", HDFS, "hdfs://nn:8020/x", "y"),
        ("s3://bucket/k", &[], "s3://bucket", "k"),
        ("s3://bucket/p/q/k.bin?version=1", &[], "s3://bucket/p/q", "k.bin"),
        ("http://h/bucket/p/k", &[], "s3://bucket/p", "k"),
        ("/f", &[], "file:///", "f"),
        ("f", &[], "file:.", "f"),
        ("d/f", &[], "file:d", "f"),
        ("null:f", &[], "null:", "f"),
    ] {
        for operation in ["single_read", "prefetch_read"] {
            let flags = [("operation", operation), ("file_path", path), ("base_dir", "/ignored")];
            let location = locate_with(&flags, conf).expect(path);
            assert_eq!((location.uri.as_str(), location.shared.as_deref()), (uri, Some(name)), "{path}");
        }
    }
    let without = locate_with(&[("operation", "single_read"), ("base_dir", "/d")], &[]).expect("base_dir will do");
    assert_eq!((without.uri.as_str(), without.shared), ("file:///d", None));
}

#[test]
fn the_endpoint_of_a_url_is_kept() {
    let location = locate_with(&[("base_dir", "https://h:9000/bucket/p")], &[]).expect("a URL");
    assert_eq!(location.endpoint.as_deref(), Some("https://h:9000"));
}

#[test]
fn assumptions_are_told() {
    let notes = |flags: &[(&'static str, &str)], conf| locate_with(flags, conf).expect("located").notes;
    assert_eq!(notes(&[("base_dir", "/d")], &[]), ["fs_type is local: /d has no scheme"]);
    assert_eq!(notes(&[("base_dir", "/d")], HDFS), ["fs_type is hdfs: /d has no scheme"]);
    assert!(notes(&[("base_dir", "/d"), ("fs_type", "HDFS")], HDFS).is_empty());
    assert_eq!(
        notes(&[("base_dir", "hdfs://other/d")], HDFS),
        ["--base_dir names other, and t.conf:1: fs.defaultFS names nn:8020: other is used"]
    );
    assert_eq!(
        notes(&[("base_dir", "s3://b/p#x")], &[]),
        ["--base_dir: what follows /p is dropped, as in the original"]
    );
    assert_eq!(notes(&[("base_dir", "/d"), ("fs_type", "null")], &[]), ["/d is not used: null: has no places"]);
}

#[test]
fn every_wrong_location_is_one_sentence() {
    for (flags, conf, message) in [
        (
            &[][..],
            HDFS,
            "--base_dir: create_write needs a directory or prefix, and none is given; give --base_dir=URI, as in \
             hdfs://host:8020/dir, s3://bucket/prefix or /dir, or base_dir in the conf",
        ),
        (
            &[("operation", "single_read")],
            &[],
            "--file_path: single_read needs a file, and none is given; give --file_path=URI for one file, or \
             --base_dir=URI to read test_<thread> below it",
        ),
        (
            &[("fs_type", "hdfs"), ("base_dir", "s3://b/p")],
            &[],
            "--base_dir: s3://b/p is not on hdfs; take --fs_type away, or give a path or URI of hdfs",
        ),
        (
            &[("base_dir", "oss://b/p")],
            &[],
            "--base_dir: scheme 'oss' is not known; there are hdfs://, s3:// (also for other S3-compatible stores), \
             file:///, null: and mem:",
        ),
        (
            &[("base_dir", "abfss://c@a/p")],
            &[],
            "--base_dir: abfss:// is Azure, which is not supported; use an S3 gateway",
        ),
        (
            &[("base_dir", "viewfs://c/p")],
            &[],
            "--base_dir: viewfs:// is not spoken here; give the hdfs:// address of the NameNode's RPC port or \
             nameservice",
        ),
        (
            &[],
            &[("base_dir", "/d"), ("fs_type", "s3")],
            "t.conf:1: base_dir: '/d' names no bucket; give s3://bucket/prefix or http://host/bucket/prefix",
        ),
        (
            &[("base_dir", "https://me:hush@h/b")],
            &[],
            "--base_dir: the URL holds a user or password; give the keys as AWS_ACCESS_KEY and AWS_SECRET_KEY",
        ),
        (&[("base_dir", "http:///b")], &[], "--base_dir: 'http:///b' names no host; give http://host/bucket/prefix"),
        (
            &[("base_dir", "file://host/d")],
            &[],
            "--base_dir: 'file://host/d' names the host host; a local URI has three slashes: file:///dir",
        ),
        (
            &[("operation", "single_read"), ("file_path", "/d/")],
            &[],
            "--file_path: '/d/' names a directory, not a file; give the whole path of a file",
        ),
        (
            &[("base_dir", "/d")],
            &[("fs.defaultFS", "viewfs://c")],
            "t.conf:1: fs.defaultFS: viewfs://c is not an HDFS; give hdfs://host:port or hdfs://nameservice",
        ),
    ] {
        let error = locate_with(flags, conf).expect_err(message);
        assert_eq!(error.to_string(), message, "{flags:?}");
    }
}

proptest! {
    #[test]
    fn any_text_is_a_place_or_refused(
        text in "(s3|hdfs|file|http|null|x)?:?/{0,3}[a-c/:?#.@ é]{0,12}",
        operation in proptest::sample::select(vec!["create_write", "single_read"]),
    ) {
        let flags = [("operation", operation), ("base_dir", text.as_str()), ("file_path", text.as_str())];
        if let Ok(location) = locate_with(&flags, &[]) {
            prop_assert!(location.uri.contains(':'));
            prop_assert!(location.shared.is_none_or(|name| !name.is_empty() && !name.contains('/')));
        }
    }
}
