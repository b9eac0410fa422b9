//! Files of HDFS and S3, and jobs without files.

use super::{Made, jobs};
use fsbench_model::job::EngineName;

const S3: &str = "--name=a --size=1m --filename=s3://bucket/dir/x";

#[test]
fn a_uri_makes_the_target() {
    for (line, uri, path) in [
        ("--rw=write --filename=s3://bucket/dir/x", "s3://bucket", "dir/x"),
        ("--rw=randread --filename=hdfs://nn:8020/dir/x", "hdfs://nn:8020/", "dir/x"),
        ("--rw=read --directory=hdfs:///data", "hdfs:///", "data/a.0.0"),
        ("--rw=read --directory=s3a://b", "s3://b", "a.0.0"),
        ("--ioengine=null", "null:", "a.0.0"),
        ("--ioengine=null --filename=x", "file:///", "d/x"),
    ] {
        let plan = Made::default().plan(&format!("--name=a --size=1m {line}"));
        assert_eq!((plan.target.uri.as_str(), jobs(&plan, 0)[0].files[0].path.as_str()), (uri, path), "{line}");
    }
    let plan = Made::default().plan(&format!("{S3} --rw=read"));
    assert_eq!(jobs(&plan, 0)[0].engine.name, EngineName::Store);
    let plan = Made::default().plan("--name=a --filename=s3://b/x --rw=read");
    assert_eq!(jobs(&plan, 0)[0].files[0].size, None, "what the object has");
}

#[test]
fn what_a_store_cannot_do_is_refused_by_option() {
    for (option, why) in [
        ("--rw=randwrite", "files are written from the start to the end"),
        ("--rw=trim", "a store has no trim"),
        ("--rw=randrw", "use one job for reads and one for writes"),
        ("--rw=write --fsync=1", "fsync=1: on s3://bucket not possible"),
        ("--rw=write --offset=4k", "files are written from the start"),
        ("--rw=read --direct=1", "direct=1: on s3://bucket not possible"),
        ("--rw=read --ioengine=libaio", "take ioengine away"),
        ("--rw=read --ioengine=mmap", "take ioengine away"),
        ("--rw=write --overwrite=1", "written once"),
        ("--rw=write --sync=dsync", "sync=dsync"),
    ] {
        let error = Made::default().command(&format!("{S3} {option}")).expect_err(option);
        assert!(error.contains(why), "{option}: {error}");
    }
    for option in ["--rw=read --direct=0", "--rw=write --fsync=0 --sync=none", "--rw=read --ioengine=store"] {
        assert!(Made::default().run(&format!("{S3} {option}")).is_ok(), "{option}");
    }
    let sizeless = Made::default().command("--name=a --filename=s3://b/x --rw=write").expect_err("no size");
    assert!(sizeless.contains("you need to specify size="), "{sizeless}");
}

#[test]
fn one_run_has_one_place() {
    for line in [
        "--name=a --size=1m --filename=s3://b/x --name=b --size=1m --filename=y",
        "--name=a --size=1m --filename=s3://b/x:s3://c/x",
        "--name=a --size=1m --filename=hdfs://a/x:s3://c/x",
    ] {
        let error = Made::default().command(line).expect_err(line);
        assert!(error.contains("one run has one store"), "{line}: {error}");
    }
    assert!(Made::default().command("--name=a --size=1m --ioengine=store").is_err());
    assert!(Made::default().command("--name=a --size=1m --filename=gs://b/x").expect_err("gs").contains("scheme 'gs'"));
}

#[test]
fn settings_come_from_conf_and_set() {
    let made = Made::default().text("c/s3.conf", "AWS_REGION=eu\nAWS_SECRET_KEY=hush\n");
    let plan = made.plan(&format!("{S3} --rw=read --conf=c/s3.conf --set=use_path_style=true"));
    assert_eq!(plan.target.settings.find("AWS_REGION"), Some("eu"));
    assert_eq!(plan.target.settings.find("use_path_style"), Some("true"));
    assert!(!format!("{plan:?}").contains("hush"));
    let hdfs = made.plan("--name=a --rw=read --filename=hdfs:///x --conf=c/s3.conf");
    assert_eq!(hdfs.target.settings.find("conf_file_dir"), Some("c"));
    let local = made.plan("--name=a --size=1m --conf=c/s3.conf");
    assert!(local.notes[0].contains("--conf has no effect"));
    assert!(made.command(&format!("{S3} --conf=none")).expect_err("none").contains("--conf=none: no such file"));
}
