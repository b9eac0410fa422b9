//! Good measurements, faults, good measurements again: all of it is in the Record.

use crate::cluster::Cluster;
use crate::support::call::Running;
use crate::support::room::{error_kinds, repetitions, succeeded};
use crate::support::servers::{Place, variable};
use crate::support::{program_output, wait_until};
use fsbench_results::{Ending, Record, Repetition};
use rustix::process::Signal;
use std::sync::{Mutex, MutexGuard, PoisonError};

static TURN: Mutex<()> = Mutex::new(());

/// `xtask servers ARGS`.
fn servers(args: &[&str]) -> bool {
    let xtask = variable("FSBENCH_XTASK").expect("it comes with every server");
    let (ok, said) = program_output(&xtask, &[&["servers"], args].concat());
    eprintln!("servers {args:?}: {said}");
    ok
}

/// A server whose turn it is to be broken. It is brought back when this is dropped.
struct Victim {
    server: &'static str,
    _turn: MutexGuard<'static, ()>,
}

impl Victim {
    fn take(server: &'static str) -> Self {
        Self { server, _turn: TURN.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    fn kill(&self, process: &str) {
        assert!(servers(&["kill", &format!("{}/{process}", self.server)]), "{process} is killed");
    }

    fn bring_back(&self) {
        assert!(servers(&["start", self.server]), "{} comes back", self.server);
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        if !servers(&["start", self.server]) {
            eprintln!("{} could not be brought back", self.server);
        }
    }
}

/// A run that goes on until it is interrupted.
struct Endless<'a> {
    place: &'a Place,
    running: Running,
}

impl<'a> Endless<'a> {
    fn start(place: &'a Place, operation: &str, more: &[&str]) -> Self {
        let flags = ["--repetitions=10000", "--threads=2"];
        let run = Self { place, running: place.remote(operation, &flags).args(more).start() };
        run.wait_for("good repetitions", |all| all.len() > 1 && all.iter().all(|r| r.error_count() == 0));
        run
    }

    fn wait_for(&self, what: &str, seen: impl Fn(&[&Repetition]) -> bool) {
        let so_far = || self.place.room.record_so_far();
        wait_until(what, || so_far().is_some_and(|record| seen(&repetitions(&record))));
    }

