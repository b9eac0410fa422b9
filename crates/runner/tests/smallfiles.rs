//! The small-file program on `mem:`: what is measured, what errors mean, what is left.

use fsbench_model::{
    Bytes, Content, Phase, Plan, Program, Settings, SmallFiles, SmallStep, Span, Stop as StopRule, TargetSpec,
};
use fsbench_results::{Ending, Kind, Record};
use fsbench_runner::{Clock, Control, Live, Stop, ledger, run};
use fsbench_target::{Decorated, ErrorKind, Faults, Limit, MemTarget, NoProbe, Session, Target};
use std::rc::Rc;
use std::sync::Arc;

const WRITE: SmallStep = SmallStep::Write { sync: true };
const READ: SmallStep = SmallStep::Read { verify: true };

fn files(step: SmallStep, count: u64, size: u64) -> SmallFiles {
    let content = (size != 5).then(Content::default);
    let (directory, limit) = ("small-".to_string(), Span(1_000_000_000));
    SmallFiles { directory, files: count, size: Bytes(size), content, step, shell: None, limit }
}

fn plan(all: Vec<SmallFiles>, workers: u32, cleanup: bool) -> Plan {
    let phase = |files: SmallFiles| Phase {
        name: if files.writes() { "write" } else { "read" }.into(),
        workers,
        repetitions: 1,
        stop: StopRule::Iterations(files.files.div_ceil(u64::from(workers))),
        program: Program::SmallFiles(files),
    };
    let target = TargetSpec { uri: "mem:".into(), settings: Settings::default() };
    let phases = all.into_iter().map(phase).collect();
    Plan { suite: "smallfiles".into(), target, phases, cleanup, cold: false, notes: vec![] }
}

fn record_of(plan: Plan, target: &Arc<dyn Target>) -> Record {
    let mut control = Control {
        stop: Arc::new(Stop::default()),
        live: Arc::new(Live::default()),
        clock: Clock::start(),
        version: "test",
        save: &mut |_| {},
        status: None,
    };
    let run = run(plan, target, &mut control);
    assert_eq!(run.refusal, None);
    run.record
}

fn mem() -> (MemTarget, Arc<dyn Target>) {
    let target = MemTarget::default();
    (target.clone(), Arc::new(target))
}

fn session(target: &MemTarget) -> Box<dyn Session> {
    target.session(Rc::new(NoProbe)).expect("a session")
}

#[test]
fn every_file_is_one_operation_and_its_calls_add_up() {
    let (store, target) = mem();
    let record = record_of(plan(vec![files(WRITE, 10, 5), files(READ, 10, 5)], 3, true), &target);
    assert_eq!((record.ending, record.error_count()), (Ending::Finished, 0));
    let calls = [&[Kind::Create, Kind::Write, Kind::Sync, Kind::Close][..], &[Kind::Open, Kind::Read, Kind::Close][..]];
    for (phase, calls) in record.phases.iter().zip(calls) {
        let repetition = &phase.repetitions[0];
        let of = |kind: Kind| repetition.kind(kind).expect("it was measured");
        assert_eq!((repetition.operations, repetition.bytes, of(Kind::Operation).count), (10, 50, 10));
        assert!(calls.iter().all(|kind| of(*kind).count == 10));
        let busy: u64 = calls.iter().map(|kind| of(*kind).busy_ns).sum();
        assert_eq!(busy, of(Kind::Operation).busy_ns, "{}: nothing is between the calls", phase.name);
    }
    assert_eq!(session(&store).list("", None).map(|page| page.entries), Ok(vec![]));
    assert_eq!(session(&store).exists(ledger::DIRECTORY), Ok(false));
}

#[test]
fn a_run_that_keeps_its_files_lists_them_as_a_set() {
    let (store, target) = mem();
    let record = record_of(plan(vec![files(WRITE, 10, 5), files(READ, 10, 5)], 1, false), &target);
    let ledgers = ledger::load(session(&store).as_mut()).expect("ledgers");
    let [ledger] = &ledgers[..] else { panic!("one ledger: {ledgers:?}") };
    let directory = format!("small-{}", record.run_id);
    assert_eq!((ledger.sets[0].directory.as_str(), ledger.sets[0].count, ledger.files.len()), (&*directory, 10, 0));
    assert!(session(&store).exists(&format!("{directory}/test9.txt")).expect("exists works"));
    let report = fsbench_runner::clean(&store, session(&store).as_mut()).expect("cleans");
    assert_eq!((report.removed, report.runs), (10, 1));
    assert_eq!(session(&store).exists(&directory), Ok(false));
}

#[test]
fn other_content_is_corrupt_and_fewer_bytes_are_short() {
    for (written, kind) in [(4096, "corrupt"), (100, "short_read")] {
        let (_, target) = mem();
        let other = SmallFiles { content: Some(Content { seed: 1, ..Content::default() }), ..files(WRITE, 3, written) };
        let record = record_of(plan(vec![other, files(READ, 3, 4096)], 1, true), &target);
        let error = &record.phases[1].repetitions[0].errors[0];
        assert_eq!((error.kind.as_str(), error.count), (kind, 3), "{}", error.first);
    }
}

#[test]
fn a_file_that_failed_does_not_end_the_check() {
    let (_, target) = mem();
    // The ledger and the directories take the first calls.
    let faults = Faults { after: 40, count: 1, kind: ErrorKind::Connection };
    let target: Arc<dyn Target> = Arc::new(Decorated::new(target, Limit::default(), Some(faults)));
    let record = record_of(plan(vec![files(WRITE, 100, 5), files(READ, 100, 5)], 1, true), &target);
    let [write, read] = [0, 1].map(|index| &record.phases[index].repetitions[0]);
    assert_eq!((write.operations, write.failed, read.operations), (100, 1, 100));
    assert_eq!((read.failed, read.errors[0].kind.as_str()), (1, "not_found"), "the one that was not written");
    assert_eq!(record.ending, Ending::Finished);
}

#[test]
fn what_cannot_be_written_is_not_looked_for() {
    let (store, target) = mem();
    let faults = Faults { after: 40, count: u64::MAX, kind: ErrorKind::NoSpace };
    let faulty: Arc<dyn Target> = Arc::new(Decorated::new(target, Limit::default(), Some(faults)));
    let record = record_of(plan(vec![files(WRITE, 100, 5), files(READ, 100, 5)], 1, false), &faulty);
    assert_eq!((record.phases.len(), record.ending), (1, Ending::Failed));
    assert!(record.failure.is_some_and(|sentence| sentence.contains("test")), "it names the file");
    let report = fsbench_runner::clean(&store, session(&store).as_mut()).expect("cleans");
    assert!(report.removed > 0 && report.removed < 40, "{report:?}");
}
