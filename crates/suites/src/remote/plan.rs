//! What was typed into what it means: one conversion, without I/O.

use super::conf::Conf;
use super::error::UsageError;
use super::location::{Location, locate};
use super::notes;
use super::operation::{FsType, Operation};
use super::outputs::Outputs;
use super::store_keys::store_settings;
use super::typed::Typed;
use super::values::Values;
use fsbench_model::{
    Bytes, Content, ContentKind, DeleteFile, ExistsFile, FileNames, ListFiles, Phase, Plan, Prefetch, Program,
    ReadFile, RenameFile, Stop, TargetSpec, WriteFile,
};

/// Each worker's file is this and its number.
const FILE_PREFIX: &str = "test_";
/// What rename adds to a name.
const RENAME_SUFFIX: &str = "_new";
/// Size of a file when none is given.
const FILE_SIZE_DEFAULT: u64 = 10 << 20;

/// A call of `fsbench remote`, resolved and validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// What runs.
    pub plan: Plan,
    /// Where its results go.
    pub outputs: Outputs,
}

/// Makes the plan. `conf` is the file that [`Typed::conf_path`] names, or `None` when that is `None`.
///
/// # Errors
/// Anything that could not be run as it was typed.
pub fn plan(typed: &Typed, conf: Option<&Conf>) -> Result<Remote, UsageError> {
    let mut settings = conf.map(|conf| conf.settings.clone()).unwrap_or_default();
    for set in typed.settings.iter() {
        settings.set(&set.key, &set.value, &set.origin);
    }
    let values = Values::resolve(typed, &mut settings)?;
    let outputs = Outputs::of(&values)?;
    let operation = Operation::parse(values.text("operation").unwrap_or_default(), &values.place("operation"))?;
    let location = locate(&values, operation, &settings, conf.is_some())?;
    let phases = phases(&values, operation, &location)?;
    let mut all_notes = typed.notes.clone();
    all_notes.extend(conf.iter().flat_map(|conf| conf.notes.iter().cloned()));
    notes::without_effect(&values, location.fs, operation, &mut all_notes);
    notes::unknown_keys(&settings, location.fs, &mut all_notes);
    notes::about(&values, operation, &location, &mut all_notes);
    let settings = store_settings(&values, settings, conf, &location, &mut all_notes)?;
    let plan = Plan {
        suite: "remote".to_string(),
        target: TargetSpec { uri: location.uri, settings },
        phases,
        cleanup: values.is_on("cleanup"),
        cold: values.is_on("cold") && location.fs == FsType::Local,
        notes: all_notes,
    };
    Ok(Remote { plan, outputs })
}

/// The name of a phase's row in Google Benchmark's formats, without an aggregate's suffix.
#[must_use]
pub fn row_name(phase: &Phase) -> String {
    let iterations = match phase.stop {
        Stop::Iterations(n) => format!("/iterations:{n}"),
        Stop::After(_) => String::new(),
    };
    format!("{}{iterations}/repeats:{}/manual_time/threads:{}", phase.name, phase.repetitions, phase.workers)
}

fn phases(values: &Values, operation: Operation, location: &Location) -> Result<Vec<Phase>, UsageError> {
    let phase = Phase {
        name: operation.benchmark(location.fs),
        workers: number32(values, "threads").unwrap_or(1),
        repetitions: number32(values, "repetitions")
            .or_else(|| number32(values, "benchmark_repetitions"))
            .unwrap_or_else(|| operation.repetitions_default()),
        stop: match (values.number_or_default("iterations"), values.time("benchmark_min_time")) {
            (0, Some(span)) => Stop::After(span),
            (n, _) => Stop::Iterations(n),
        },
        program: program(values, operation, location),
    };
    if operation == Operation::Delete {
        once(values, &phase)?;
    }
    filter(values, &phase)?;
    let mut phases = vec![phase];
    if location.fs == FsType::Mem && operation != Operation::CreateWrite {
        phases.insert(0, fill(values, location, phases[0].workers));
    }
    Ok(phases)
}

