//! The same job file on every kind of target.

use crate::cluster::Cluster;
use crate::server::Server;
use crate::support::fio::{json, ours};
use crate::support::room::Room;
use crate::support::servers::{Place, names_on};
use serde_json::Value;

/// Written once in order, read back at random with eight reads in flight, everything verified, then removed.
const JOB: &str = "\
[global]
filename=@URI@/data
size=2m
bs=16k
verify=crc32c
[write]
rw=write
do_verify=0
[read]
stonewall
rw=randread
iodepth=@DEPTH@
unlink=1
";

fn run(room: &Room, uri: &str, flags: &[String], depth: u32) -> Value {
    let text = JOB.replace("@URI@", uri).replace("@DEPTH@", &depth.to_string());
    let file = room.file("job.fio", &text);
    json(&ours(&["--output-format=json", "--mkdir", &file, &room.record_flag()]).args(flags).run().expect(0))
}

#[track_caller]
fn is_right(document: &Value) {
    let jobs = document["jobs"].as_array().expect("jobs");
    assert_eq!((&jobs[0]["write"]["total_ios"], &jobs[0]["write"]["io_bytes"]), (&128.into(), &(2 << 20).into()));
    assert_eq!((&jobs[1]["read"]["total_ios"], &jobs[1]["read"]["io_bytes"]), (&128.into(), &(2 << 20).into()));
    for job in jobs {
        assert_eq!(job["error"], 0, "{job}");
    }
}

/// Several reads were in flight.
#[track_caller]
fn has_depth(document: &Value) {
    let levels = &document["jobs"][1]["iodepth_level"];
    let share = |level: &str| levels[level].as_f64().expect("a share");
    assert!(share("4") + share("8") > 70.0, "{levels}");
}

#[test]
fn on_local_files() {
    let room = Room::new();
    is_right(&run(&room, &room.at("d"), &[], 1));
    room.record();
}

fn s3(test: &str) -> Option<(Server, Place)> {
    let server = Server::from_env()?;
    let place = server.place(test);
    Some((server, place))
}

fn hdfs(test: &str) -> Option<Place> {
    let cluster = Cluster::of("")?;
    Some(cluster.place(test, &cluster.conf()))
}

#[test]
fn on_s3() {
    let Some((server, place)) = s3("fio-one-job") else { return };
    let document = run(&place.room, &place.uri, &place.flags, 8);
    is_right(&document);
    has_depth(&document);
    place.room.record();
    assert_eq!(names_on(&server.target(&place)), [] as [&str; 0], "unlink=1 removed it");
}

#[test]
fn on_hdfs() {
    let Some(place) = hdfs("fio-one-job") else { return };
    let document = run(&place.room, &place.uri, &place.flags, 8);
    is_right(&document);
    has_depth(&document);
    place.room.record();
}

#[test]
fn several_files_and_clones_on_a_store() {
    let Some((server, place)) = s3("fio-many-files") else { return };
    let text = format!(
        "[global]\ndirectory={}\nsize=1m\nbs=128k\nnumjobs=3\nnrfiles=2\nfilename_format=f.$jobnum.$filenum\n\
         [w]\nrw=write\n[r]\nstonewall\nrw=read\niodepth=4\nunlink=1\n",
        place.uri
    );
    let file = place.room.file("many.fio", &text);
    let document = json(&ours(&["--output-format=json", &file]).args(&place.flags).run().expect(0));
    let jobs = document["jobs"].as_array().expect("jobs");
    assert_eq!(jobs.len(), 6);
    for job in jobs {
        let ios =
            job["read"]["total_ios"].as_u64().expect("reads") + job["write"]["total_ios"].as_u64().expect("writes");
        assert_eq!(ios, 8, "{job}");
    }
    assert_eq!(names_on(&server.target(&place)), [] as [&str; 0]);
}

/// What a store does not have is refused before anything is touched, with what is possible.
#[test]
fn refused_with_the_reason() {
    let mut places = Vec::from_iter(s3("fio-refused").map(|(_, place)| place));
    places.extend(hdfs("fio-refused"));
    for place in &places {
        let base = ["--name=a".to_string(), "--size=1m".into(), format!("--filename={}/x", place.uri)];
        for (flags, part) in [
            (&["--rw=randwrite"][..], "from the start to the end"),
            (&["--rw=randrw"], "one job for reads and one for writes"),
            (&["--rw=trim"], "trim"),
            (&["--rw=write", "--fsync=1"], "fsync"),
            (&["--rw=read", "--ioengine=mmap"], "ioengine"),
            (&["--rw=read", "--ioengine=libaio"], "ioengine"),
            (&["--rw=read", "--direct=1"], "direct"),
            (&["--rw=write", "--overwrite=1"], "overwrite"),
            (&["--rw=write", "--offset=4k"], "offset"),
        ] {
            let ended = ours(&base).args(&place.flags).args(flags).run().expect(1).complains(&[part]);
            assert_eq!(ended.stdout, "", "nothing ran: {ended}");
        }
    }
}

#[test]
fn what_is_missing_and_what_is_rotten_is_found() {
    let Some((_, place)) = s3("fio-rotten") else { return };
    let file = format!("--filename={}/x", place.uri);
    let flags = ["--name=a", "--bs=4k", "--size=64k", &file];
    let missing = ours(&flags).args(&place.flags).args(&["--rw=read", "--allow_file_create=0"]).run();
    missing.expect(1).complains(&["x"]);
    ours(&flags).args(&place.flags).args(&["--rw=write"]).run().expect(0);
    // Written without headers: nothing of it can be verified.
    let verified = ["--rw=read", "--verify=crc32c", "--unlink=1"];
    ours(&flags).args(&place.flags).args(&verified).run().expect(1).complains(&["bad magic header"]);
    let target = Server::from_env().expect("it was there").target(&place);
    crate::support::servers::remove(&target, "x");
}