    /// Waits for a repetition with errors, brings the server back, and waits for one without.
    fn fail_and_recover(self, victim: &Victim) -> Record {
        self.wait_for("a repetition with errors", |all| all.iter().any(|r| r.error_count() > 0));
        victim.bring_back();
        let well = |r: &&&Repetition| r.error_count() == 0 && r.operations > 0;
        self.wait_for("the last repetition is well again", |all| {
            let after = all.iter().rev().take_while(well).count();
            after > 0 && after < all.len()
        });
        self.running.signal(Signal::INT);
        let ended = self.running.end().expect(130);
        let record = self.place.room.record();
        assert_eq!(record.ending, Ending::Interrupted, "{ended}");
        assert!(succeeded(&record) > 0 && record.error_count() > 0, "{ended}");
        record
    }
}

const CONNECTION_TROUBLE: [&str; 4] = ["connection", "unavailable", "timeout", "short_read"];

#[track_caller]
fn only_connection_trouble(record: &Record) {
    let kinds = error_kinds(record);
    let first: Vec<_> = repetitions(record).iter().flat_map(|r| &r.errors).map(|e| &e.first).take(3).collect();
    assert!(kinds.iter().all(|kind| CONNECTION_TROUBLE.contains(&kind.as_str())), "{kinds:?}: {first:?}");
}

#[test]
fn a_datanode_that_dies_during_writes_is_counted_and_the_run_goes_on() {
    let Some(cluster) = Cluster::of("") else { return };
    let victim = Victim::take("hdfs");
    // A sync whose DataNode dies waits as long as this.
    let place = cluster.place("datanode-write", &format!("{}dfs.client.socket-timeout=5000\n", cluster.conf()));
    let run = Endless::start(&place, "create_write", &["--file_size=4MiB"]);
    victim.kill("datanode");
    let record = run.fail_and_recover(&victim);
    only_connection_trouble(&record);
    place.remote("create_write", &["--file_size=1MiB", "--threads=2", "--repetitions=1"]).run().expect(0);
    place.remote("open_read", &["--verify", "--threads=2", "--repetitions=1"]).run().expect(0);
}

#[test]
fn a_datanode_that_dies_during_reads_is_counted_and_the_run_goes_on() {
    let Some(cluster) = Cluster::of("") else { return };
    let victim = Victim::take("hdfs");
    let place = cluster.place("datanode-read", &cluster.conf());
    place.remote("create_write", &["--file_size=4MiB", "--threads=2", "--repetitions=1"]).run().expect(0);
    let run = Endless::start(&place, "open_read", &["--iterations=5"]);
    victim.kill("datanode");
    only_connection_trouble(&run.fail_and_recover(&victim));
}

#[test]
fn a_namenode_that_restarts_during_exists_is_counted_and_the_run_goes_on() {
    let Some(cluster) = Cluster::of("") else { return };
    let victim = Victim::take("hdfs");
    let place = cluster.place("namenode", &cluster.conf());
    place.remote("create_write", &["--file_size=10", "--threads=2", "--repetitions=1"]).run().expect(0);
    let run = Endless::start(&place, "exists", &["--iterations=500"]);
    victim.kill("namenode");
    only_connection_trouble(&run.fail_and_recover(&victim));
}

#[test]
fn a_namenode_that_dies_for_good_ends_the_run_with_what_was_measured() {
    let Some(cluster) = Cluster::of("") else { return };
    let victim = Victim::take("hdfs");
    let place = cluster.place("for-good", &cluster.conf());
    place.remote("create_write", &["--file_size=10", "--repetitions=1"]).run().expect(0);
    let flags = ["--iterations=2000", "--repetitions=20"];
    let running = place.remote("exists", &flags).start();
    let so_far = || place.room.record_so_far().filter(|record| record.plan.phases[0].repetitions == 20);
    wait_until("a repetition is saved", || so_far().is_some_and(|record| !repetitions(&record).is_empty()));
    victim.kill("namenode");
    let ended = running.end().expect(1).says(&["connection"]);
    let record = place.room.record();
    assert_eq!((record.ending, repetitions(&record).len()), (Ending::Finished, 20), "{ended}");
    assert!(succeeded(&record) >= 2000 && record.error_count() > 0, "{ended}");
    only_connection_trouble(&record);
    let ended = place.remote("create_write", &["--file_size=10"]).run().expect(1);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    victim.bring_back();
}

#[test]
fn a_failover_is_survived_between_runs_and_during_one() {
    let Some(cluster) = Cluster::of("_HA") else { return };
    let victim = Victim::take("hdfs-ha");
    let place = cluster.place("failover", &cluster.conf_of_nameservice());
    let flags = ["--file_size=100000", "--threads=2", "--repetitions=1"];
    place.remote("create_write", &flags).run().expect(0);
    let run = Endless::start(&place, "exists", &["--iterations=200"]);
    assert!(servers(&["failover", "hdfs-ha"]), "the other NameNode is active");
    let at_failover = repetitions(&place.room.record()).len();
    run.wait_for("repetitions on the other NameNode", |all| {
        all.len() > at_failover + 2 && all.last().is_some_and(|r| r.error_count() == 0)
    });
    run.running.signal(Signal::INT);
    run.running.end().expect(130);
    only_connection_trouble(&place.room.record());
    place.remote("open_read", &["--verify", "--threads=2", "--repetitions=1"]).run().expect(0);
    place.remote("create_write", &flags).run().expect(0);
    victim.bring_back();
    place.remote("exists", &flags).run().expect(0).says(&["found 2 of 2"]);
}
