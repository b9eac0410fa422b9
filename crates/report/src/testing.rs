//! Records for the tests of this room.

use fsbench_results::model::Program;
use fsbench_results::{Ending, ErrorCount, Record, Repetition};

/// The golden Record.
pub(crate) fn golden() -> Record {
    Record::from_json(include_str!("../../../fixtures/record/v1.json")).expect("the golden Record is a Record")
}

/// Its last phase, as if it had run another program on another target.
pub(crate) fn with_program(program: Program, uri: &str) -> Record {
    let mut record = golden();
    record.phases.remove(0);
    record.plan.phases.remove(0);
    record.plan.phases[0].program = program;
    record.plan.target.uri = uri.into();
    record
}

/// Turns a repetition into one of which every operation failed.
pub(crate) fn all_failed(repetition: &mut Repetition, first: &str) {
    repetition.failed = repetition.operations;
    repetition.kinds.clear();
    repetition.bytes = 0;
    let count = repetition.failed;
    repetition.errors =
        vec![ErrorCount { operation: "open".into(), kind: "denied".into(), count, first: first.into() }];
}

/// The golden Record, had a signal ended its last repetition.
pub(crate) fn interrupted() -> Record {
    let mut record = golden();
    record.complete = false;
    record.ending = Ending::Interrupted;
    record.phases[1].repetitions[2].interrupted = true;
    record
}
