//! Every operation, and multipart uploads, on a server that is well.

use crate::server::Server;
use crate::support::room::{counted, repetitions, succeeded};
use crate::support::servers::{forget_ledgers, remove};

const SHAPE: [&str; 5] =
    ["--threads=2", "--iterations=2", "--repetitions=2", "--file_size=300000", "--buffer_size=100000"];

#[test]
fn every_operation_works_and_verifies() {
    let Some(server) = Server::from_env() else { return };
    let place = server.place("operations");
    place.remote("create_write", &SHAPE).run().expect(0).says(&[
        "S3CreateWriteBenchmark/iterations:2/repeats:2/manual_time/threads:2_mean",
        "WriteTotal(B)=1.2M",
        "request",
    ]);
    assert_eq!(server.objects(&place), ["test_0", "test_1"]);
    for operation in ["open_read", "single_read", "prefetch_read"] {
        let more = ["--file_size=0", "--verify", "--prefetch_size=70000"];
        place.remote(operation, &SHAPE).args(&more).run().expect(0).says(&["ReadTotal(B)=1.2M"]);
        let record = place.room.record();
        assert_eq!((succeeded(&record), counted(&record, "verified_bytes")), (8, 2_400_000), "{operation}");
        assert!(repetitions(&record).iter().all(|r| r.kinds.contains_key("first_byte")), "{operation}");
    }
    place.remote("exists", &SHAPE).args(&["--threads=3"]).run().expect(0).says(&["found 8 of 12"]);
    place.remote("list", &SHAPE).run().expect(0).says(&["S3ListBenchmark", "ListCost="]);
    assert_eq!(counted(&place.room.record(), "entries"), 8 * 2, "ledgers are not counted");
    place.remote("rename", &["--iterations=3"]).run().expect(0).says(&["S3RenameBenchmark", "not atomic"]);
    assert_eq!(server.objects(&place), ["test_0_new", "test_1"]);
    place.remote("delete", &["--threads=2"]).run().expect(0).says(&["S3DeleteBenchmark"]);
    assert_eq!(server.objects(&place), [""; 0]);
}

#[test]
fn verify_catches_an_object_of_other_content() {
    let Some(server) = Server::from_env() else { return };
    let place = server.place("verify");
    place.remote("create_write", &SHAPE).run().expect(0);
    place.remote("open_read", &SHAPE).args(&["--verify", "--seed=43"]).run().expect(1).says(&["corrupt", "offset 0"]);
    place.remote("open_read", &["--threads=3"]).run().expect(1).says(&["not_found", "test_2", "create_write"]);
}

#[test]
fn large_files_go_up_in_parts_and_leave_no_upload_behind() {
    let Some(server) = Server::from_env() else { return };
    let place = server.place("large");
    let flags = ["--file_size=12MiB", "--part_size=5MiB", "--upload_concurrency=3", "--repetitions=1"];
    place.remote("create_write", &flags).args(&["--iterations=2"]).run().expect(0).says(&["part", "complete"]);
    let record = place.room.record();
    let repetition = repetitions(&record)[0];
    assert_eq!((repetition.kinds["part"].count, repetition.kinds["complete"].count), (6, 2));
    assert_eq!(server.uploads(&place), 0);
    for operation in ["open_read", "prefetch_read"] {
        place.remote(operation, &["--verify", "--repetitions=1", "--file_size=12MiB"]).run().expect(0);
        assert_eq!(counted(&place.room.record(), "verified_bytes"), 12 << 20);
    }
}

#[test]
fn a_foreign_object_is_refused_and_clean_removes_only_ours() {
    let Some(server) = Server::from_env() else { return };
    let place = server.place("foreign");
    place.remote("create_write", &["--file_size=10"]).run().expect(0);
    forget_ledgers(&server.target(&place));
    let ended = place.remote("create_write", &["--file_size=20"]).run().expect(2);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    ended.complains(&["test_0", "fsbench did not make it", "--overwrite"]);
    place.clean().run().expect(0).says(&["0 files of 0 runs removed"]);
    assert_eq!(server.objects(&place), ["test_0"]);
    place.remote("delete", &[]).run().expect(1).says(&["fsbench did not make it"]);
    assert_eq!(server.objects(&place), ["test_0"], "it is not fsbench's to delete");
    place.remote("create_write", &["--file_size=20", "--overwrite"]).run().expect(0);
    place.clean().run().expect(0);
    assert_eq!(server.objects(&place), ["test_0"], "what was overwritten is not claimed");
    remove(&server.target(&place), "test_0");
}

#[test]
fn cleanup_removes_what_the_run_wrote() {
    let Some(server) = Server::from_env() else { return };
    let place = server.place("cleanup");
    place.remote("create_write", &["--file_size=10", "--cleanup", "--threads=3"]).run().expect(0).says(&["cleaned up"]);
    assert_eq!(server.objects(&place), [""; 0]);
}
