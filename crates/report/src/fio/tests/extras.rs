//! What no sample of fio's has: what fsbench adds, failures, groups, `steadystate`, the lines before a run.

use super::super::{Shown, header, json, laying_out, normal, results, terse};
use super::{PLAIN, TerseVersion};
use crate::testing::{job, latencies, measured, of_jobs};
use fsbench_results::model::Span;
use fsbench_results::model::job::{BlockSizes, EngineName, Job, LatencyTarget, Mode, Steady, SteadyOf};
use fsbench_results::{CacheState, DirectionRecord, Ending, JobRecord, Record, SteadyRecord};
use serde_json::Value;

/// Two clones that read at a rate of 100 requests a second, from a cache that was evicted.
fn with_all() -> Record {
    let mut plan = Job { clones: 2, grouped: true, ..job("web") };
    plan.engine.depth = 4;
    plan.rate.iops = [100, 0, 0];
    plan.rate.target =
        Some(LatencyTarget { latency: Span(10_000_000), percent: 99.9, window: Span(2_000_000_000), run_on: false });
    let mut second = plan.clone();
    second.clone = 1;
    let mut one = measured(200);
    one.read.due = latencies(200, 40_000);
    (one.verified, one.depth) = (40, 4);
    one.notes = vec!["the file was shorter than its size".into()];
    let two = one.clone();
    let mut record = of_jobs(vec![vec![(plan, one), (second, two)]]);
    let last = &mut record.phases[0].repetitions[0];
    last.cache = Some(CacheState { cached_bytes: 1 << 18, of_bytes: 1 << 20, evicted: true });
    last.resources.device_read_bytes = 786_432;
    record.notes = vec!["rate_min is not enforced here".into()];
    record.ending = Ending::Interrupted;
    record
}

