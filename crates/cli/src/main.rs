//! The fsbench binary.
fn main() {}
