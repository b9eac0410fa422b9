//! Whole runs on `mem:` and `null:`: what is measured, in which order things happen, and what faults leave.

use fsbench_model::{
    Bytes, Content, ContentKind, DeleteFile, ExistsFile, FileNames, ListFiles, Phase, Plan, Prefetch, Program,
    ReadFile, RenameFile, Settings, Span, Stop as StopRule, TargetSpec, WriteFile,
};
use fsbench_results::{Ending, Kind, Record};
use fsbench_runner::{Clock, Control, Live, Run, Stop, clean, run};
use fsbench_target::{
    Decorated, ErrorKind, Faults, Limit, MemTarget, NoProbe, NullTarget, OpenMode, OpenOptions, Target,
};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

const SEED: Content = Content { kind: ContentKind::Random, seed: 42 };

fn files() -> FileNames {
    FileNames::PerWorker("test_".into())
}

fn write(size: u64) -> Program {
    let (size, buffer) = (Bytes(size), Bytes(1000));
    Program::Write(WriteFile { files: files(), size, buffer, content: SEED, sync: true, overwrite_foreign: false })
}

fn read(prefetch: Option<Prefetch>, verify: Content) -> Program {
    let (limit, buffer) = (None, Bytes(999));
    Program::Read(ReadFile { files: files(), limit, buffer, prefetch, verify: Some(verify) })
}

fn phase(program: Program, workers: u32, repetitions: u32, iterations: u64) -> Phase {
    Phase { name: "phase".into(), workers, repetitions, stop: StopRule::Iterations(iterations), program }
}

fn plan(phases: Vec<Phase>) -> Plan {
    let target = TargetSpec { uri: "mem:".into(), settings: Settings::default() };
    Plan { suite: "remote".into(), target, phases, cleanup: false, cold: false, notes: vec![] }
}

/// Runs a plan and gives back, with the result, how many repetitions each save saw.
fn run_saved(plan: Plan, target: Arc<dyn Target>, stop: Arc<Stop>) -> (Run, Vec<usize>) {
    let mut saved = Vec::new();
    let mut save = |record: &Record| saved.push(record.phases.iter().map(|p| p.repetitions.len()).sum());
    let mut control = Control {
        stop,
        live: Arc::new(Live::default()),
        clock: Clock::start(),
        version: "test",
        save: &mut save,
        status: None,
    };
    let run = run(plan, &target, &mut control);
    (run, saved)
}

fn record_of(plan: Plan, target: Arc<dyn Target>) -> Record {
    let (run, _) = run_saved(plan, target, Arc::default());
    assert_eq!(run.refusal, None);
    run.record
}

fn mem() -> Arc<dyn Target> {
    Arc::new(MemTarget::default())
}

#[test]
fn what_is_written_is_read_verified_and_counted() {
    let window = Prefetch { size: Bytes(700), concurrency: 3 };
    let phases =
        vec![phase(write(10_001), 3, 2, 2), phase(read(None, SEED), 3, 1, 2), phase(read(Some(window), SEED), 3, 1, 2)];
    let record = record_of(plan(phases), mem());
    assert_eq!((record.ending, record.complete, record.error_count()), (Ending::Finished, true, 0));
    for (index, phase) in record.phases.iter().enumerate() {
        for repetition in &phase.repetitions {
            assert_eq!((repetition.operations, repetition.bytes), (6, 60_006), "phase {index}");
            assert_eq!(repetition.workers.len(), 3);
        }
    }
    let written = &record.phases[0].repetitions[1];
    let count = |kind| written.kind(kind).map_or(0, |k| k.count);
    assert_eq!([Kind::Create, Kind::Write, Kind::Sync, Kind::Close, Kind::Operation].map(count), [6, 66, 6, 6, 6]);
    let read = &record.phases[1].repetitions[0];
    assert_eq!(read.counted("verified_bytes"), 60_006);
    assert_eq!(read.kind(Kind::Read).map(|k| k.count), Some(66));
    let ahead = &record.phases[2].repetitions[0];
    assert_eq!(ahead.kind(Kind::Wait).map(|k| k.count), Some(90));
}

