//! The ways to reach a cluster: users, URIs, nameservices, Kerberos; and what is said when it does not let us in.

use crate::cluster::Cluster;
use crate::support::call::{Ended, program, remote};
use crate::support::room::{Room, error_kinds};
use crate::support::servers::Place;
use crate::support::wait_until;
use std::net::TcpListener;

const SMALL: [&str; 2] = ["--file_size=100000", "--repetitions=1"];

fn writes_and_reads(place: &Place, more: &[&str]) -> Ended {
    place.remote("create_write", &SMALL).args(more).run().expect(0);
    place.remote("open_read", &["--verify", "--repetitions=1"]).args(more).run().expect(0)
}

#[test]
fn by_uri_without_a_conf_and_by_path_on_the_default_file_system() {
    let Some(cluster) = Cluster::of("") else { return };
    let mut place = cluster.place("uri", &cluster.conf());
    let path = format!("--base_dir={}", cluster.path(&place, ""));
    writes_and_reads(&place, &[&path, "--fs_type=hdfs"]);
    place.remote("exists", &[]).run().expect(0).says(&["found 3 of 3"]);
    place.flags.clear();
    writes_and_reads(&place, &[]);
    place.env.push(("HADOOP_CONF_DIR".into(), cluster.conf_dir.clone()));
    writes_and_reads(&place, &[&path, "--fs_type=hdfs"]);
}

#[test]
fn the_user_comes_from_the_conf_or_the_environment() {
    let Some(cluster) = Cluster::of("") else { return };
    let mut place = cluster.place("user", &format!("fs.defaultFS={}\nhadoop.username=ann\n", cluster.uri));
    let owner = |place: &Place| {
        place.remote("create_write", &SMALL).run().expect(0);
        let status = cluster.webhdfs("GET", &cluster.path(place, "test_0"), "GETFILESTATUS");
        place.clean().run().expect(0);
        status["FileStatus"]["owner"].as_str().expect("an owner").to_string()
    };
    let made = cluster.webhdfs("PUT", &cluster.path(&place, ""), "MKDIRS&permission=777");
    assert_eq!(made["boolean"], true);
    assert_eq!(owner(&place), "ann");
    place.flags.clear();
    place.env.push(("HADOOP_USER_NAME".into(), "bob".into()));
    assert_eq!(owner(&place), "bob");
    cluster.webhdfs("DELETE", &cluster.path(&place, ""), "DELETE&recursive=true");
}

#[test]
fn a_user_without_permission_is_told_so() {
    let Some(cluster) = Cluster::of("") else { return };
    let place = cluster.place("denied", &cluster.conf());
    place.remote("create_write", &SMALL).run().expect(0);
    let stranger = ["--set=hadoop.username=stranger"];
    let ended = place.remote("create_write", &SMALL).args(&stranger).run().expect(1);
    ended.says(&["denied", "Permission denied", "stranger"]);
    let below = [stranger[0], &format!("--base_dir={}/below", place.uri)];
    let ended = place.remote("create_write", &SMALL).args(&below).run().expect(2);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    ended.complains(&["Permission denied", "stranger"]);
    cluster.webhdfs("PUT", &cluster.path(&place, "test_0"), "SETPERMISSION&permission=600");
    let read = place.remote("open_read", &["--repetitions=1"]).args(&stranger).run().expect(1);
    read.says(&["denied", "Permission denied", "stranger"]);
    assert_eq!(error_kinds(&place.room.record()), ["denied"]);
}

#[test]
fn a_namenode_that_is_not_there_is_named() {
    let room = Room::new();
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    for operation in ["create_write", "exists"] {
        let base = format!("--base_dir=hdfs://{closed}/x");
        let call = remote(&[&format!("--operation={operation}"), &base, &room.record_flag()]);
        let ended = call.run().expect(1).complains(&[&closed.to_string(), "refused"]);
        assert_eq!(ended.sentences().len(), 1, "{ended}");
    }
    let ended = remote(&["--operation=list", "--base_dir=hdfs://no-such-host.invalid:8020/x"]).run();
    assert!(ended.code == Some(1) && ended.sentences().len() == 1, "{ended}");
    ended.complains(&["no-such-host.invalid"]);
}