/// `mem:` starts empty: the files that a phase needs are written by one before it.
fn fill(values: &Values, location: &Location, workers: u32) -> Phase {
    Phase {
        name: Operation::CreateWrite.benchmark(location.fs),
        workers: if location.shared.is_some() { 1 } else { workers },
        repetitions: 1,
        stop: Stop::Iterations(1),
        program: program(values, Operation::CreateWrite, location),
    }
}

fn program(values: &Values, operation: Operation, location: &Location) -> Program {
    let files = match &location.shared {
        Some(name) => FileNames::Shared(name.clone()),
        None => FileNames::PerWorker(FILE_PREFIX.to_string()),
    };
    match operation {
        Operation::CreateWrite => Program::Write(WriteFile {
            files,
            size: write_size(values),
            buffer: values.bytes("buffer_size"),
            content: content(values),
            // An object is durable when its upload ends; S3 has no sync to ask for.
            sync: location.fs != FsType::S3 && values.switch("sync").unwrap_or(location.fs == FsType::Hdfs),
            overwrite_foreign: values.is_on("overwrite"),
        }),
        Operation::OpenRead | Operation::SingleRead | Operation::PrefetchRead => Program::Read(ReadFile {
            files,
            limit: Some(values.bytes("file_size")).filter(|size| size.0 > 0),
            buffer: values.bytes("buffer_size"),
            prefetch: (operation == Operation::PrefetchRead).then(|| prefetch(values)),
            verify: values.is_on("verify").then(|| content(values)),
        }),
        Operation::Exists => Program::Exists(ExistsFile { files }),
        Operation::Rename => Program::Rename(RenameFile { files, suffix: RENAME_SUFFIX.to_string() }),
        Operation::List => Program::List(ListFiles {}),
        Operation::Delete => Program::Delete(DeleteFile { files, suffix: RENAME_SUFFIX.to_string() }),
    }
}

/// Size of a file that is written.
pub(super) fn write_size(values: &Values) -> Bytes {
    match values.bytes("file_size") {
        Bytes(0) => Bytes(FILE_SIZE_DEFAULT),
        size => size,
    }
}

fn content(values: &Values) -> Content {
    let kind = match values.word("content") {
        Some("zero") => ContentKind::Zero,
        Some("pattern") => ContentKind::Pattern,
        _ => ContentKind::Random,
    };
    Content { kind, seed: values.number_or_default("seed") }
}

fn prefetch(values: &Values) -> Prefetch {
    Prefetch { size: values.bytes("prefetch_size"), concurrency: number32(values, "prefetch_concurrency").unwrap_or(1) }
}

/// A number whose range in the table fits.
fn number32(values: &Values, name: &str) -> Option<u32> {
    values.number(name).map(|n| u32::try_from(n).unwrap_or(u32::MAX))
}

/// A file can be deleted once.
fn once(values: &Values, phase: &Phase) -> Result<(), UsageError> {
    let refuse = |name: &str| {
        let what = "delete runs once: a file can be deleted only once";
        UsageError::new(values.place(name), what, format!("use --{name}=1, and create_write before each run"))
    };
    match phase {
        Phase { stop: Stop::Iterations(1), repetitions: 1, .. } => Ok(()),
        Phase { stop: Stop::Iterations(1), .. } => {
            Err(refuse(if values.origin("repetitions").is_some() { "repetitions" } else { "benchmark_repetitions" }))
        }
        _ => Err(refuse("iterations")),
    }
}

/// `--benchmark_filter`: found anywhere in the row's name; a leading `-` negates; empty and `all` match.
fn filter(values: &Values, phase: &Phase) -> Result<(), UsageError> {
    let Some(text) = values.text("benchmark_filter").filter(|text| *text != "all") else { return Ok(()) };
    let (pattern, wanted) = text.strip_prefix('-').map_or((text, true), |pattern| (pattern, false));
    let regex = regex_lite::Regex::new(pattern).map_err(|why| {
        let what = format!("'{pattern}' is not a regular expression: {why}");
        UsageError::new(values.place("benchmark_filter"), what, "correct it, or take it away")
    })?;
    let name = row_name(phase);
    if regex.is_match(&name) == wanted {
        return Ok(());
    }
    let what = format!("Failed to match any benchmarks against regex: {text}");
    Err(UsageError::new(values.place("benchmark_filter"), what, format!("the benchmark is {name}")))
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