#[test]
fn the_record_is_saved_after_every_repetition_and_at_the_end() {
    let (_, saved) = run_saved(plan(vec![phase(write(10), 1, 3, 1)]), mem(), Arc::default());
    assert_eq!(saved, [1, 2, 3, 3]);
}

#[test]
fn wrong_content_is_an_error_of_its_own_kind() {
    let other = Content { seed: 43, ..SEED };
    let record = record_of(plan(vec![phase(write(5000), 1, 1, 1), phase(read(None, other), 1, 1, 1)]), mem());
    let error = &record.phases[1].repetitions[0].errors[0];
    assert_eq!((error.operation.as_str(), error.kind.as_str()), ("verify", "corrupt"));
    assert!(error.first.contains("first at offset 0"), "{}", error.first);
    assert_eq!(record.ending, Ending::Finished);
}

#[test]
fn a_missing_file_names_the_command_that_makes_it() {
    let target = mem();
    record_of(plan(vec![phase(write(10), 1, 1, 1)]), target.clone());
    let record = record_of(plan(vec![phase(read(None, SEED), 2, 1, 5)]), target);
    let repetition = &record.phases[0].repetitions[0];
    assert_eq!((repetition.operations, repetition.failed), (6, 1), "one worker reads, the other gives up at once");
    let text = &repetition.errors[0].first;
    assert!(text.contains("test_1") && text.contains("--operation=create_write"), "{text}");
}

#[test]
fn names_are_found_listed_renamed_there_and_back_and_deleted() {
    let target = mem();
    let exists = Program::Exists(ExistsFile { files: files() });
    let rename = Program::Rename(RenameFile { files: files(), suffix: "_new".into() });
    let delete = Program::Delete(DeleteFile { files: files(), suffix: "_new".into() });
    let phases = vec![
        phase(write(10), 2, 1, 1),
        phase(exists, 3, 1, 4),
        phase(Program::List(ListFiles {}), 1, 1, 1),
        phase(rename, 2, 1, 3),
    ];
    let record = record_of(plan(phases), target.clone());
    assert_eq!(record.error_count(), 0);
    let counted = |phase: usize, name| record.phases[phase].repetitions[0].counted(name);
    assert_eq!((counted(1, "found"), counted(1, "missing")), (8, 4));
    assert_eq!((counted(2, "entries"), counted(2, "pages")), (2, 1), "the ledger is no entry");
    let mut session = target.session(Rc::new(NoProbe)).expect("a session");
    assert!(session.exists("test_0_new").expect("works") && !session.exists("test_0").expect("works"));
    let deleted = record_of(plan(vec![phase(delete, 2, 1, 9)]), target.clone());
    assert_eq!(deleted.phases[0].repetitions[0].counted("deleted"), 2);
    assert!(!session.exists("test_0_new").expect("works"));
    let report = clean(target.as_ref(), session.as_mut()).expect("cleans");
    assert_eq!((report.removed, report.runs), (0, 0), "what was deleted is in no ledger any more");
}

#[test]
fn delete_leaves_what_fsbench_did_not_make() {
    let target = mem();
    let mut session = target.session(Rc::new(NoProbe)).expect("a session");
    let file = session.open("test_0", OpenOptions { mode: OpenMode::CreateNew, size_hint: None }).expect("opens");
    session.close(file).expect("closes");
    let delete = Program::Delete(DeleteFile { files: files(), suffix: "_new".into() });
    let record = record_of(plan(vec![phase(delete, 1, 1, 1)]), target);
    let error = &record.phases[0].repetitions[0].errors[0];
    assert_eq!((error.operation.as_str(), error.kind.as_str()), ("delete", "denied"));
    assert!(session.exists("test_0").expect("works"));
}

