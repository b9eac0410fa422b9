#!/bin/sh
# Runs every test, with the servers' addresses in the environment. Tests that kill servers come last, one by one.
set -eu
cd "$(dirname "$0")/.."
cargo test --profile quick --workspace --no-fail-fast
