//! Sections, clones, groups and phases; files, sizes and offsets; and what many options become.

use super::super::{Eta, Format};
use super::{Made, error_of, job, jobs, plan_of, refusal};
use fsbench_model::job::*;
use fsbench_model::{Bytes, Span};

#[test]
fn stonewalls_make_phases_and_groups() {
    let plan = plan_of(
        "[global]\nsize=1m\n[a]\nnumjobs=2\n[b]\nnew_group\n[c]\nstonewall\nwait_for=a\n[global]\nbs=8k\n[d]\n",
    );
    let shown: Vec<_> = plan.phases.iter().map(|phase| (phase.name.as_str(), phase.workers)).collect();
    assert_eq!(shown, [("a,b", 3), ("c,d", 2)]);
    let of = |job: &Job| (job.name.clone(), job.group, job.clone, job.clones, job.pattern.blocks[0].min());
    let all: Vec<_> = (0..2).flat_map(|phase| jobs(&plan, phase).iter().map(of)).collect();
    let want =
        [("a", 0, 0, 2, 4096), ("a", 0, 1, 2, 4096), ("b", 1, 0, 1, 4096), ("c", 2, 0, 1, 4096), ("d", 2, 0, 1, 8192)];
    assert_eq!(all, want.map(|(name, group, clone, clones, bs)| (name.to_string(), group, clone, clones, bs)));
    assert!(jobs(&plan, 1)[0].start.after.is_empty(), "a has ended with its phase");
}

#[test]
fn several_files_wait_for_each_other_and_sections_are_picked() {
    let made = Made::default().text("1.fio", "[a]\nsize=1m\n[b]\nsize=1m\n").text("-", "[c]\nsize=1m\n[d]\nsize=1m\n");
    let names = |line: &str| made.plan(line).phases.iter().map(|phase| phase.name.clone()).collect::<Vec<_>>();
    assert_eq!(names("1.fio -"), ["a,b", "c,d"]);
    assert_eq!(names("1.fio - --section=a --section=d"), ["a", "d"]);
    assert_eq!(names("--name=x --size=1m --name=y --size=1m 1.fio"), ["x,y,a,b"]);
    assert!(made.command("1.fio --section=z").expect_err("none").contains("there is no section 'z'; there are: a, b"));
    assert!(made.command("--max-jobs=2 1.fio -").expect_err("many").contains("more than 2 jobs"));
}

#[test]
fn showcmd_keeps_the_options_of_each_file_apart() {
    let made =
        Made::default().text("1", "[global]\nbs=8k\n[a]\nsize=1m\n").text("2", "[global]\nrw=write\n[b]\nsize=2m\n");
    let Ok(super::Command::Text(text)) = made.command("--showcmd 1 2") else { panic!("no text") };
    assert_eq!(text, "fsbench fio --name=a --bs=8k --size=1m --name=b --stonewall --rw=write --size=2m\n");
}

#[test]
fn wait_for_finds_all_clones() {
    let plan = plan_of("[global]\nsize=1m\n[a]\nnumjobs=2\n[b]\nwait_for=a\nstartdelay=2-5\n");
    let start = &jobs(&plan, 0)[2].start;
    assert_eq!(start.after, [0, 1]);
    assert_eq!((start.delay, start.delay_max), (Span(2_000_000_000), Span(5_000_000_000)));
    for (text, why) in [
        ("[b]\nsize=1m\nwait_for=b\n", "cannot wait for itself"),
        ("[b]\nsize=1m\nwait_for=x\n", "no such job"),
        ("[b]\nsize=1m\nwait_for=x\n[x]\nsize=1m\n", "stands behind"),
        ("[x]\nsize=1m\n[x]\nsize=1m\n[b]\nsize=1m\nwait_for=x\n", "several jobs"),
    ] {
        assert!(error_of(text).contains(why), "{text}");
    }
}

#[test]
fn a_name_of_its_own_is_for_reports_and_not_for_files() {
    let plan = plan_of("[global]\nname=g\nsize=1m\n[a]\n[b]\nname=z\n[c]\nwait_for=z\n");
    let shown: Vec<_> = jobs(&plan, 0).iter().map(|job| (job.name.as_str(), job.files[0].path.as_str())).collect();
    assert_eq!(shown, [("a", "d/a.0.0"), ("z", "d/b.0.0"), ("c", "d/c.0.0")]);
}

