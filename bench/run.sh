#!/bin/sh
# Side-by-side runs of fsbench and its peers: bench/run.sh [s3|s3-versitygw|hdfs|null|fio|memory|all] [--rounds N]
#
# Builds fsbench and the peers, starts the test servers through xtask, runs, prints tables, keeps the raw results in
# bench/results/, and stops what it started. What it needs and cannot install by itself, it names.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")

need() {
    command -v "$1" >/dev/null 2>&1 && return
    echo "bench: installing $2 for $1" >&2
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        apt-get install -y -q "$2" >/dev/null || { apt-get update -q >/dev/null && apt-get install -y -q "$2" >/dev/null; }
    else
        echo "bench: $1 is missing; install it (Debian: $2)" >&2
        exit 1
    fi
}

need cargo cargo
need python3 python3
case "${1:-all}" in
    hdfs | all) need mvn maven && need javac openjdk-17-jdk-headless ;;
esac
case "${1:-all}" in
    null | fio | all) need strace strace && need cc gcc ;;
esac
case "${1:-all}" in
    fio | all) need fio fio && need mkfs.ext4 e2fsprogs ;;
esac

cd "$root"
exec python3 "$here/run.py" "$@"
