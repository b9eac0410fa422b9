//! Every operation on a cluster that is well, and what the NameNode says about the files.

use crate::cluster::Cluster;
use crate::support::call::remote;
use crate::support::room::{Room, counted, repetitions, succeeded};
use crate::support::wait_until;
use fsbench_results::Ending;
use rustix::process::Signal;

const SHAPE: [&str; 5] =
    ["--threads=2", "--iterations=2", "--repetitions=2", "--file_size=300000", "--buffer_size=100000"];

#[test]
fn every_operation_works_and_verifies() {
    let Some(cluster) = Cluster::of("") else { return };
    let place = cluster.place("operations", &cluster.conf());
    let write = ["--threads=2", "--repetitions=2", "--file_size=300000"];
    place.remote("create_write", &write).args(&["--fs_type=hdfs"]).run().expect(0).says(&[
        "HdfsCreateWriteBenchmark/iterations:1/repeats:2/manual_time/threads:2_mean",
        "WriteTotal(B)=600k",
        "sync",
    ]);
    assert!(repetitions(&place.room.record()).iter().all(|r| r.kinds["sync"].count == 2), "hsync is the default");
    for operation in ["open_read", "single_read", "prefetch_read"] {
        let more = ["--file_size=0", "--verify", "--prefetch_size=70000"];
        let ended = place.remote(operation, &SHAPE).args(&more).run().expect(0).says(&["ReadTotal(B)=1.2M"]);
        let record = place.room.record();
        assert_eq!((succeeded(&record), counted(&record, "verified_bytes")), (8, 2_400_000), "{ended}");
    }
    place.remote("exists", &SHAPE).args(&["--threads=3"]).run().expect(0).says(&["found 8 of 12"]);
    place.remote("list", &SHAPE).run().expect(0).says(&["HdfsListBenchmark", "ListCost="]);
    assert_eq!(counted(&place.room.record(), "entries"), 8 * 2, "ledgers are not counted");
    place.remote("rename", &["--iterations=3"]).run().expect(0).says(&["HdfsRenameBenchmark"]);
    place.remote("delete", &["--threads=2"]).run().expect(0).says(&["HdfsDeleteBenchmark"]);
    assert_eq!(counted(&place.room.record(), "deleted"), 2);
    // With the last file the directory that fsbench made is gone, too.
    place.remote("list", &[]).run().expect(2).complains(&["--operation=create_write"]);
}

#[test]
fn what_one_target_wrote_any_target_verifies() {
    let Some(cluster) = Cluster::of("") else { return };
    let place = cluster.place("across", &cluster.conf());
    let flags = ["--file_size=100000", "--repetitions=1"];
    place.remote("create_write", &flags).args(&["--nosync"]).run().expect(0);
    assert!(!repetitions(&place.room.record())[0].kinds.contains_key("sync"), "--nosync leaves the hsync out");
    let local = Room::new();
    remote(&["--operation=create_write", &local.base()]).args(&flags).run().expect(0);
    let here = std::fs::read(local.path("data/test_0")).expect("a file");
    place.remote("open_read", &["--verify", "--repetitions=1"]).run().expect(0);
    place.remote("open_read", &["--verify", "--repetitions=1", "--seed=1"]).run().expect(1).says(&["corrupt"]);
    let status = cluster.webhdfs("GET", &cluster.path(&place, "test_0"), "GETFILESTATUS");
    assert_eq!(status["FileStatus"]["length"], here.len());
}

#[test]
fn replication_and_block_size_are_set() {
    let Some(cluster) = Cluster::of("") else { return };
    let place = cluster.place("replication", &cluster.conf());
    let one = ["--replication=2", "--block_size=1MiB"];
    let other = ["--set=dfs.replication=3", "--set=dfs.blocksize=2097152"];
    for (flags, expected) in [(one, (2, 1 << 20)), (other, (3, 2 << 20))] {
        place.remote("create_write", &["--file_size=10000", "--repetitions=1"]).args(&flags).run().expect(0);
        let status = &cluster.webhdfs("GET", &cluster.path(&place, "test_0"), "GETFILESTATUS")["FileStatus"];
        assert_eq!(
            (status["replication"].as_u64(), status["blockSize"].as_u64()),
            (Some(expected.0), Some(expected.1))
        );
    }
    place.remote("create_write", &["--block_size=1000"]).run().expect(2).complains(&["block_size", "512"]);
}

#[test]
fn a_file_of_several_blocks_comes_back_whole() {
    let Some(cluster) = Cluster::of("") else { return };
    let place = cluster.place("blocks", &cluster.conf());
    // hdfs-native does not wait until a block is reported before it asks for the next one, as the Java client does: now
    // and then the NameNode answers "Not replicated yet", and the write has to be tried again.
    let flags = ["--file_size=5MiB", "--block_size=1MiB", "--repetitions=1", "--retries=5"];
    place.remote("create_write", &flags).run().expect(0);
    for operation in ["open_read", "prefetch_read"] {
        let more = ["--verify", "--prefetch_size=700000", "--buffer_size=700000"];
        place.remote(operation, &flags).args(&more).run().expect(0);
        assert_eq!(counted(&place.room.record(), "verified_bytes"), 5 << 20, "{operation}");
    }
}

#[test]
fn foreign_files_stay_and_a_missing_file_names_the_command() {
    let Some(cluster) = Cluster::of("") else { return };
    let place = cluster.place("foreign", &cluster.conf());
    place.remote("create_write", &["--file_size=10", "--repetitions=1"]).run().expect(0);
    let ledgers = cluster.path(&place, ".fsbench");
    assert_eq!(cluster.webhdfs("DELETE", &ledgers, "DELETE&recursive=true")["boolean"], true);
    let ended = place.remote("create_write", &["--file_size=20"]).run().expect(2);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    ended.complains(&["test_0", "fsbench did not make it"]);
    let status = cluster.webhdfs("GET", &cluster.path(&place, "test_0"), "GETFILESTATUS");
    assert_eq!(status["FileStatus"]["length"], 10);
    let ended = place.remote("open_read", &["--threads=2", "--repetitions=1"]).run().expect(1);
    ended.says(&["not_found", "test_1", "--operation=create_write"]);
    cluster.webhdfs("DELETE", &cluster.path(&place, ""), "DELETE&recursive=true");
}

#[test]
fn ctrl_c_keeps_what_was_measured_and_clean_removes_the_rest() {
    let Some(cluster) = Cluster::of("") else { return };
    let place = cluster.place("ctrl-c", &cluster.conf());
    let flags = ["--file_size=1MiB", "--threads=2", "--repetitions=10000"];
    let running = place.remote("create_write", &flags).start();
    wait_until("a repetition is saved", || place.room.record_so_far().is_some_and(|r| repetitions(&r).len() > 1));
    running.signal(Signal::INT);
    running.end().expect(130).says(&["interrupted by a signal"]);
    let record = place.room.record();
    assert_eq!(record.ending, Ending::Interrupted);
    assert!(succeeded(&record) >= 4 && record.error_count() == 0);
    place.clean().run().expect(0).says(&["runs removed"]);
    place.remote("list", &[]).run().expect(2);
}