#[test]
fn a_file_of_a_job_before_has_a_size() {
    let plan = plan_of("[a]\nfilename=x\nrw=write\nfill_device=1\n[b]\nstonewall\nfilename=x\nrw=read\n");
    assert_eq!(jobs(&plan, 1)[0].files[0].size, None);
}

fn paths(lines: &str) -> Vec<Vec<String>> {
    let plan = plan_of(&format!("[j]\nsize=1m\n{lines}\n"));
    jobs(&plan, 0).iter().map(|job| job.files.iter().map(|file| file.path.clone()).collect()).collect()
}

#[test]
fn files_are_named_as_fio_names_them() {
    assert_eq!(paths("numjobs=2\nnrfiles=2"), [["d/j.0.0", "d/j.0.1"], ["d/j.1.0", "d/j.1.1"]]);
    assert_eq!(paths("directory=/x/:y\nnumjobs=3"), [["x/j.0.0"], ["d/y/j.1.0"], ["x/j.2.0"]]);
    assert_eq!(paths("filename=a:b\\:c:./sub//e\nnumjobs=1"), [["d/a", "d/b:c", "d/sub/e"]]);
    assert_eq!(paths("filename=a:b:c\nnrfiles=2"), [["d/a", "d/b"]]);
    assert_eq!(paths("directory=/x\nfilename=a"), [["x/a"]]);
    assert_eq!(paths("filename_format=$jobname-$jobnum-$filenum\nnumjobs=2"), [["d/j-0-0"], ["d/j-1-0"]]);
    assert_eq!(paths("filename=file:///abs/x"), [["abs/x"]]);
    assert!(refusal("filename=-").contains("standard input"));
    assert!(refusal("filename=/d").contains("is a directory"));
    let plan = Made::default().data("/dev/sdb", None).text("t", "[/dev/sdb]\nrw=read\n").plan("t");
    assert_eq!((jobs(&plan, 0)[0].files[0].path.as_str(), jobs(&plan, 0)[0].files[0].size), ("dev/sdb", None));
}

#[test]
fn sizes_are_split_and_offsets_added() {
    let sizes = |lines: &str| job(lines).files.iter().map(|file| file.size.map(|size| size.0)).collect::<Vec<_>>();
    assert_eq!(sizes("size=10k\nbs=1k\nnrfiles=3"), [Some(3413), Some(3413), Some(3413)]);
    assert_eq!(sizes("size=10\nbs=1\nnrfiles=3"), [Some(4), Some(3), Some(3)]);
    assert_eq!(sizes("filesize=8k\nnrfiles=2"), [Some(8192), Some(8192)]);
    let drawn = sizes("filesize=4k-64k\nnrfiles=50");
    assert!(drawn.iter().flatten().all(|size| (4096..=65536).contains(size) && size % 4096 == 0), "{drawn:?}");
    assert!(drawn.iter().any(|size| *size != drawn[0]), "not all the same");
    assert_eq!(drawn, sizes("filesize=4k-64k\nnrfiles=50"), "the same in every run");
    let limited = job("filesize=8k\nnrfiles=2\nsize=12k");
    assert_eq!((limited.amount.size, limited.amount.io_size), (Some(Bytes(16384)), Some(Bytes(12288))));
    let percent = Made::default().data("/d/x", Some(1 << 20)).plan("--name=j --filename=x --size=50%");
    let file = &jobs(&percent, 0)[0].files[0];
    assert_eq!((file.size, file.size_percent), (None, Some(50)));
    assert!(refusal("size=50%\nfilename=/none").contains("you need to specify size="), "half of what is not there");
    let plan = plan_of("[j]\nsize=1m\nfilename=x\nnumjobs=3\noffset=4k\noffset_increment=1m\n");
    let offsets: Vec<_> = jobs(&plan, 0).iter().map(|job| job.files[0].offset.0).collect();
    assert_eq!(offsets, [4096, 4096 + (1 << 20), 4096 + (2 << 20)]);
    let plan = plan_of("[j]\nsize=1m\nfilename=x\nnumjobs=2\noffset_increment=25%\n");
    assert_eq!(jobs(&plan, 0)[1].files[0].offset_percent, Some(25));
    assert!(refusal("offset=50%\noffset_align=1m").contains("the file must exist"));
    let plan =
        Made::default().data("/d/x", Some(10_000_000)).plan("--name=j --filename=x --offset=50% --offset_align=4k");
    assert_eq!(jobs(&plan, 0)[0].files[0].offset, Bytes(5_001_216));
    assert_eq!(jobs(&plan, 0)[0].files[0].size, None, "the file has a size already");
    assert!(refusal("size=2k").contains("less than one block of 4096"));
    assert_eq!(job("io_size=50%").amount.io_size, Some(Bytes(512 << 20)));
}

