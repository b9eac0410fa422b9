#!/bin/sh
# Runs every test, with the servers' addresses in the environment. Cargo runs one test program after the other, so
# those that kill servers (tests/faults_hdfs.rs) have them to themselves.
set -eu
cd "$(dirname "$0")/.."
# fio, and the programs that read what it prints.
tools=$(./xtask/fio-tools.sh)
eval "$tools"
cargo test --profile quick --workspace --no-fail-fast