#[test]
fn what_fsbench_adds_stands_behind_what_fio_has() {
    insta::assert_snapshot!(results(&with_all(), &Shown::default()), @r"
    web: (groupid=0, jobs=2): err= 0: pid=4711: Fri Nov 20 10:37:30 2026
      read: IOPS=400, BW=1600KiB/s (1638kB/s)(1600KiB/1000msec)
        clat (usec): min=10, max=2000, avg=1005.00, stdev=578.07
         lat (usec): min=10, max=2002, avg=1006.00, stdev=578.64
        clat percentiles (usec):
         |  1.00th=[   21],  5.00th=[  100], 10.00th=[  200], 20.00th=[  400],
         | 30.00th=[  603], 40.00th=[  799], 50.00th=[ 1004], 60.00th=[ 1205],
         | 70.00th=[ 1401], 80.00th=[ 1598], 90.00th=[ 1795], 95.00th=[ 1893],
         | 99.00th=[ 1975], 99.50th=[ 1991], 99.90th=[ 2008], 99.95th=[ 2008],
         | 99.99th=[ 2008]
       bw (  KiB/s): min=  398, max=  402, per=25.00%, avg=400.00, stdev= 1.15, samples=4
       iops        : min=  398, max=  402, avg=400.00, stdev= 1.15, samples=4
      lat (usec)   : 20=0.50%, 50=1.50%, 100=2.50%, 250=7.50%, 500=12.50%
      lat (usec)   : 750=12.50%, 1000=12.50%
      lat (msec)   : 2=50.50%
      cpu          : usr=2.00%, sys=11.00%, ctx=6, majf=0, minf=4
      IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
         submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
         complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
         issued rwts: total=400,0,0,0 short=0,0,0,0 dropped=0,0,0,0
         latency   : target=10000000, window=2000000, percentile=99.90%, depth=4
         due read  (usec): min=40, max=8000, avg=4020.00, stdev=2312.26, p50=4.01ms, p90=7.18ms, p99=7.9ms, p99.9=8.03ms
         schedule  : due is from the start that the rate wanted to completion; clat begins when a request was submitted
         engine    : psync does one request at a time, depth 4 is capped at 1
         cache     : 25% of 1 MiB in page cache before (after evicting it); 768 KiB read from devices by all jobs
         verified  : blocks=80, bad=0
         note      : the file was shorter than its size

    Run status group 0 (all jobs):
       READ: bw=1600KiB/s (1638kB/s), 1600KiB/s-1600KiB/s (1638kB/s-1638kB/s), io=1600KiB (1638kB), run=1000-1000msec

    note: rate_min is not enforced here
    note: a signal ended the run; these are the results until then
    ");
}

#[test]
fn without_extras_there_is_nothing_that_fio_has_not() {
    let plain = results(&with_all(), &PLAIN);
    for absent in ["due", "schedule", "engine", "cache", "verified", "note"] {
        assert!(!plain.contains(absent), "{absent}: {plain}");
    }
    assert!(!json(&with_all(), &PLAIN).contains("fsbench\" :"));
}

#[test]
fn the_member_of_a_job() {
    let document: Value = serde_json::from_str(&json(&with_all(), &Shown::default())).expect("JSON");
    let member = &document["jobs"][0]["fsbench"];
    assert_eq!(member["due_ns"]["read"]["N"], 400);
    assert_eq!(member["cache"]["cached_bytes"], 1 << 18);
    assert_eq!((&member["engine"]["depth"], &member["engine"]["asked_depth"]), (&1.into(), &4.into()));
    assert_eq!((&member["verified_blocks"], member["notes"].as_array().map(Vec::len)), (&80.into(), Some(1)));
    assert_eq!(document["jobs"][0]["job options"], serde_json::json!({}));
    assert_eq!(document["fsbench"]["ending"], "interrupted");
}

#[test]
fn a_job_that_failed_at_once_is_shown() {
    let mut plan = job("gone");
    plan.output.errors = true;
    let error_text = "open /gone: No such file or directory".to_string();
    let failed = JobRecord { error: 2, error_text, errors: 1, first_error: 2, ..JobRecord::default() };
    let mut unseen = job("unseen");
    unseen.output.stats = false;
    let record = of_jobs(vec![vec![(plan, failed), (unseen, measured(9)), (job("idle"), JobRecord::default())]]);
    insta::assert_snapshot!(results(&record, &PLAIN), @r"
    gone: (groupid=0, jobs=1): err= 2 (open /gone: No such file or directory): pid=0: Fri Nov 20 10:37:30 2026
      cpu          : usr=0.00%, sys=0.00%, ctx=0, majf=0, minf=0
      IO depths    : 1=0.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
         submit    : 0=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
         complete  : 0=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
         issued rwts: total=0,0,0,0 short=0,0,0,0 dropped=0,0,0,0
         errors    : total=1, first_error=2/<open /gone: No such file or directory>

    Run status group 0 (all jobs):
    ");
    let fields = terse(&record, TerseVersion::V3, &PLAIN);
    assert!(fields.starts_with("3;fio-3.42-fsbench-0.0.0;gone;0;2;") && fields.lines().count() == 2, "{fields}");
    assert!(!fields.contains("nan") && !fields.contains("inf"), "{fields}");
}

#[test]
fn groups_add_rates_up_and_keep_what_does_not_belong_apart() {
    let grouped = |name: &str, group| Job { grouped: true, group, ..job(name) };
    let plans = [grouped("a", 0), grouped("b", 0), job("c"), grouped("d", 1)];
    let record = of_jobs(vec![plans.into_iter().map(|plan| (plan, measured(100))).collect()]);
    let document: Value = serde_json::from_str(&json(&record, &PLAIN)).expect("JSON");
    let jobs = document["jobs"].as_array().expect("jobs");
    let names: Vec<&str> = jobs.iter().filter_map(|job| job["jobname"].as_str()).collect();
    assert_eq!(names, ["a", "c", "d"]);
    let of = |at: usize, key: &str| jobs[at]["read"][key].as_f64().expect("a number");
    for key in ["bw_mean", "iops_mean", "total_ios", "bw_samples", "iops"] {
        assert_eq!(of(0, key), 2.0 * of(1, key), "{key}");
    }
    assert_eq!(of(0, "runtime"), of(1, "runtime"));
    assert_eq!(normal(&record, &PLAIN).matches("Run status group").count(), 2);
}

/// What fio 3.33 printed, but for the second unit, which has the number of the first there.
#[test]
fn steady_states() {
    let mut plan = job("k");
    plan.output.steady = Some(Steady {
        of: SteadyOf::Bandwidth,
        slope: true,
        limit: 90.0,
        percent: true,
        duration: Span(2_000_000_000),
        ramp: Span(0),
        interval: Span(1_000_000_000),
    });
    let steady = SteadyRecord {
        asked: "bw_slope:90%".into(),
        attained: true,
        criterion: 0.337_268,
        slope: 358_272_214.0,
        duration_s: 2,
        iops: vec![98, 99],
        bytes: vec![106_048_575_209, 106_406_847_423],
        ..SteadyRecord::default()
    };
    let record = of_jobs(vec![vec![(plan, JobRecord { steady: Some(steady), ..measured(9) })]]);
    let expected = "  steadystate  : attained=yes, bw=98.9GiB/s (106GB/s), iops=98, bw slope=0.337%\n";
    assert!(results(&record, &PLAIN).contains(expected));
    let text = json(&record, &PLAIN);
    let object = text.split("\"steadystate\" : ").nth(1).expect("an object");
    insta::assert_snapshot!(object.lines().take(19).collect::<Vec<&str>>().join("\n"), @r#"
    {
            "ss" : "bw_slope:90.000000%",
            "duration" : 2,
            "attained" : 1,
            "criterion" : "0.337268%",
            "max_deviation" : 0.000000,
            "slope" : 358272214.000000,
            "data" : {
              "bw_mean" : 106227711316,
              "iops_mean" : 98,
              "iops" : [
                98,
                99
              ],
              "bw" : [
                106048575209,
                106406847423
              ]
            }
    "#);
}

#[test]
fn before_a_run() {
    let mut mix = job("mix");
    mix.pattern.mode = Mode::ReadWrite;
    mix.engine.name = EngineName::IoUring;
    let clones = [0, 1, 2].map(|clone| Job { clone, ..mix.clone() });
    let mut sequential = Job { group: 1, ..job("s") };
    sequential.pattern.random = false;
    sequential.pattern.size_by_randomness = true;
    let (min, max) = (fsbench_results::model::Bytes(4096), fsbench_results::model::Bytes(1 << 20));
    sequential.pattern.blocks[1] = BlockSizes::Range { min, max };
    sequential.engine.depth = 2;
    let none = JobRecord::default;
    let record = of_jobs(vec![clones.map(|job| (job, none())).into(), vec![(sequential, none())]]);
    insta::assert_snapshot!(header(&record.plan, "1.2.3"), @r"
    mix: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=io_uring, iodepth=1
    ...
    s: (g=1): rw=read, bs=(R) 4096B-4096B, (W) 4096B-1024KiB, bs_is_seq_rand, ioengine=psync, iodepth=2
    fio-3.42-fsbench-1.2.3
    Starting 4 threads
    note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1
    ");
    assert_eq!(laying_out("mix", 1, 16 << 20), "mix: Laying out IO file (1 file / 16MiB)\n");
    assert_eq!(laying_out("h", 2, 1 << 20), "h: Laying out IO files (2 files / total 1MiB)\n");
}

#[test]
fn nothing_measured_prints_no_nonsense() {
    let mut record = of_jobs(vec![vec![(job("a"), JobRecord::default())]]);
    let odd = DirectionRecord { requests: 1, bytes: 1, runtime_ns: 1, ..DirectionRecord::default() };
    record.phases[0].repetitions[0].jobs[0].write = odd;
    for text in [normal(&record, &Shown::default()), json(&record, &Shown::default())] {
        assert!(!["nan", "NaN", "=inf", " inf"].iter().any(|odd| text.contains(odd)), "{text}");
    }
    record.phases.clear();
    assert_eq!(results(&record, &PLAIN), "\n");
    serde_json::from_str::<Value>(&json(&record, &PLAIN)).expect("JSON");
}