#[test]
fn patterns_are_understood() {
    let pattern = |lines: &str| job(lines).pattern;
    let p = pattern("rw=randread:8\nrw_sequencer=identical\nnorandommap\npercentage_random=50,100");
    assert_eq!((p.run_length, p.sequencer, p.map, p.random_percent), (8, Sequencer::Identical, false, [50, 100, 100]));
    assert_eq!(pattern("rw=write:4k").hole, 4096);
    assert_eq!(pattern("rw=read:-8k").hole, -8192);
    assert_eq!(pattern("rw=randtrimwrite").mode, Mode::TrimWrite);
    assert_eq!(pattern("rw=rw\nrwmixwrite=30").read_percent, 70);
    assert_eq!(pattern("rw=rw\nrwmixwrite=30\nrwmixread=10").read_percent, 10);
    let blocks = pattern("bs=4k,8k,\nbsrange=,16k-1k,").blocks;
    assert_eq!(blocks[0], BlockSizes::Fixed(Bytes(4096)));
    assert_eq!(blocks[1], BlockSizes::Range { min: Bytes(1024), max: Bytes(16384) });
    assert_eq!(blocks[2], BlockSizes::Fixed(Bytes(4096)));
    let BlockSizes::Split(parts) = &pattern("bs=64k\nbssplit=4k/10:64k/50:32k/").blocks[0] else { panic!("a split") };
    assert_eq!(parts.iter().map(|part| part.percent).collect::<Vec<_>>(), [10.0, 50.0, 40.0]);
    assert_eq!(pattern("ba=512\nbs=4k").align, [512; 3]);
    let zone = pattern("zonesize=1m\nzoneskip=2m").zone.expect("strided");
    assert_eq!((zone.size, zone.range, zone.skip), (Bytes(1 << 20), Bytes(1 << 20), Bytes(2 << 20)));
}

#[test]
fn distributions_are_understood() {
    let of = |text: &str| job(&format!("rw=randread\nrandom_distribution={text}")).pattern;
    assert_eq!(of("zipf:1.2").distribution[0], Distribution::Zipf { theta: 1.2, center: None });
    assert!(!of("zipf:1.2").map);
    assert_eq!(of("zipf:0.8/0.25").distribution[0], Distribution::Zipf { theta: 0.8, center: Some(0.25) });
    assert_eq!(of("pareto:0.3").distribution[1], Distribution::Pareto { power: 0.3, center: None });
    assert_eq!(of("normal:20").distribution[2], Distribution::Normal { deviation: 20.0, center: None });
    let zone = |value, percent| Weighted { value, percent };
    assert_eq!(of("zoned:60/10:40/90").distribution[0], Distribution::Zoned(vec![zone(10.0, 60.0), zone(90.0, 40.0)]));
    let zone = |value, percent| Weighted { value: Bytes(value), percent };
    let absolute = Distribution::ZonedAbsolute(vec![zone(20 << 30, 95.0), zone(0, 5.0)]);
    assert_eq!(of("zoned_abs:95/20g:5/0").distribution[0], absolute);
    for text in ["zipf:1", "zipf:0", "pareto:1.5", "zoned:60/10", "zoned:60/50:50/50", "zoned", "sequence", "random:3"]
    {
        assert!(
            refusal(&format!("rw=randread\nrandom_distribution={text}")).contains("random_distribution="),
            "{text}"
        );
    }
}

