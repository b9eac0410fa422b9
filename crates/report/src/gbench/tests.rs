//! Whole reports of the golden Record, and of what can go wrong.

use super::*;

use fsbench_results::Record;

fn golden() -> Record {
    crate::testing::golden()
}

#[test]
fn dump() {
    let record = golden();
    println!("{}", console(&record, &ConsoleOptions::default()));
    println!("{}", console(&record, &ConsoleOptions { tabular: true, ..Default::default() }));
    println!("{}", csv(&record, &FileOptions::default()));
    println!("{}", context(&record, &FileOptions::default()));
    std::fs::write("/tmp/rws/out.json", json(&record, &FileOptions::default())).unwrap();
}
