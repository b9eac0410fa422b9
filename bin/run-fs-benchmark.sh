#!/bin/sh
# Stands in for Doris' run-fs-benchmark.sh: same arguments, same exit code, output also in fs_benchmark_tool.log.
#
#   sh bin/run-fs-benchmark.sh --conf=hdfs.conf --fs_type=hdfs --operation=create_write --threads=3 --iterations=5
#
# FSBENCH          the fsbench binary. Not given: beside this script, ../target/release/fsbench, then PATH.
# FSBENCH_LOG_DIR  folder of the log. Not given: ../log, if it is there. No folder, no log.
#
# Standard output and standard error stay apart when there is no log. With one they are merged, as in the original.
# Nothing of Doris is needed: no be.conf, no JAVA_HOME, no kernel setting.

here=$(cd "$(dirname "$0")" && pwd) || exit 2

find_fsbench() {
    if [ -n "${FSBENCH:-}" ]; then
        echo "$FSBENCH"
        return
    fi
    for candidate in "$here/fsbench" "$here/../target/release/fsbench"; do
        if [ -x "$candidate" ]; then
            echo "$candidate"
            return
        fi
    done
    command -v fsbench
}

fsbench=$(find_fsbench)
if [ -z "$fsbench" ] || ! command -v "$fsbench" >/dev/null 2>&1; then
    echo "run-fs-benchmark.sh: no fsbench at '${fsbench:-$here}' or in PATH; set FSBENCH=/path/to/fsbench" >&2
    exit 2
fi

log_dir=${FSBENCH_LOG_DIR:-$here/../log}
log=$log_dir/fs_benchmark_tool.log
if [ ! -d "$log_dir" ] || ! { : >"$log"; } 2>/dev/null; then
    if [ -n "${FSBENCH_LOG_DIR:-}" ]; then
        echo "run-fs-benchmark.sh: cannot write $log; make the folder, or unset FSBENCH_LOG_DIR" >&2
        exit 2
    fi
    exec "$fsbench" remote "$@"
fi

# A pipe's exit code is its last command's: the tool's own travels on descriptor 3. Ctrl-C is for the tool: it saves
# what was measured, and tee must live until then.
trap '' INT
{
    code=$(
        {
            {
                (
                    trap - INT
                    exec "$fsbench" remote "$@"
                ) 3>&- 4>&- 2>&1
                echo $? >&3
            } | tee "$log" >&4
        } 3>&1
    )
} 4>&1
exit "${code:-1}"
