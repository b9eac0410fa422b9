//! Faults between fsbench and the server: each is one kind of error, and what went well is kept.

use crate::server::Server;
use crate::support::proxy::{Failure, Fault, Proxy};
use crate::support::room::{counted, error_kinds, errors_of, repetitions, succeeded};
use crate::support::servers::Place;
use crate::support::wait_until;
use fsbench_results::Ending;
use rustix::process::Signal;

const READS: [&str; 3] = ["--threads=2", "--iterations=10", "--repetitions=2"];

fn is_read(line: &str) -> bool {
    line.starts_with("GET ") && line.contains("/test_")
}

fn is_part(line: &str) -> bool {
    line.starts_with("PUT ") && line.contains("partNumber=")
}

fn is_write(line: &str) -> bool {
    line.starts_with("PUT ") && line.contains("/test_")
}

/// One part at a time: a part that is on its way when its upload is aborted may bring it back to life, as S3's own
/// documentation says, and the buffers of a proxy make that likely.
const PARTS: [&str; 4] = ["--file_size=17MiB", "--part_size=5MiB", "--upload_concurrency=1", "--repetitions=1"];

struct Scene {
    server: Server,
    proxy: Proxy,
    place: Place,
}

impl Scene {
    /// Two objects of 100,000 bytes behind a proxy that is still well.
    fn set(test: &str, conf: &str) -> Option<Self> {
        let server = Server::from_env()?;
        let proxy = Proxy::before(&server.endpoint);
        let through = server.through(&proxy);
        let place = through.place_with(test, &format!("{}{conf}", through.conf()));
        place.remote("create_write", &["--threads=2", "--file_size=100000", "--repetitions=1"]).run().expect(0);
        Some(Self { server, proxy, place })
    }

    fn inject(&self, failure: Failure, every: u64, of: fn(&str) -> bool) {
        self.proxy.inject(Fault { failure, every, of });
    }

    /// Reads with faults end with exit code 1, every fault counted as one of `kinds`, everything else measured.
    fn reads_fail_as(&self, kinds: &[&str], failure: Failure) {
        self.inject(failure, 7, is_read);
        let ended = self.place.remote("open_read", &READS).run().expect(1).says(&[kinds[0]]);
        let record = self.place.room.record();
        assert!(self.proxy.injected() > 0, "faults were injected: {ended}");
        let seen = error_kinds(&record);
        assert!(seen.iter().all(|kind| kinds.contains(&kind.as_str())), "{seen:?} in {ended}");
        assert_eq!(record.error_count(), self.proxy.injected(), "each fault is one error: {ended}");
        assert_eq!(succeeded(&record) + record.error_count(), 40, "everything else was measured: {ended}");
        assert_eq!((record.ending, counted(&record, "retries")), (Ending::Finished, 0));
    }
}

#[test]
fn sporadic_503s_are_counted_as_throttling() {
    let Some(scene) = Scene::set("slow-down", "") else { return };
    scene.reads_fail_as(&["throttled"], Failure::SlowDown);
}

#[test]
fn with_retries_the_run_succeeds_and_they_are_counted() {
    let Some(scene) = Scene::set("retries", "") else { return };
    for (operation, of, failure) in [
        ("open_read", is_read as fn(&str) -> bool, Failure::SlowDown),
        ("create_write", is_write, Failure::SlowDown),
        ("open_read", is_read, Failure::Reset),
    ] {
        let before = scene.proxy.injected();
        scene.inject(failure, 5, of);
        let more = ["--retries=3", "--file_size=100000"];
        scene.place.remote(operation, &READS).args(&more).run().expect(0).says(&["retries"]);
        let record = scene.place.room.record();
        let injected = scene.proxy.injected() - before;
        assert!(injected > 0);
        assert_eq!((counted(&record, "retries"), succeeded(&record)), (injected, 40), "{operation} {failure:?}");
    }
}

#[test]
fn resets_are_connection_errors() {
    let Some(scene) = Scene::set("reset", "") else { return };
    scene.reads_fail_as(&["connection"], Failure::Reset);
}

#[test]
fn stalls_end_by_the_timeout() {
    let Some(scene) = Scene::set("stall", "AWS_REQUEST_TIMEOUT_MS=500\n") else { return };
    scene.reads_fail_as(&["timeout"], Failure::Stall);
}

