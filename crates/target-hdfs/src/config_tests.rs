//! Tests of `config.rs`: what is resolved from what, and what is refused.

use super::*;

fn settings(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

fn resolve_in(uri: &str, pairs: &[(&str, &str)], env: &[(&str, &str)]) -> Result<(HdfsConfig, Vec<String>)> {
    let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    HdfsConfig::resolve(uri, &settings(pairs), &env, None)
}

fn resolve(uri: &str, pairs: &[(&str, &str)]) -> HdfsConfig {
    resolve_in(uri, pairs, &[]).unwrap_or_else(|e| panic!("{e}")).0
}

#[test]
fn the_user_is_the_setting_else_the_environment_else_the_system() {
    let uri = "hdfs://h:1/a";
    let user = |pairs: &[(&str, &str)], env: &[(&str, &str)]| {
        resolve_in(uri, pairs, env).expect("resolves").0.identity.user().to_owned()
    };
    let env = [("HADOOP_USER_NAME", "bob")];
    assert_eq!(user(&[("hadoop.username", "alice")], &env), "alice");
    assert_eq!(user(&[], &env), "bob");
    assert_eq!(user(&[], &[]), whoami::username().expect("a user"));
}

#[test]
fn defaults_and_own_keys() {
    let config = resolve("hdfs://h:1/a/", &[]);
    assert_eq!(config.uri(), "hdfs://h:1/a");
    assert_eq!((config.replication, config.block_size, config.attempts, config.sync), (None, None, 0, false));
    assert_eq!(config.timeout, Some(Duration::from_secs(60)));
    let pairs = [
        ("dfs.replication", "2"),
        ("dfs.blocksize", "64m"),
        ("retries", "3"),
        ("sync", "true"),
        ("dfs.client.socket-timeout", "5s"),
    ];
    let config = resolve("hdfs://h:1/a/", &pairs);
    assert_eq!(
        (config.replication, config.block_size, config.attempts, config.sync),
        (Some(2), Some(64 << 20), 3, true)
    );
    assert_eq!(config.timeout, Some(Duration::from_secs(5)));
    assert_eq!(config.properties["dfs.client.socket-timeout"], "5000");
}

#[test]
fn high_availability_tries_each_namenode_once() {
    let pairs = [
        ("fs.defaultFS", "hdfs://ha"),
        ("dfs.ha.namenodes.ha", "a, b"),
        ("dfs.namenode.rpc-address.ha.a", "h1:1"),
        ("dfs.namenode.rpc-address.ha.b", "h2:1"),
    ];
    let config = resolve("/x", &pairs);
    assert_eq!((config.uri().as_str(), config.attempts), ("hdfs://ha/x", 1));
    assert_eq!(config.properties["dfs.ha.namenodes.ha"], "nn0,nn1");
    assert_eq!(config.properties["dfs.namenode.rpc-address.ha.nn1"], "h2:1");
    let more: Vec<_> = pairs.into_iter().chain([("retries", "4")]).collect();
    assert_eq!(resolve("/x", &more).attempts, 5);
    let hadoops: Vec<_> = pairs.into_iter().chain([("dfs.client.failover.max.attempts", "15")]).collect();
    assert_eq!(resolve("/x", &hadoops).attempts, 15);
}

#[test]
fn kerberos_by_keytab_by_cache_and_incomplete() {
    let keytab = tempfile::NamedTempFile::new().expect("a file");
    let file = keytab.path().display().to_string();
    let both = [("hadoop.kerberos.principal", "u@R"), ("hadoop.kerberos.keytab", file.as_str())];
    let (config, notes) = resolve_in("hdfs://h:1/", &both, &[]).expect("resolves");
    assert_eq!(config.identity.authentication(), "kerberos, keytab");
    assert!(notes.iter().any(|note| note.contains("is assumed")), "{notes:?}");
    assert_eq!(config.properties["hadoop.security.authentication"], "kerberos");

    let cache = resolve("hdfs://h:1/", &[("hadoop.security.authentication", "KERBEROS")]);
    assert_eq!(cache.identity.authentication(), "kerberos, ticket cache");

    let kerberos = ("hadoop.security.authentication", "kerberos");
    for (pairs, expected) in [
        (&[kerberos, ("hadoop.kerberos.keytab", "/x")][..], "hadoop.kerberos.principal is missing"),
        (&[kerberos, ("hadoop.kerberos.principal", "u@R"), ("hadoop.kerberos.keytab", "/gone")][..], "/gone"),
        (&[("hadoop.security.authentication", "token")][..], "neither simple nor kerberos"),
    ] {
        let error = resolve_in("hdfs://h:1/", pairs, &[]).expect_err("must fail").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn the_krb5_file_needs_the_environment() {
    let pairs = [("hadoop.security.authentication", "kerberos"), ("java.security.krb5.conf", "/e/krb5.conf")];
    let (_, notes) = resolve_in("hdfs://h:1/", &pairs, &[]).expect("resolves");
    assert!(notes.iter().any(|note| note.ends_with("export KRB5_CONFIG=/e/krb5.conf")), "{notes:?}");
    let (_, notes) = resolve_in("hdfs://h:1/", &pairs, &[("KRB5_CONFIG", "/e/krb5.conf")]).expect("resolves");
    assert_eq!(notes, Vec::<String>::new());
}

#[test]
fn settings_beat_xml_and_files_are_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let site = "<configuration><property><name>fs.defaultFS</name><value>hdfs://x:1</value></property>\
                <property><name>dfs.replication</name><value>3</value></property></configuration>";
    std::fs::write(directory.path().join("core-site.xml"), site).expect("writes");
    let pairs = settings(&[("dfs.replication", "1")]);
    let (config, notes) = HdfsConfig::resolve("/a", &pairs, &|_| None, Some(directory.path())).expect("resolves");
    assert_eq!((config.uri().as_str(), config.replication), ("hdfs://x:1/a", Some(1)));
    assert!(notes[0].contains("core-site.xml"), "{notes:?}");
}

#[test]
fn wrong_values_name_their_key() {
    for (key, value) in [
        ("dfs.replication", "0"),
        ("dfs.blocksize", "1000"),
        ("dfs.blocksize", "big"),
        ("retries", "-1"),
        ("sync", "yes"),
        ("dfs.client.socket-timeout", "soon"),
        ("dfs.ls.limit", "0"),
    ] {
        let error = resolve_in("hdfs://h:1/", &[(key, value)], &[]).expect_err(key);
        assert_eq!((error.kind, error.path.as_str()), (ErrorKind::Invalid, key));
    }
}

#[test]
fn debug_shows_no_values() {
    let config = resolve("hdfs://h:1/", &[("fs.s3a.secret.key", "hush"), ("hadoop.username", "alice")]);
    let shown = format!("{config:?}");
    assert!(shown.contains("alice") && shown.contains("fs.s3a.secret.key") && !shown.contains("hush"), "{shown}");
}
