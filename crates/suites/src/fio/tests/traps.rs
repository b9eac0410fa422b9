//! What fio reads wrongly without a word, and what it surprises people with (specification, sections 1 and 9).

use super::{Made, error_of, job, jobs, plan_of, refusal};
use fsbench_model::Bytes;
use fsbench_model::job::BlockSizes;

#[test]
fn numbers_that_fio_misreads_are_refused_with_their_place() {
    for (line, message) in [
        ("bs=1.5k", "fio: t.fio:3:4: bs=1.5k: '1.5k' is not a number: fractions are not accepted (fio reads 1)"),
        ("bs=1e3", "fio: t.fio:3:4: bs=1e3: '1e3' is not a number: 'e3' is no unit (fio reads 1)"),
        ("bs=4*1024", "fio: t.fio:3:4: bs=4*1024: '4*1024' is not a number: arithmetic stands in parentheses"),
        ("bs=-4k", "fio: t.fio:3:4: bs=-4k: '-4k' is not a number: it is negative"),
        ("  iodepth=2x", "fio: t.fio:3:11: iodepth=2x: '2x' is not a number: 'x' is no unit"),
        ("bs=4Ki", "fio: t.fio:3:4: bs=4Ki: '4Ki' is not a number: fio takes 'Ki' for 1024 or for 1000"),
        ("iodepth=0", "fio: t.fio:3:9: iodepth=0: 0 is out of range; accepted: at least 1"),
        ("direct", "fio: t.fio:3:7: direct needs a value; write direct=1 or direct=0"),
        ("direct=2", "fio: t.fio:3:8: direct=2: accepted: 0 or 1"),
        ("direct=true", "fio: t.fio:3:8: direct=true: accepted: 0 or 1"),
        ("time_based=yes", "fio: t.fio:3:12: time_based=yes: accepted: 0 or 1"),
        ("rw=READ", "fio: t.fio:3:4: rw=READ: did you mean read? accepted: read, write, trim"),
        ("RW=randread", "fio: t.fio:3:1: Bad option <RW=randread>; did you mean rw?"),
        ("foo=1", "fio: t.fio:3:1: Bad option <foo=1>"),
        ("iodeph=1", "fio: t.fio:3:1: Bad option <iodeph=1>; did you mean iodepth?"),
        ("rwmixread=101", "accepted: at most 100"),
        ("runtime=10x", "runtime=10x: '10x' is not a number: 'x' is no unit (fio reads 10); accepted: a time"),
        ("log_avg_msec=1s", "this is in milliseconds, without unit"),
        ("size=", "fio: t.fio:3:6: size=: nothing is given"),
        ("size=20z", "zones are units of zoned block devices"),
        ("uid=0", "uid is not supported"),
    ] {
        let error = refusal(line);
        assert!(error.contains(message), "{line}: {error}");
    }
}

#[test]
fn blanks_around_the_equals_sign_are_fine() {
    let job = job("bs = 4k\nrw =randread\niodepth= 8\nioengine\t=\tlibaio");
    assert_eq!(job.pattern.blocks[0], BlockSizes::Fixed(Bytes(4096)));
    assert!(job.pattern.random);
    assert_eq!(job.engine.depth, 8);
}

#[test]
fn arithmetic_and_units_are_fios() {
    for (line, bytes) in [
        ("bs=(2^12)", 4096),
        ("bs=(1024*8)", 8192),
        ("bs=0x1000", 4096),
        ("bs=4kib", 4000),
        ("bs=4kib\nkb_base=1000", 4096),
        ("kb_base=1000\nbs=4k", 4000),
        ("bs=4k\nbs=8k", 8192),
        ("bs=8k ; a comment", 8192),
        ("bs=8k # a comment", 8192),
        ("bs=$pagesize", 4096),
        ("bs=2*$pagesize", 8192),
    ] {
        assert_eq!(job(line).pattern.blocks[1], BlockSizes::Fixed(Bytes(bytes)), "{line}");
    }
    assert_eq!(job("numjobs=1\niodepth=2*$ncpus\nioengine=libaio").engine.depth, 16);
    assert_eq!(job("runtime=(10*60)").amount.runtime.map(|span| span.0), Some(600_000));
    assert_eq!(job("runtime=(10*60s)").amount.runtime.map(|span| span.0), Some(600_000_000_000));
}