#[test]
fn truncated_bodies_are_short_reads() {
    let Some(scene) = Scene::set("truncate", "") else { return };
    scene.reads_fail_as(&["short_read"], Failure::Truncate);
}

#[test]
fn a_server_that_goes_down_in_the_middle_leaves_the_good_measurements() {
    let Some(scene) = Scene::set("goes-down", "") else { return };
    let running = scene.place.remote("open_read", &["--threads=2", "--repetitions=500", "--iterations=20"]).start();
    let so_far = || scene.place.room.record_so_far();
    let full = |r: &fsbench_results::Record| r.phases[0].name == "S3ReadBenchmark" && repetitions(r).len() > 2;
    wait_until("three repetitions are saved", || so_far().is_some_and(|r| !r.phases.is_empty() && full(&r)));
    scene.proxy.go_down();
    let ended = running.end().expect(1).says(&["connection"]);
    let record = scene.place.room.record();
    assert_eq!((record.ending, repetitions(&record).len()), (Ending::Finished, 500));
    assert!(succeeded(&record) >= 3 * 40 && errors_of(&record, "connection") > 0, "{ended}");
    assert_eq!(repetitions(&record)[0].error_count(), 0);
}

#[test]
fn a_part_that_fails_aborts_the_upload() {
    let Some(scene) = Scene::set("parts", "AWS_REQUEST_TIMEOUT_MS=2000\n") else { return };
    for (failure, kind) in
        [(Failure::SlowDown, "throttled"), (Failure::Reset, "connection"), (Failure::Stall, "timeout")]
    {
        scene.inject(failure, 3, is_part);
        let ended = scene.place.remote("create_write", &PARTS).run().expect(1).says(&[kind]);
        let record = scene.place.room.record();
        assert_eq!((error_kinds(&record), succeeded(&record)), (vec![kind.to_string()], 0), "{ended}");
        assert_eq!(scene.server.uploads(&scene.place), 0, "an upload was left behind by {ended}");
        if failure == Failure::SlowDown {
            scene.place.remote("create_write", &PARTS).args(&["--retries=2"]).run().expect(0).says(&["retr"]);
            assert_eq!(scene.server.uploads(&scene.place), 0);
        }
    }
}

#[test]
fn ctrl_c_in_the_middle_of_an_upload_aborts_it() {
    let Some(scene) = Scene::set("ctrl-c", "") else { return };
    scene.inject(Failure::Stall, 2, is_part);
    let running = scene.place.remote("create_write", &PARTS).start();
    wait_until("a part is stuck", || scene.proxy.injected() > 0);
    running.signal(Signal::INT);
    let ended = running.end().expect(130).says(&["interrupted by a signal"]);
    let record = scene.place.room.record();
    assert_eq!(record.ending, Ending::Interrupted);
    assert!(repetitions(&record).iter().all(|r| r.interrupted), "{ended}");
    assert_eq!(scene.server.uploads(&scene.place), 0, "an upload was left behind by {ended}");
}

#[test]
fn ctrl_c_ends_reads_that_are_stuck() {
    let Some(scene) = Scene::set("ctrl-c-read", "") else { return };
    scene.inject(Failure::Stall, 5, is_read);
    for operation in ["open_read", "prefetch_read"] {
        let before = scene.proxy.injected();
        let running = scene.place.remote(operation, &READS).start();
        wait_until("a read is stuck", || scene.proxy.injected() > before);
        running.signal(Signal::TERM);
        running.end().expect(130);
        assert!(succeeded(&scene.place.room.record()) > 0, "{operation}: what went well is kept");
    }
}

#[test]
fn clean_aborts_the_upload_of_a_killed_run() {
    let Some(scene) = Scene::set("killed", "") else { return };
    scene.inject(Failure::Stall, 2, is_part);
    let running = scene.place.remote("create_write", &PARTS).start();
    wait_until("a part is stuck", || scene.proxy.injected() > 0);
    running.signal(Signal::KILL);
    assert_eq!(running.end().signal, Some(9));
    scene.place.clean().run().expect(0).says(&["1 unfinished uploads aborted"]);
    assert_eq!(scene.server.uploads(&scene.place), 0);
    assert_eq!(scene.server.objects(&scene.place), [""; 0]);
}
