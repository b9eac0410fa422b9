//! What the user should know about a plan: what was assumed, and what has no effect.

use super::location::Location;
use super::operation::{FsType, Operation};
use super::options::{nearest, options};
use super::values::Values;
use fsbench_model::Settings;

/// Options that mean something on some file systems only.
const ONLY_ON: [(&str, &[FsType]); 8] = [
    ("cold", &[FsType::Local]),
    ("part_size", &[FsType::S3]),
    ("upload_concurrency", &[FsType::S3]),
    ("retries", &[FsType::S3, FsType::Hdfs]),
    ("replication", &[FsType::Hdfs]),
    ("block_size", &[FsType::Hdfs]),
    ("hadoop_conf_dir", &[FsType::Hdfs]),
    ("null_size", &[FsType::Null]),
];

/// Options that were given and have no effect on this file system or operation.
pub(super) fn without_effect(values: &Values, fs: FsType, operation: Operation, notes: &mut Vec<String>) {
    for (name, where_it_works) in ONLY_ON {
        if values.origin(name).is_some() && !where_it_works.contains(&fs) {
            notes.push(format!("{} has no effect on {}", values.place(name), fs.word()));
        }
    }
    let min_time = values.origin("benchmark_min_time").is_some();
    if min_time && values.number_or_default("iterations") != 0 {
        let place = values.place("benchmark_min_time");
        notes.push(format!("{place} has no effect without --iterations=0"));
    }
    if fs == FsType::S3 && values.is_on("sync") && values.origin("sync").is_some() {
        notes.push(format!("{} has no effect on s3: an object is durable when its upload ends", values.place("sync")));
    }
    if !operation.reads() && values.is_on("verify") {
        notes.push(format!("{} has no effect: {} reads nothing", values.place("verify"), operation.word()));
    }
}

/// What was assumed, and what the operation does on this file system that may surprise.
pub(super) fn about(values: &Values, operation: Operation, location: &Location, notes: &mut Vec<String>) {
    notes.extend(location.notes.iter().cloned());
    if values.origin("repetitions").or(values.origin("benchmark_repetitions")).is_none() {
        match operation.repetitions_default() {
            1 => notes.push("1 repetition, the default of rename and delete".to_string()),
            n => notes.push(format!("{n} repetitions, the default; --repetitions changes it")),
        }
    } else if values.origin("repetitions").is_none() {
        notes.push(format!("repetitions come from {}", values.place("benchmark_repetitions")));
    }
    if location.fs == FsType::Mem && operation != Operation::CreateWrite {
        notes.push("mem: starts empty: a create_write of one iteration runs first".to_string());
    }
    match (operation, location.fs) {
        (Operation::Rename, FsType::S3) => {
            notes.push(
                "rename on s3 is a copy and a delete: it is not atomic, and takes longer for larger objects"
                    .to_string(),
            );
        }
        (Operation::CreateWrite, FsType::Local) if !values.is_on("sync") => {
            notes.push(
                "written data may still be in the page cache when a file is closed; --sync makes it durable"
                    .to_string(),
            );
        }
        (Operation::SingleRead | Operation::PrefetchRead, _) if location.shared.is_none() => {
            notes.push("no file_path: each thread reads its own test_<thread> below base_dir".to_string());
        }
        _ => {}
    }
}

/// Keys that nothing here understands. HDFS gets them all the same, as in the original.
pub(super) fn unknown_keys(settings: &Settings, fs: FsType, notes: &mut Vec<String>) {
    for setting in settings.iter() {
        let meant = nearest(&setting.key, options().filter(|opt| opt.conf).map(|opt| opt.name));
        let hint = meant.map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
        let (origin, key) = (&setting.origin, &setting.key);
        match fs {
            // Every key of Hadoop has a dot.
            FsType::Hdfs if !key.contains('.') => {
                notes.push(format!("{origin}: {key} is no key of Hadoop or fsbench{hint}"));
            }
            // The target itself knows the keys of S3, and names those that it does not know.
            FsType::Hdfs | FsType::S3 => {}
            FsType::Local | FsType::Null | FsType::Mem => {
                notes.push(format!("{origin}: {key} means nothing to {} and is ignored{hint}", fs.word()));
            }
        }
    }
}