#[test]
fn rates_and_pauses_are_understood() {
    let rate = job("rate=1m,500k\nrate_min=,100k,\nthinktime=10ms\nthinktime_spin=500\nthinktime_blocks=4").rate;
    assert_eq!((rate.bytes, rate.bytes_min), ([1 << 20, 500 << 10, 500 << 10], [0, 100 << 10, 0]));
    assert_eq!((rate.think.time, rate.think.spin, rate.think.blocks), (Span(10_000_000), Span(500_000), 4));
    let rate = job("rate_iops=1000\nrate_process=poisson\nmax_latency=10ms,0").rate;
    assert_eq!(
        (rate.iops, rate.poisson, rate.max_latency[0], rate.max_latency[1]),
        ([1000; 3], true, Span(10_000_000), Span(0))
    );
    let target = job("latency_target=5ms\nlatency_window=1s\nlatency_percentile=99.9").rate.target.expect("a target");
    assert_eq!((target.latency, target.percent, target.window), (Span(5_000_000), 99.9, Span(1_000_000_000)));
    for (lines, why) in [
        ("rate=1m\nrate_iops=10", "mutually exclusive"),
        ("rate=1m\nrate_min=2m", "exceeds"),
        ("rate_process=poisson", "needs a rate"),
        ("time_based", "needs a runtime"),
        ("thinktime=1\nthinktime_spin=2", "longer than thinktime"),
        ("latency_target=5ms", "latency_window"),
        ("steadystate=iops:1%", "steadystate_duration"),
        ("write_hist_log=x", "log_hist_msec"),
        ("ioengine=mmap\ndirect=1", "mmap always goes through the page cache"),
        ("ioengine=libaio\nfixedbufs", "it is for io_uring"),
        ("ioengine=http", "filename=s3://bucket/key"),
        ("ioengine=libaoi", "did you mean libaio?"),
        ("cpuload=50\nioengine=cpuio", "fsbench does not have this engine; processors"),
        ("verify_only", "needs verify="),
        ("verify=meta\nrw=write", "use crc32c"),
        ("verify=crc32c\nrw=write\nverify=pattern", "needs a verify_pattern"),
        ("verify=crc32c\nrw=read", "does not exist, and no job before writes it"),
        ("zonemode=zbd", "not supported"),
    ] {
        assert!(refusal(lines).contains(why), "{lines}: {}", refusal(lines));
    }
}

#[test]
fn data_and_verification_are_understood() {
    let fill = |lines: &str| job(lines).data.fill;
    assert_eq!(fill("rw=write"), Fill::Scrambled);
    assert_eq!(fill("scramble_buffers=0"), Fill::Once);
    assert_eq!(fill("refill_buffers"), Fill::Refilled);
    assert_eq!(fill("zero_buffers"), Fill::Zero);
    assert_eq!(fill("dedupe_percentage=50"), Fill::Refilled);
    let Fill::Pattern(bytes) = fill("buffer_pattern=0xdeadbeef\"ab\"%o7") else { panic!("a pattern") };
    assert_eq!(
        (bytes.bytes[..6].to_vec(), bytes.offsets, bytes.bytes[14]),
        (b"\xde\xad\xbe\xefab".to_vec(), vec![6], 7)
    );
    let verify = job("rw=randwrite\nverify=crc32c\nbsrange=4k-12k\nverify_backlog=10").verify.expect("verification");
    assert_eq!((verify.check.kind, verify.check.interval, verify.read_back), (CheckKind::Crc32c, 4096, true));
    assert_eq!((verify.backlog, verify.save_state, verify.fatal), (10, true, false));
    let implied = job("rw=write\nverify_pattern=0xff").verify.expect("verification");
    assert_eq!((implied.check.kind, implied.check.pattern.bytes), (CheckKind::Pattern, vec![0xff]));
    let plan =
        plan_of("[w]\nsize=1m\nfilename=x\nrw=write\n[v]\nstonewall\nsize=1m\nfilename=x\nrw=read\nverify=md5\n");
    assert!(jobs(&plan, 1)[0].verify.is_some(), "the job before writes the file");
    let errors = job("ignore_error=EAGAIN,ENOSPC:122\ncontinue_on_error=io").on_error;
    assert_eq!(errors.ignored, [vec![11], vec![28, 122], vec![]]);
    assert!(errors.read && errors.write && !errors.verify);
    assert!(refusal("ignore_error=EFOO").contains("'EFOO' is no error"));
    let range = job("sync_file_range=wait_before,write:8").syncs.range;
    assert_eq!((range.every, range.wait_before, range.write, range.wait_after), (8, true, true, false));
}

