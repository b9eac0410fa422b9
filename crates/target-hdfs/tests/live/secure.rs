//! High availability, Kerberos, and encrypted wires.

use crate::here::{Cluster, clean, cluster, get, put, sample, session};
use fsbench_target::{ErrorKind, Target, conformance};
use fsbench_target_hdfs::HdfsTarget;

#[test]
fn conformance_of_a_nameservice() {
    let Some(cluster) = cluster("_HA") else { return };
    let target = cluster.target("conformance", &[]);
    conformance::run(&target);
    clean(&target, &[]);
}

#[test]
fn a_standby_that_is_asked_first_is_passed_over() {
    let Some(cluster) = cluster("_HA") else { return };
    let name = cluster.uri.trim_start_matches("hdfs://").to_owned();
    let key = format!("dfs.ha.namenodes.{name}");
    for order in ["nn1,nn2", "nn2,nn1"] {
        let target = cluster.target("order", &[(&key, order)]);
        let mut session = session(&target);
        put(&mut *session, "a", b"x").unwrap_or_else(|e| panic!("{order}: {e}"));
        assert_eq!(get(&mut *session, "a", 10).unwrap_or_else(|e| panic!("{order}: {e}")), b"x");
        clean(&target, &[]);
    }
}

#[test]
fn a_dead_namenode_is_passed_over() {
    let Some(cluster) = cluster("") else { return };
    let address = cluster.uri.trim_start_matches("hdfs://").to_owned();
    let settings = [
        ("dfs.ha.namenodes.two", "dead,live"),
        ("dfs.namenode.rpc-address.two.dead", "127.0.0.1:1"),
        ("dfs.namenode.rpc-address.two.live", address.as_str()),
    ];
    let name = format!("fsbench-test-{}-dead", std::process::id());
    let (config, _) = cluster.resolve(&format!("hdfs://two/{name}"), &settings).unwrap_or_else(|e| panic!("{e}"));
    let target = HdfsTarget::new(config).unwrap_or_else(|e| panic!("{e}"));
    let mut session = session(&target);
    session.mkdir("").unwrap_or_else(|e| panic!("{e}"));
    put(&mut *session, "a", b"x").unwrap_or_else(|e| panic!("{e}"));
    clean(&target, &[]);
}

/// libkrb5 finds its realm only through the environment of the process. Where that is another, the test `name` is run
/// again in a process of its own, and `false` is returned.
fn realm_is_set(cluster: &Cluster, name: &str) -> bool {
    let file = cluster.value("KRB5_CONF").expect("its krb5.conf is in the environment");
    if std::env::var("KRB5_CONFIG").as_ref() == Ok(&file) {
        return true;
    }
    let mut own = std::process::Command::new(std::env::current_exe().expect("this program has a name"));
    own.args([&format!("secure::{name}"), "--exact", "--nocapture"]).env("KRB5_CONFIG", file).env_remove("KRB5CCNAME");
    let output = own.output().expect("this program runs again");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "in its own process:\n{said}");
    false
}

fn by_keytab(cluster: &Cluster, what: &str) -> HdfsTarget {
    let (principal, keytab) = (cluster.value("PRINCIPAL").expect("set"), cluster.value("KEYTAB").expect("set"));
    cluster.target(what, &[("hadoop.kerberos.principal", &principal), ("hadoop.kerberos.keytab", &keytab)])
}

fn big_file(target: &HdfsTarget) {
    let mut session = session(target);
    let data = sample(9, 20_000_001);
    put(&mut *session, "big", &data).unwrap_or_else(|e| panic!("{e}"));
    assert!(get(&mut *session, "big", 1_000_000).unwrap_or_else(|e| panic!("{e}")) == data);
}

#[test]
fn conformance_with_a_keytab() {
    let Some(cluster) = cluster("_KRB") else { return };
    if !realm_is_set(&cluster, "conformance_with_a_keytab") {
        return;
    }
    let target = by_keytab(&cluster, "conformance");
    conformance::run(&target);
    big_file(&target);
    clean(&target, &[]);
}

#[test]
fn conformance_with_encrypted_wires() {
    let Some(cluster) = cluster("_PRIVACY") else { return };
    if !realm_is_set(&cluster, "conformance_with_encrypted_wires") {
        return;
    }
    let target = by_keytab(&cluster, "conformance");
    conformance::run(&target);
    big_file(&target);
    clean(&target, &[]);
}

#[test]
fn a_ticket_cache_is_enough() {
    let Some(cluster) = cluster("_KRB") else { return };
    if !realm_is_set(&cluster, "a_ticket_cache_is_enough") {
        return;
    }
    let (principal, keytab) = (cluster.value("PRINCIPAL").expect("set"), cluster.value("KEYTAB").expect("set"));
    let directory = tempfile::tempdir().expect("a directory");
    let cache = format!("FILE:{}", directory.path().join("ccache").display());
    let from_cache =
        [("hadoop.kerberos.principal", principal.as_str()), ("hadoop.security.kerberos.ticket.cache.path", &cache)];
    let error = session(&cluster.at("", &from_cache)).stat("").expect_err("the cache is empty");
    assert_eq!(error.kind, ErrorKind::Unauthenticated, "{error}");
    // As kinit does: a keytab with a cache leaves its ticket there.
    let filling = [from_cache[0], from_cache[1], ("hadoop.kerberos.keytab", keytab.as_str())];
    session(&cluster.at("", &filling)).stat("").unwrap_or_else(|e| panic!("{e}"));
    let target = cluster.target("cache", &from_cache);
    assert!(target.facts().contains(&("authentication".into(), "kerberos, ticket cache".into())));
    put(&mut *session(&target), "a", b"x").unwrap_or_else(|e| panic!("{e}"));
    clean(&target, &[]);
}

#[test]
fn without_a_ticket_the_error_says_what_to_do() {
    let Some(cluster) = cluster("_KRB") else { return };
    if !realm_is_set(&cluster, "without_a_ticket_the_error_says_what_to_do") {
        return;
    }
    let error = session(&cluster.at("", &[])).stat("").expect_err("there is no ticket");
    assert_eq!(error.kind, ErrorKind::Unauthenticated, "{error}");
    assert!(error.to_string().contains("kinit"), "{error}");
    let simple = cluster.at("", &[("hadoop.security.authentication", "simple")]);
    let error = session(&simple).stat("").expect_err("this cluster wants Kerberos");
    assert!(error.to_string().contains("hadoop.security.authentication=kerberos"), "{error}");
    let _ = simple.uri();
}