#[test]
fn a_base_that_is_not_there_is_refused_before_reading() {
    let faulty = Faults { after: 0, count: 1, kind: ErrorKind::NotFound };
    let target = Decorated::new(mem(), Limit::default(), Some(faulty));
    let (run, _) = run_saved(plan(vec![phase(read(None, SEED), 1, 1, 1)]), Arc::new(target), Arc::default());
    assert_eq!(run.refusal.map(|e| e.kind), Some(ErrorKind::NotFound));
    assert_eq!(run.record.ending, Ending::Failed);
}

#[test]
fn errors_are_counted_and_the_rest_is_measured() {
    // stat of the base, two calls of the ledger, six of writing it; then the phase.
    let faults = Faults { after: 30, count: 3, kind: ErrorKind::Throttled };
    let target = Decorated::new(mem(), Limit::default(), Some(faults));
    let record = record_of(plan(vec![phase(write(5000), 1, 1, 20)]), Arc::new(target));
    let repetition = &record.phases[0].repetitions[0];
    assert_eq!(repetition.operations, 20);
    assert!((1..=3).contains(&repetition.failed), "{}", repetition.failed);
    assert_eq!(repetition.errors.iter().map(|e| e.count).sum::<u64>(), repetition.failed);
    assert_eq!(repetition.kind(Kind::Operation).map(|k| k.count), Some(20 - repetition.failed));
    assert_eq!(repetition.errors[0].kind, "throttled");
}

#[test]
fn a_store_that_only_fails_ends_soon() {
    let target = mem();
    record_of(plan(vec![phase(write(10), 1, 1, 1)]), target.clone());
    let faults = Faults { after: 1, count: u64::MAX, kind: ErrorKind::Connection };
    let broken = Decorated::new(target, Limit::default(), Some(faults));
    let record = record_of(plan(vec![phase(read(None, SEED), 1, 2, 1_000_000)]), Arc::new(broken));
    for repetition in &record.phases[0].repetitions {
        assert_eq!((repetition.failed, repetition.counted("gave_up")), (10, 1));
    }
}

#[test]
fn stopping_keeps_what_was_measured_and_cleans_up_when_asked() {
    let target = mem();
    let slow = Limit { delay: Duration::from_millis(2), bytes_per_second: 0 };
    let decorated: Arc<dyn Target> = Arc::new(Decorated::new(target.clone(), slow, None));
    let stop = Arc::new(Stop::default());
    let asker = stop.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        asker.ask();
    });
    let mut endless = plan(vec![phase(write(5000), 2, 3, 1_000_000)]);
    endless.cleanup = true;
    let (run, saved) = run_saved(endless, decorated, stop);
    assert_eq!((run.record.ending, run.record.complete), (Ending::Interrupted, false));
    assert_eq!(saved, [1, 1]);
    let repetition = &run.record.phases[0].repetitions[0];
    assert!(repetition.interrupted && repetition.kind(Kind::Operation).is_some_and(|k| k.count > 0));
    assert_eq!(repetition.errors, [], "an interruption is no storage error");
    let mut session = target.session(Rc::new(NoProbe)).expect("a session");
    assert_eq!(session.list("", None).expect("lists").entries, []);
}

#[test]
fn a_span_stops_after_the_operation_that_reaches_it() {
    let mut timed = phase(Program::Exists(ExistsFile { files: files() }), 2, 1, 0);
    timed.stop = StopRule::After(Span(20_000_000));
    let record = record_of(plan(vec![timed]), Arc::new(NullTarget::new(1)));
    let repetition = &record.phases[0].repetitions[0];
    assert!(repetition.elapsed_ns >= 20_000_000 && repetition.operations > 1000);
}

#[test]
fn more_buffers_than_memory_are_refused() {
    let huge = Prefetch { size: Bytes(1 << 40), concurrency: 1000 };
    let (run, saved) = run_saved(plan(vec![phase(read(Some(huge), SEED), 1000, 1, 1)]), mem(), Arc::default());
    let error = run.refusal.expect("refused");
    assert!(error.to_string().contains("of memory is free"), "{error}");
    assert!(saved.is_empty(), "a refused run must not replace an earlier Record");
}
