"""Memory: resident size over time, sampled every 100 ms. It must stay flat, and below 64 MiB + threads x buffers."""

import os
import shutil
import statistics
import subprocess
import tempfile
import time

import s3
import tools
from tools import TARGET, Servers, remote, table

MIB = 1 << 20
SECONDS = 20
THREADS = 4


def resident(pid):
    """VmRSS; 0 when the process is gone."""
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS")), 0)
    except OSError:
        return 0


def watch(command, env):
    """Samples of the resident size, from the start to the end."""
    with open(TARGET / "out.txt", "w+") as out:
        child = subprocess.Popen([str(part) for part in command], env=env, stdout=out, stderr=subprocess.STDOUT)
        samples = []
        while child.poll() is None:
            samples.append(resident(child.pid))
            time.sleep(0.1)
        if child.returncode != 0:
            out.seek(0)
            raise SystemExit(f"bench: {' '.join(map(str, command))}\nended with {child.returncode}: {out.read()}")
    return [sample for sample in samples if sample]


def timed(operation, base, **flags):
    """A run of fixed length instead of a fixed number of operations."""
    return remote(operation, base, THREADS, 0, benchmark_min_time=f"{SECONDS}s", **flags)[0]


def row(name, samples, buffers):
    """Median of the second to fourth of five parts against the last: whether it grows."""
    mib = lambda value: f"{value / MIB:.1f}"
    fifth = len(samples) // 5
    early, late = statistics.median(samples[fifth:2 * fifth]), statistics.median(samples[-fifth:])
    limit = 64 * MIB + THREADS * buffers
    verdict = "yes" if max(samples) <= limit else "NO"
    return [name, mib(early), mib(late), f"{(late - early) / MIB:+.1f}", mib(max(samples)), mib(limit), verdict]


def runs(directory, place, hdfs, hdfs_env):
    """Name, command, environment, and the bytes of one thread's buffers."""
    part, parallel = 8 * MIB, 4
    multipart = {"file_size": 64 * MIB, "buffer_size": MIB, "part_size": part, "upload_concurrency": parallel}
    window = {"prefetch_size": 4 * MIB, "prefetch_concurrency": 4}
    bucket = f"s3://{place.bucket}/{place.prefix}memory"
    local = f"file://{directory}"
    plain, own = os.environ, place.env
    return [
        ("null, open_read", timed("open_read", "", fs_type="null", null_size=64 * MIB), plain, 10**6),
        ("null, exists", timed("exists", "", fs_type="null"), plain, 0),
        ("local, create_write", timed("create_write", local, file_size=64 * MIB), plain, 10**6),
        ("local, prefetch_read", timed("prefetch_read", local, **window), plain, 16 * MIB),
        ("s3, create_write, multipart", timed("create_write", bucket, **multipart), own, part * (parallel + 2) + MIB),
        ("s3, prefetch_read", timed("prefetch_read", bucket, **window), own, 16 * MIB),
        ("hdfs, create_write", timed("create_write", f"{hdfs}/bench-memory", file_size=64 * MIB), hdfs_env, 10**6),
        ("hdfs, open_read", timed("open_read", f"{hdfs}/bench-memory"), hdfs_env, 10**6),
        ("hdfs, prefetch_read", timed("prefetch_read", f"{hdfs}/bench-memory", **window), hdfs_env, 16 * MIB),
    ]


def main(results, _rounds):
    tools.build()
    results.show(f"\n## Memory: {THREADS} threads, {SECONDS} s, MiB\n")
    directory = tempfile.mkdtemp(prefix="fsbench-bench-")
    try:
        with Servers("s3", "hdfs") as servers:
            env = servers.env
            keys = (env["FSBENCH_TEST_S3_ACCESS_KEY"], env["FSBENCH_TEST_S3_SECRET_KEY"])
            place = s3.Place(env["FSBENCH_TEST_S3_ENDPOINT"], env["FSBENCH_TEST_S3_BUCKET"], "bench/", keys)
            hdfs = env["FSBENCH_TEST_HDFS"]
            hdfs_env = os.environ | {"HADOOP_USER_NAME": "root", "HADOOP_CONF_DIR": env["FSBENCH_TEST_HDFS_CONF"]}
            rows = []
            for name, command, run_env, buffers in runs(directory, place, hdfs, hdfs_env):
                tools.note(f"memory: {name}")
                samples = watch(command, run_env)
                results.keep("memory-" + name.replace(", ", "-"), {"samples": samples})
                rows.append(row(name, samples, buffers))
            head = ["run", "early", "late", "change", "highest", "64 MiB + threads x buffers", "below"]
            results.show(table(head, rows))
    finally:
        shutil.rmtree(directory)
