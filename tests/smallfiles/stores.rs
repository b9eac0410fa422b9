//! The check on a real HDFS and on a real S3 server.

use crate::cluster::Cluster;
use crate::server::Server;
use crate::support::call::{Call, fsbench};
use crate::support::room::{counted, repetitions, succeeded};
use crate::support::servers::{Place, names_on};
use crate::support::wait_until;
use fsbench_results::{Ending, Kind};
use rustix::process::Signal;

fn check(place: &Place, more: &[&str]) -> Call {
    fsbench(&["smallfiles", &place.uri, &place.room.record_flag()]).args(&place.flags).args(more)
}

#[test]
fn s3_is_written_read_verified_and_cleaned() {
    let Some(server) = Server::from_env() else { return };
    let place = server.place("smallfiles");
    let more = ["--count=150", "--threads=4", "--size=2000", "--keep", "--limit=60"];
    check(&place, &more).run().expect(0).says(&["write: ", "read: ", "limit 60 s: good", "request"]);
    let record = place.room.record();
    assert_eq!((succeeded(&record), counted(&record, "verified_bytes")), (300, 300_000));
    let close = repetitions(&record)[0].kind(Kind::Close).expect("an upload ends when it is closed");
    assert!(close.mean_ns() > 10_000.0, "{close:?}");
    assert_eq!(server.objects(&place).len(), 150);
    place.clean().run().expect(0).says(&["150 files of 1 runs removed"]);
    check(&place, &["--count=20", "--sync", "--cold"]).run().expect(0).says(&[
        "--sync has no effect on s3",
        "--cold has no effect on s3",
        "cleaned up: 20 files removed",
    ]);
    assert_eq!(names_on(&server.target(&place)), [""; 0]);
}

#[test]
fn s3_is_cleaned_after_ctrl_c() {
    let Some(server) = Server::from_env() else { return };
    let place = server.place("smallfiles-stop");
    let running = check(&place, &["--count=1000000"]).start();
    wait_until("there are objects", || !server.objects(&place).is_empty());
    running.signal(Signal::INT);
    running.end().expect(130).says(&["interrupted", "read: not measured", "cleaned up"]);
    assert_eq!(place.room.record().ending, Ending::Interrupted);
    assert_eq!(server.objects(&place), [""; 0]);
}

#[test]
fn a_bucket_that_is_not_there_is_one_sentence() {
    let Some(server) = Server::from_env() else { return };
    let place = server.place("smallfiles-bucket");
    let ended = fsbench(&["smallfiles", "s3://no-such-bucket-of-fsbench/x"]).args(&place.flags).run().expect(2);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
}

#[test]
fn hdfs_is_written_read_verified_and_cleaned() {
    let Some(cluster) = Cluster::of("") else { return };
    let place = cluster.place("smallfiles", &cluster.conf());
    let more = ["--count=60", "--threads=3", "--keep", "--limit=100", "-D", "dfs.replication=1"];
    check(&place, &more).run().expect(0).says(&["write: ", "read: ", "limit 100 s: good", "complete"]);
    let record = place.room.record();
    assert_eq!((succeeded(&record), counted(&record, "verified_bytes")), (120, 300));
    let plan = &record.plan.phases[0].program;
    let fsbench_results::model::Program::SmallFiles(files) = plan else { panic!("{plan:?}") };
    let status = cluster.webhdfs("GET", &cluster.path(&place, &files.name(59)), "GETFILESTATUS");
    assert_eq!((&status["FileStatus"]["length"], &status["FileStatus"]["replication"]), (&5.into(), &1.into()));
    place.clean().run().expect(0).says(&["60 files of 1 runs removed"]);
    let more = ["--count=10", "--sync", "--size=1k", "--cold"];
    check(&place, &more).run().expect(0).says(&[
        "sync",
        "--cold has no effect on hdfs",
        "cleaned up: 10 files removed",
    ]);
    let gone = cluster.webhdfs("GET", &cluster.path(&place, ""), "GETFILESTATUS");
    assert_eq!(gone["RemoteException"]["exception"], "FileNotFoundException", "the run made the directory");
}

#[test]
fn hdfs_is_cleaned_after_ctrl_c() {
    let Some(cluster) = Cluster::of("") else { return };
    let place = cluster.place("smallfiles-stop", &cluster.conf());
    let running = check(&place, &["--count=1000000"]).start();
    let path = cluster.path(&place, "");
    wait_until("the directory is there", || {
        cluster.webhdfs("GET", &path, "GETCONTENTSUMMARY")["ContentSummary"]["fileCount"].as_u64() > Some(5)
    });
    running.signal(Signal::INT);
    running.end().expect(130).says(&["interrupted", "read: not measured", "cleaned up"]);
    let gone = cluster.webhdfs("GET", &path, "GETFILESTATUS");
    assert_eq!(gone["RemoteException"]["exception"], "FileNotFoundException");
}
