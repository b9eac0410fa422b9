//! The ready-made jobs, and the samples of the specification.

use super::super::ready_jobs;
use super::{Command, Made, jobs};

#[test]
fn every_ready_made_job_can_be_planned() {
    for ready in ready_jobs() {
        let plan = Made::default().plan(&format!("--job={} --directory=/data", ready.name));
        assert!(!plan.phases.is_empty(), "{}", ready.name);
        for phase in 0..plan.phases.len() {
            for job in jobs(&plan, phase) {
                assert!(job.files.iter().all(|file| file.path.starts_with("data/")), "{}: {:?}", ready.name, job.files);
            }
        }
        assert!(ready.text.starts_with(';'), "{} explains itself", ready.name);
    }
}

#[test]
fn fs_compare_goes_through_five_steps_twice() {
    let plan = Made::default().plan("--job=fs-compare --directory=/data --scale=0.01");
    let names: Vec<_> = plan.phases.iter().map(|phase| (phase.name.as_str(), phase.workers)).collect();
    let steps = ["seqwrite", "rewrite", "seqread", "randread", "randwrite"];
    let want: Vec<_> = [1, 4].iter().flat_map(|n| steps.map(|step| (format!("{step}-{n}"), *n))).collect();
    assert_eq!(names, want.iter().map(|(name, n)| (name.as_str(), *n)).collect::<Vec<_>>());
    let size = jobs(&plan, 0)[0].files[0].size.expect("a size").0;
    assert_eq!(size, 30 << 20, "3 GiB * 0.01 in whole blocks of 1 MiB");
}

#[test]
fn jobs_are_listed_and_wrong_names_told() {
    let Ok(Command::Text(text)) = Made::default().command("--list-jobs") else { panic!("no text") };
    for ready in ready_jobs() {
        assert!(text.contains(ready.name) && text.contains(ready.description));
    }
    let both = Made::default().plan("--job=latency --job=oltp --directory=/x");
    let names: Vec<_> = both.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(names, ["rate-500", "rate-2000", "data-8k,data-16k,log"]);
    let error = Made::default().command("--job=fs-compar --directory=/x").expect_err("no such job");
    assert!(error.contains("did you mean fs-compare?"), "{error}");
}
