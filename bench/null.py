"""The tool's own cost: operations on `null:`, where nothing else is left, and what a small S3 request makes it do.

Times are of whole repetitions. System calls and allocations are differences between a long and a short run, so that
what starting costs is not in them.
"""

import os
import subprocess

import s3
import tools
from tools import BENCH, TARGET, interleave, remote, spread, table

KIB4 = 4096
GIB = 1 << 30

# Kind: operation, flags, operations of each thread, and how many calls are timed in one.
KINDS = {
    "exists": ("exists", {}, 4_000_000, 1),
    "open_read, 1 read of 4 KiB": ("open_read", {"null_size": KIB4, "buffer_size": KIB4}, 1_000_000, 1),
    "reads of 4 KiB in an open file": ("open_read", {"null_size": 10 * GIB, "buffer_size": KIB4}, 1, 10 * GIB // KIB4),
    "prefetch_read, ranges of 4 KiB, 4 in flight": (
        "prefetch_read", {"null_size": 10 * GIB, "prefetch_size": KIB4}, 1, 10 * GIB // KIB4),
    "create_write, 1 write of 4 KiB, zeros": (
        "create_write", {"file_size": KIB4, "buffer_size": KIB4, "content": "zero"}, 1_000_000, 1),
    "create_write, 1 write of 4 KiB, random": (
        "create_write", {"file_size": KIB4, "buffer_size": KIB4, "content": "random"}, 1_000_000, 1),
    "writes of 4 KiB in an open file, random": (
        "create_write", {"file_size": 10 * GIB, "buffer_size": KIB4, "content": "random"}, 1, 10 * GIB // KIB4),
    "list (an empty page)": ("list", {}, 2_000_000, 1),
}

def cost(kind, threads):
    """ns of one operation (or call) of one thread, wall time and CPU."""
    operation, flags, iterations, calls = KINDS[kind]
    ran = tools.fsbench(operation, "", threads, iterations, requests_of="operation", fs_type="null", **flags)
    count = threads * iterations * calls
    return {"wall_ns": ran.wall * 1e9 * threads / count, "cpu_ns": ran.cpu * 1e9 / count, "per_s": count / ran.wall}

def times(results, rounds):
    results.show(f"\n## The tool's own cost on null:, {rounds} rounds\n")
    rows = []
    for threads in (1, 2):
        clients = {kind: (lambda kind=kind: cost(kind, threads)) for kind in KINDS}
        measured = interleave(clients, rounds, f"null, {threads} threads")
        results.keep(f"null-{threads}", measured)
        for kind, runs in measured.items():
            rows.append([kind, threads] + [spread([run[key] for run in runs], digits) for key, digits in (("per_s", 0), ("wall_ns", 0), ("cpu_ns", 0))])
    results.show(table(["operation", "threads", "operations/s", "ns of a thread for each", "CPU-ns for each"], rows))

# What a small operation is made of: how to run it `n` times.
SMALL = {
    "null: exists": lambda n: remote("exists", "", 1, n, fs_type="null"),
    "null: open_read, 1 read of 4 KiB": lambda n: remote("open_read", "", 1, n, fs_type="null", null_size=KIB4, buffer_size=KIB4),
    "null: create_write of 4 KiB": lambda n: remote("create_write", "", 1, n, fs_type="null", file_size=KIB4, buffer_size=KIB4),
}

def small_s3(place):
    """S3's small operations, on the null server."""
    base = lambda workload, size: f"s3://{place.bucket}/{place.keys(workload, size)}"
    ranges = lambda n: remote("open_read", base("range", KIB4 * n), 1, 1, file_size=KIB4 * n, buffer_size=KIB4)
    puts = lambda n: remote("create_write", base("put", KIB4), 1, n, file_size=KIB4, buffer_size=KIB4, overwrite="true")
    return {"s3: GET of 4 KiB": ranges, "s3: PUT of 4 KiB": puts}

def system_calls(command, env):
    log = TARGET / "strace.txt"
    tools.run(["strace", "-f", "-c", "-o", log, *command], env)
    counts = {}
    for line in log.read_text().splitlines():
        words = line.split()
        if len(words) >= 5 and words[3].isdigit() and words[-1] != "total":
            counts[words[-1]] = counts.get(words[-1], 0) + int(words[3])
    return counts

def allocations(command, env):
    log = TARGET / "allocations.txt"
    preload = {"LD_PRELOAD": str(TARGET / "allocations.so"), "ALLOCATIONS": str(log)}
    tools.run(command, (env or os.environ) | preload)
    return int(log.read_text())

def inside(results, env, small):
    """System calls and allocations of one operation: a long run less a short one."""
    few, many = 2_000, 12_000
    rows = []
    for name, command in small.items():
        each = (allocations(command(many)[0], env) - allocations(command(few)[0], env)) / (many - few)
        short, long = (system_calls(command(n)[0], env) for n in (few, many))
        calls = {call: (count - short.get(call, 0)) / (many - few) for call, count in long.items()}
        often = {call: count for call, count in calls.items() if count >= 0.01}
        named = ", ".join(f"{count:.2f} {call}" for call, count in sorted(often.items(), key=lambda item: -item[1]))
        rows.append([name, named or "none", f"{each:.2f}"])
    results.keep("null-inside", {row[0]: [row[1:]] for row in rows})
    results.show(table(["operation", "system calls", "allocations"], rows))

def main(results, rounds):
    tools.build("null-server")
    times(results, rounds)
    cc = ["cc", "-O2", "-shared", "-fPIC", "-o", TARGET / "allocations.so", BENCH / "allocations.c"]
    subprocess.run(cc, check=True)
    results.show("\n## What one operation is made of (one thread)\n")
    server, port = s3.null_server()
    try:
        place = s3.Place(f"http://127.0.0.1:{port}", "null", "", ("null", "null"))
        inside(results, place.env, SMALL | small_s3(place))
    finally:
        server.terminate()
        server.wait()
