//! The numbers that fio 3.33 printed (`tests/fio`), as a Record, and back: the same text.

mod samples;

use super::{Shown, json};
use samples::{Sample, mixed};

const PLAIN: Shown = Shown { extras: false };

#[test]
fn the_json_is_fios() {
    let ours = json(&mixed(&Sample::json()), &PLAIN).replace("fio-3.42-fsbench-0.0.0", "fio-3.33");
    assert_eq!(samples::difference(include_str!("../../tests/fio/mixed.json"), &ours), "");
}
