//! What each option makes of the plan, and what is refused.

use super::*;
use crate::smallfiles::parse;

fn check_with(args: &[&str], conf: Option<&str>) -> Result<Check, String> {
    let args: Vec<String> = args.iter().map(ToString::to_string).collect();
    let typed = parse(&args).map_err(|error| error.to_string())?;
    let conf = conf.map(|text| Conf::parse("t.conf", text).expect("a conf"));
    plan(&typed, conf.as_ref()).map_err(|error| error.to_string())
}

fn check(args: &[&str]) -> Check {
    check_with(args, None).expect("a plan")
}

fn files(check: &Check) -> Vec<&SmallFiles> {
    let programs = check.plan.phases.iter().map(|phase| match &phase.program {
        Program::SmallFiles(files) => files,
        other => panic!("{other:?}"),
    });
    programs.collect()
}

#[test]
fn a_directory_alone_is_gitlabs_check() {
    let check = check(&["/data/x"]);
    assert_eq!((check.plan.target.uri.as_str(), check.plan.cleanup, check.plan.cold), ("file:///data/x", true, false));
    let names: Vec<_> =
        check.plan.phases.iter().map(|phase| (phase.name.as_str(), phase.workers, phase.stop)).collect();
    assert_eq!(names, [("write", 1, Stop::Iterations(1000)), ("read", 1, Stop::Iterations(1000))]);
    let [write, read] = files(&check)[..] else { panic!("two phases") };
    assert_eq!((write.files, write.size, write.content), (1000, Bytes(5), None));
    assert_eq!((write.step, read.step), (SmallStep::Write { sync: false }, SmallStep::Read { verify: true }));
    assert_eq!((write.limit, write.shell.as_deref()), (Span(10_000_000_000), None));
    assert_eq!((&write.directory, check.plan.notes.len()), (&read.directory, 0));
}

#[test]
fn options_reach_the_plan() {
    let args =
        ["d", "--count=10", "--size=4k", "--threads=3", "--sync", "--cold", "--keep", "--no-verify", "--limit=1s"];
    let check = check(&args);
    assert_eq!((check.plan.target.uri.as_str(), check.plan.cleanup, check.plan.cold), ("file:d", false, true));
    assert_eq!((check.plan.phases[0].workers, check.plan.phases[0].stop), (3, Stop::Iterations(4)));
    let [write, read] = files(&check)[..] else { panic!("two phases") };
    assert_eq!((write.size, write.content.map(|c| c.seed), write.limit), (Bytes(4096), Some(42), Span(1_000_000_000)));
    assert_eq!((write.step, read.step), (SmallStep::Write { sync: true }, SmallStep::Read { verify: false }));
}

#[test]
fn the_shell_works_in_a_directory_of_its_own() {
    for (place, path) in [("/data/x", "/data/x"), ("file:///data/x", "/data/x"), ("here", "here")] {
        let check = check(&[place, "--shell", "--threads=2"]);
        let all = files(&check);
        assert_eq!(all.len(), 4);
        assert_eq!(all[3].shell.as_deref(), Some(path));
        assert_ne!(all[2].directory, all[0].directory);
        assert_eq!((check.plan.phases[2].workers, check.plan.phases[2].stop), (1, Stop::Iterations(1)));
        assert_eq!(check.plan.notes.len(), 1, "{:?}", check.plan.notes);
    }
}

#[test]
fn stores_get_their_keys() {
    let conf = "fs.defaultFS=hdfs://nn:8020\ndfs.replication=3\n";
    let hdfs = check_with(&["/tmp/x", "-Ddfs.replication=2"], Some(conf)).expect("a plan");
    assert_eq!(hdfs.plan.target.uri, "hdfs://nn:8020/tmp/x");
    assert_eq!(hdfs.plan.target.settings.find("dfs.replication"), Some("2"));
    let s3 = check(&["s3://b/p", "--sync", "--cold", "--set", "AWS_REGION=eu"]);
    assert_eq!(s3.plan.target.settings.find("AWS_REGION"), Some("eu"));
    assert_eq!(files(&s3)[0].step, SmallStep::Write { sync: false });
    assert_eq!((s3.plan.notes.len(), s3.plan.cold), (2, false), "{:?}", s3.plan.notes);
    let null = check(&["null:", "--size=100"]);
    assert_eq!(null.plan.target.settings.find("null_size"), Some("100"));
    assert_eq!(files(&null)[1].step, SmallStep::Read { verify: false });
    assert_eq!(check(&["mem:"]).plan.target.uri, "mem:");
}

#[test]
fn mistakes_are_sentences() {
    for (args, part) in [
        (&[][..], "no place is given; give a directory or URI"),
        (&["/x", "--count=0"][..], "--count: 0 is too small; give 1 to 100000000"),
        (&["/x", "--size=1GiB"][..], "--size: 1073741824 is too large; give 0 B to 64 MiB"),
        (&["/x", "--limit=0"][..], "--limit: '0' is not a time above 0"),
        (&["/x", "--format=csv"][..], "--format: there is no 'csv'; there are text, json"),
        (&["/x", "--sync=maybe"][..], "--sync: 'maybe' is neither true nor false"),
        (&["s3://b/p", "--shell"][..], "--shell: a shell cannot write to s3; take it away"),
        (&["mem:", "--shell"][..], "--shell: a shell cannot write to mem"),
        (&["/x", "--shell", "--size=6"][..], "--shell: GitLab's loop writes files of 5 bytes"),
        (&["ftp://x/y"][..], "DIR: scheme 'ftp' is not known"),
        (&["s3://"][..], "DIR: 's3://' names no bucket"),
    ] {
        let error = check_with(args, None).expect_err(part);
        assert!(error.contains(part), "{error}");
    }
}
