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

/// libkrb5 finds its realm only through the environment of the process.
fn krb5_config_is_set(cluster: &Cluster) -> bool {
    let wanted = cluster.value("KRB5_CONF");
    let set = std::env::var("KRB5_CONFIG").ok() == wanted && wanted.is_some();
    if !set {
        let why = format!("KRB5_CONFIG={} must be set for this process", wanted.unwrap_or_default());
        assert!(std::env::var("FSBENCH_TEST_REQUIRE").as_deref() != Ok("1"), "{why}");
        eprintln!("skipped: {why}");
    }
    set
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
    if !krb5_config_is_set(&cluster) {
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
    if !krb5_config_is_set(&cluster) {
        return;
    }
    let target = by_keytab(&cluster, "conformance");
    conformance::run(&target);
    big_file(&target);
    clean(&target, &[]);
}

#[test]
fn without_a_ticket_the_error_says_what_to_do() {
    let Some(cluster) = cluster("_KRB") else { return };
    if !krb5_config_is_set(&cluster) || std::env::var_os("KRB5CCNAME").is_some() {
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
