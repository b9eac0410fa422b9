//! Tests on a real HDFS, which `cargo xtask servers start` provides. Each says why it is skipped when its server is not
//! there; with FSBENCH_TEST_REQUIRE=1 that is a failure.

mod errors;
mod here;
mod plain;
mod secure;