#[test]
fn the_rest_is_understood() {
    let j = job("cpus_allowed=0,2-3\nflow=3\nflow_id=1\nwrite_bw_log\nwrite_lat_log=l\nlog_avg_msec=100\nnice=-5");
    assert_eq!(j.processors, [0, 2, 3]);
    assert_eq!(j.flow.map(|flow| (flow.id, flow.share)), Some((1, 3)));
    assert_eq!(j.logs.bandwidth.map(|log| log.prefix), Some("j".to_string()));
    assert_eq!(
        (j.logs.latency.map(|log| log.prefix), j.logs.average, j.nice),
        (Some("l".into()), Span(100_000_000), -5)
    );
    let split = plan_of("[j]\nsize=1m\nnumjobs=3\ncpus_allowed=4-5\ncpus_allowed_policy=split\n");
    assert_eq!(jobs(&split, 0).iter().map(|job| job.processors.clone()).collect::<Vec<_>>(), [[4], [5], [4]]);
    let j =
        job("percentile_list=99.9:50\nunified_rw_reporting=mixed\nsteadystate=bw_slope:0.5%\nsteadystate_duration=10");
    assert_eq!((j.output.percentiles, j.output.unified), (vec![50.0, 99.9], Unified::Mixed));
    let steady = j.output.steady.expect("steady");
    assert_eq!((steady.of, steady.slope, steady.limit, steady.percent), (SteadyOf::Bandwidth, true, 0.5, true));
    let j =
        job("ioengine=io_uring\niodepth=16\niodepth_batch=0\niodepth_batch_complete_min=4\nfixedbufs\nsqthread_poll=1");
    assert_eq!((j.engine.submit_max, j.engine.reap_min, j.engine.reap_max, j.engine.low), (16, 4, 4, 16));
    assert!(j.engine.ring.fixed_buffers && j.engine.ring.submission_thread && !j.engine.ring.registered_files);
    assert!(!job("direct=1\nbuffered=1").engine.direct && job("buffered=0").engine.direct);
    let replay = job("read_iolog=t.log\nreplay_no_stall=1\nreplay_skip=trim,sync").replay.expect("a trace");
    assert_eq!((replay.path.as_str(), replay.no_stall, replay.skip), ("t.log", true, [false, false, true, true]));
    let serve = job("nrfiles=4\nfile_service_type=random:8\nopenfiles=9");
    assert_eq!((serve.serve.order, serve.serve.every, serve.open_files_max), (ServeOrder::Random, 8, 4));
}

#[test]
fn seeds_differ_and_repeat() {
    let seeds = |entropy, lines: &str| {
        let made = Made { entropy, ..Made::default() }
            .text("t", &format!("[a]\nsize=1m\nnumjobs=2\n{lines}\n[b]\nsize=1m\n{lines}\n"));
        jobs(&made.plan("t"), 0).iter().map(|job| job.pattern.seed).collect::<Vec<_>>()
    };
    let first = seeds(1, "");
    assert!(first[0] != first[1] && first[1] != first[2] && first[0] != first[2]);
    assert_eq!(first, seeds(2, ""));
    assert_ne!(seeds(1, "randrepeat=0"), seeds(2, "randrepeat=0"));
    assert_eq!(seeds(1, "randrepeat=0\nrandseed=7"), seeds(2, "randrepeat=0\nrandseed=7"));
    assert_ne!(first, seeds(1, "randseed=7"));
}

#[test]
fn outputs_are_understood() {
    let outputs = |line: &str| Made::default().run(&format!("--name=a --size=1m {line}")).map(|run| run.outputs);
    let o = outputs("--output-format=json+,normal --append-terse --terse-version=5 --output=o --record=r --eta=never");
    let o = o.expect("outputs");
    assert_eq!(o.formats, [Format::JsonPlus, Format::Normal, Format::Terse]);
    assert_eq!((o.terse_version, o.file.as_deref(), o.record.as_deref(), o.eta), (5, Some("o"), Some("r"), Eta::Never));
    let o = outputs("--minimal --eta-interval=500 --status-interval=2 --dry-run").expect("outputs");
    assert_eq!(
        (o.formats, o.eta_interval, o.status_interval),
        (vec![Format::Terse], Span(500_000_000), Some(Span(2_000_000_000)))
    );
    assert!(o.dry_run);
    assert!(outputs("--eta-interval=100").is_err() && outputs("--output-format=xml").is_err());
}