#[test]
fn variables_come_from_the_environment() {
    let made = Made::default().variable("SIZE", "2m").text("t.fio", "[a]\nsize=${SIZE}\nfilename=x${NONE}y\n");
    let plan = made.plan("t.fio");
    let job = &jobs(&plan, 0)[0];
    assert_eq!(job.files[0].size, Some(Bytes(2 << 20)));
    assert_eq!(job.files[0].path, "d/xy");
    assert_eq!(job.typed[0], ("size".to_string(), "2m".to_string()));
    let error = error_of("[a]\nsize=${SIZE}\n");
    assert!(error.contains("nothing is given (the variable SIZE is not set)"), "{error}");
}

#[test]
fn what_stands_outside_of_jobs_is_refused() {
    assert!(error_of("bs=4k\n[a]\nsize=1m\n").contains("outside of a [] job section"));
    assert!(error_of("[global]\nbs=4k\n").starts_with("fio: t.fio:1:1: No job(s) defined"));
    let nothing = Made::default().command("").expect_err("no jobs");
    assert!(nothing.starts_with("fio: No job(s) defined; give a job file"), "{nothing}");
    let missing = Made::default().command("no.fio").expect_err("no file");
    assert!(missing.contains("cannot read the job file no.fio: no such file"), "{missing}");
    assert!(error_of("[a]\nrw=read\n").contains("you need to specify size="));
}

#[test]
fn missing_directories_are_made_only_when_asked() {
    let mkdir = |line: &str| jobs(&Made::default().plan(line), 0)[0].layout.mkdir;
    assert!(!mkdir("--name=a --size=1m --directory=/x/y"));
    assert!(mkdir("--mkdir --name=a --size=1m --directory=/x/y"));
}

#[test]
fn a_job_file_beats_the_command_line_and_says_so() {
    let made = Made::default().text("t.fio", "[global]\nbs=4k\n[a]\nsize=1m\n");
    let block = |plan: &fsbench_model::Plan| jobs(plan, 0)[0].pattern.blocks[0].min();
    for line in ["--bs=8k t.fio", "t.fio --bs=8k"] {
        let plan = made.plan(line);
        assert_eq!(block(&plan), 4096, "{line}");
        assert!(plan.notes[0].contains("--override=bs=8k would win"), "{:?}", plan.notes);
    }
    let plan = made.plan("t.fio --override=bs=8k --bs=16k");
    assert_eq!(block(&plan), 8192);
    assert_eq!(plan.notes, Vec::<String>::new());
    assert!(made.command("t.fio --override=bs").is_err());
    assert!(made.command("t.fio --override=foo=1").is_err());
}

#[test]
fn depth_of_a_synchronous_engine_is_a_note() {
    let plan = plan_of("[a]\nsize=1m\niodepth=8\n");
    assert!(plan.notes[0].contains("queue depth will be capped at 1"));
    assert!(plan_of("[a]\nsize=1m\niodepth=8\nioengine=libaio\n").notes.is_empty());
    let strict = Made::default().command("--warnings-fatal --name=a --size=1m --iodepth=8");
    assert!(strict.is_err());
    assert!(Made::default().run("--warnings-fatal --name=a --size=1m --thread").is_ok());
}

#[test]
fn readonly_refuses_what_writes() {
    for line in ["--rw=write", "--rw=randrw", "--rw=trim", "--ioengine=filecreate --filesize=4k"] {
        let error = Made::default().command(&format!("--readonly --name=a --size=1m {line}")).expect_err(line);
        assert!(error.contains("read-only mode"), "{error}");
    }
    let plan = Made::default().plan("--readonly --name=a --size=1m --rw=randread");
    assert!(!jobs(&plan, 0)[0].layout.create, "nothing is laid out, either");
}