#[test]
fn a_nameservice_from_a_conf_file_and_from_xml_files() {
    let Some(cluster) = Cluster::of("_HA") else { return };
    let mut place = cluster.place("nameservice", &cluster.conf_of_nameservice());
    writes_and_reads(&place, &[]);
    place.flags = vec![format!("--hadoop_conf_dir={}", cluster.conf_dir)];
    writes_and_reads(&place, &[]);
    place.flags.clear();
    place.env.push(("HADOOP_CONF_DIR".into(), cluster.conf_dir.clone()));
    writes_and_reads(&place, &[]);
}

/// A place on a secure cluster; the conf names a principal and what `more` says.
fn secure(cluster: &Cluster, test: &str, more: &str) -> Place {
    let conf = format!("fs.defaultFS={}\nhadoop.security.authentication=kerberos\n{more}", cluster.uri);
    let mut place = cluster.place(test, &conf);
    place.flags.push(format!("--hadoop_conf_dir={}", cluster.conf_dir));
    place.env.push(("KRB5_CONFIG".into(), cluster.value("KRB5_CONF")));
    place.env.push(("KRB5CCNAME".into(), format!("FILE:{}", place.room.at("tickets"))));
    place
}

fn keytab(cluster: &Cluster) -> String {
    let (principal, keytab) = (cluster.value("PRINCIPAL"), cluster.value("KEYTAB"));
    format!("hadoop.kerberos.principal={principal}\nhadoop.kerberos.keytab={keytab}\n")
}

#[test]
fn kerberos_with_a_keytab() {
    let Some(cluster) = Cluster::of("_KRB") else { return };
    let place = secure(&cluster, "keytab", &keytab(&cluster));
    writes_and_reads(&place, &["--threads=2"]);
    place.remote("list", &[]).run().expect(0);
}

#[test]
fn kerberos_with_a_ticket_of_kinit_and_without_one() {
    let Some(cluster) = Cluster::of("_KRB") else { return };
    let place = secure(&cluster, "tickets", "");
    let ended = place.remote("create_write", &SMALL).run().expect(2).complains(&["kinit"]);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    let (principal, keytab) = (cluster.value("PRINCIPAL"), cluster.value("KEYTAB"));
    let kinit = program("kinit", &["-k", "-t", keytab.as_str(), principal.as_str()]);
    place.env.iter().fold(kinit, |call, (name, value)| call.env(name, value)).run().expect(0);
    writes_and_reads(&place, &[]);
}

#[test]
fn a_keytab_that_does_not_hold_the_principal_is_one_sentence() {
    let Some(cluster) = Cluster::of("_KRB") else { return };
    let conf = keytab(&cluster).replace("principal=", "principal=nobody-");
    let place = secure(&cluster, "stranger", &conf);
    let ended = place.remote("create_write", &SMALL).run().expect(2);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    ended.complains(&["nobody-"]);
}

#[test]
fn encrypted_wires() {
    let Some(cluster) = Cluster::of("_PRIVACY") else { return };
    let place = secure(&cluster, "privacy", &keytab(&cluster));
    writes_and_reads(&place, &["--threads=2"]);
    place.remote("rename", &["--iterations=2"]).run().expect(0);
}

#[test]
fn keys_without_effect_are_named() {
    let Some(cluster) = Cluster::of("") else { return };
    let conf = format!("{}dfs.client.read.shortcircuit=true\ndfs.unheard.of=1\nfiel_size=3\n", cluster.conf());
    let place = cluster.place("keys", &conf);
    let ended = place.remote("create_write", &SMALL).run().expect(0);
    ended.says(&["dfs.client.read.shortcircuit has no effect", "dfs.unheard.of", "fiel_size"]);
    wait_until("the place is clean", || place.clean().run().code == Some(0));
}
