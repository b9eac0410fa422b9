//! What is accepted, and told.

use super::{Made, plan_of};

#[test]
fn what_cannot_matter_is_noted_once() {
    let plan = plan_of("[global]\nthread\nsize=1m\n[a]\nclocksource=cpu\nbs=4kib\n[b]\nthread=0\n");
    let has = |part: &str| plan.notes.iter().filter(|note| note.contains(part)).count();
    assert_eq!(has("a: thread has no effect"), 1, "{:?}", plan.notes);
    assert_eq!(has("a: clocksource has no effect"), 1);
    assert_eq!(has("kib is a power of 1000"), 1);
    let plan = plan_of("[a]\nsize=1m\nthread=0\nunique_filename=1\n");
    assert!(plan.notes.is_empty(), "{:?}", plan.notes);
}

#[test]
fn surprises_are_noted() {
    for (line, part) in [
        ("--runtime=(10*60)", "runtime=(10*60) is in microseconds"),
        ("--numjobs=2 --filename=x --rw=write --verify=md5", "several writers"),
        ("--bs_unaligned --direct=1", "bs_unaligned"),
        ("--alloc-size=100", "--alloc-size has no effect"),
    ] {
        let plan = Made::default().plan(&format!("--name=a --size=1m {line}"));
        assert!(plan.notes.iter().any(|note| note.contains(part)), "{line}: {:?}", plan.notes);
    }
}
