#!/bin/sh
# Runs every test, with the servers' addresses in the environment. Cargo runs one test program after the other, so
# those that kill servers (tests/faults_hdfs.rs) have them to themselves.
set -eu
cd "$(dirname "$0")/.."
cargo test --profile quick --workspace --no-fail-fast
