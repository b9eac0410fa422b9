//! The conformance suite, on a disk and on tmpfs, with both ways to prefetch.

use fsbench_target::conformance;
use fsbench_target_posix::{PosixTarget, Prefetch};
use std::path::Path;

fn conforms_below(parent: &Path) {
    for prefetch in [Prefetch::IoUring, Prefetch::Fadvise] {
        let root = tempfile::tempdir_in(parent).expect("a temporary directory");
        let target = PosixTarget::open(&root.path().join("not/yet/there")).expect("opens").with_prefetch(prefetch);
        conformance::run(&target);
    }
}

#[test]
fn conforms_on_a_disk() {
    conforms_below(Path::new(env!("CARGO_TARGET_TMPDIR")));
}

#[test]
fn conforms_on_tmpfs() {
    match Path::new("/dev/shm").is_dir() {
        true => conforms_below(Path::new("/dev/shm")),
        false => eprintln!("skipped: there is no /dev/shm here"),
    }
}
