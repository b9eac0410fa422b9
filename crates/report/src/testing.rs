//! Records for the tests of this room.

use fsbench_results::Record;

/// The golden Record.
pub(crate) fn golden() -> Record {
    Record::from_json(include_str!("../../../fixtures/record/v1.json")).expect("the golden Record is a Record")
}
