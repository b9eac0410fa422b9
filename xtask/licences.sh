#!/bin/sh
# Licences and bans of all dependencies, by cargo-deny (installed once, into the cache that the test servers use too).
set -eu
cd "$(dirname "$0")/.."
version=0.20.2
root="${XDG_CACHE_HOME:-$HOME/.cache}/fsbench/cargo-deny-$version"
if [ ! -x "$root/bin/cargo-deny" ]; then
    echo "installing cargo-deny $version into $root"
    cargo install --quiet --debug --locked "cargo-deny@$version" --root "$root"
fi
# --offline: the crates are there already, and its own look at the index needs git.
"$root/bin/cargo-deny" --all-features check licenses bans sources
