//! The summary of the golden Record, and of endings, errors and counts.

use super::*;
use crate::testing::golden;

#[test]
fn dump() {
    println!("{}", summary(&golden()));
}
