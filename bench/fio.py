"""`fsbench fio` beside fio, with the very same arguments, and beside bare loops of the same system calls (floor.c).

CPU is getrusage of the whole process (wait4), from exec to exit: it has the kernel's workers (io-wq) in it, which are
threads of the process. What the same job costs with one request is taken off, as fio spends 0.15 s on its clock before
it begins. Programs run at niceness -10 where that is permitted.
"""

import contextlib
import json
import os
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

import tools
from tools import BENCH, TARGET, Measured, interleave, note, run, spread, table

GIB = 1 << 30
SECONDS = float(os.environ.get("BENCH_SECONDS", "2"))
FILES = 20_000
STARTS = 20
BARE = "bare loop"
PLACE = TARGET / "fio"
FLOOR = TARGET / "floor"
NICE = ["nice", "-n", "-10"]
FSBENCH = [tools.FSBENCH, "fio"]

TIMED = ["--time_based", f"--runtime={SECONDS * 1000:.0f}ms", "--bs=4k", "--size=1g"]
BATCH = ["--iodepth=64", "--iodepth_batch_submit=16", "--iodepth_batch_complete_min=16", "--iodepth_batch_complete_max=64"]
FIXED = ["--fixedbufs", "--registerfiles"]


class Programs:
    """What understands fio's arguments, and fio's own bare loop where it could be built."""

    def __init__(self):
        self.commands = {"fsbench": FSBENCH, version(["fio"]): ["fio"]}
        self.starts = {}
        self.loop = None
        newer = subprocess.run([BENCH / "fio-newer.sh", PLACE], stdout=subprocess.PIPE, text=True)
        if newer.returncode == 0:
            built = Path(newer.stdout.strip().splitlines()[-1])
            self.commands[version([built / "fio"])] = [built / "fio"]
            self.loop = built / "t/io_uring"
        else:
            note(f"a newer fio could not be had: see {PLACE}/log.txt")

    def start_cost(self, name, arguments):
        """CPU-seconds of the same job with one request, the median of three."""
        key = (name, *arguments)
        if key not in self.starts:
            one = [argument for argument in arguments if argument not in TIMED] + ["--bs=4k", "--size=1g", "--number_ios=1"]
            self.starts[key] = statistics.median(job(self.commands[name], one).cpu for _ in range(3))
        return self.starts[key]

    def job(self, name, arguments):
        start = self.start_cost(name, arguments)
        measured = job(self.commands[name], arguments)
        measured.extra["cpu_of_process"] = measured.cpu
        measured.cpu -= start
        return measured

    def clients(self, arguments):
        return {name: (lambda name=name: self.job(name, arguments)) for name in self.commands}


def version(command):
    return subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout.strip().replace("fio-", "fio ")


def job(command, arguments):
    """One job; wall time is the job's own, CPU the process'."""
    output = TARGET / "fio.json"
    ran = run([*NICE, *command, "--name=bench", *arguments, "--output-format=json", f"--output={output}"], cwd=PLACE)
    told = output.read_text()
    result = json.loads(told[told.index("{"):])["jobs"][0]
    read = result["read"]
    clat = read.get("clat_ns", {}).get("percentile", {})
    extra = {"peak_rss": ran.peak_rss, "process_wall": ran.wall, "p50": clat.get("50.000000"), "p99": clat.get("99.000000")}
    extra["iops"] = read["iops"]
    # The job's own CPU: its share of the time that the rate is of.
    extra["job_cpu"] = (result["usr_cpu"] + result["sys_cpu"]) / 100 * read["total_ios"] / max(read["iops"], 1)
    return Measured(read["total_ios"], read["io_bytes"], read["runtime"] / 1e3, ran.cpu, extra)


def floor(arguments):
    return lambda: tools.peer([*NICE, FLOOR, *arguments])


def bare_loop(program, path, *arguments):
    """fio's t/io_uring, which prints its I/Os of each second."""
    ran = run([*NICE, program, "-d64", "-s16", "-c16", "-b4096", "-p0", "-n1", "-r3", *arguments, path], cwd=PLACE)
    seconds = [line.split("IOPS=")[1].split(",")[0] for line in ran.out.splitlines() if line.startswith("IOPS=")]
    scale = {"K": 1e3, "M": 1e6}
    rates = [float(text.rstrip("KM")) * scale.get(text[-1], 1) for text in seconds]
    count = int(statistics.mean(rates) * 3)
    return Measured(count, count * 4096, 3.0, ran.cpu)


def ns(measured):
    return measured.cpu / measured.requests * 1e9


def warm(path):
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 24):
            pass


def data(directory):
    """A gibibyte of random bytes that stays for the next time."""
    path = Path(directory) / "fsbench-bench-fio.dat"
    if not path.exists() or path.stat().st_size != GIB:
        with open(path, "wb") as file:
            for _ in range(GIB >> 20):
                file.write(os.urandom(1 << 20))
            os.fsync(file.fileno())
    return path


def rows(case, measured, floor_name=None):
    """CPU per I/O, what is above the floor, and fio's against fsbench's, round by round."""
    for name, runs in measured.items():
        costs = [ns(each) for each in runs]
        above = "-"
        if floor_name and name != floor_name:
            above = spread([ns(a) - ns(b) for a, b in zip(runs, measured[floor_name])], 0)
            above += f", {spread([(ns(a) / ns(b) - 1) * 100 for a, b in zip(runs, measured[floor_name])], 0)} %"
        ratio = spread([ns(a) / ns(b) for a, b in zip(runs, measured["fsbench"])])
        rate = spread([each.requests / each.wall / 1e3 for each in runs], 0)
        yield [case, name, spread(costs, 0 if statistics.median(costs) > 200 else 1), above, "1" if name == "fsbench" else ratio, rate]


HEAD = ["case", "program", "CPU-ns per I/O", "above the bare loop, ns, %", "CPU against fsbench", "thousand I/Os per s"]


def measure(results, title, cases, rounds):
    """`cases`: name of a case to its clients and the name of its floor."""
    results.show(f"\n### {title}, {rounds} rounds\n")
    lines = []
    for case, (clients, floor_name) in cases.items():
        measured = interleave(clients, rounds, case)
        results.keep("fio-" + case.replace(" ", "-").replace(",", "").replace("/", "-"), measured)
        lines += rows(case, measured, floor_name)
    results.show(table(HEAD, lines))


def null(results, programs, rounds):
    cases = {}
    for depth in (1, 64):
        for pattern in ("randread", "read"):
            for name, more in (("latencies", []), ("gtod_reduce", ["--gtod_reduce=1"])):
                arguments = ["--ioengine=null", f"--rw={pattern}", f"--iodepth={depth}", *TIMED, *more]
                cases[f"null, depth {depth}, {pattern}, {name}"] = (programs.clients(arguments), None)
    measure(results, "Engine null", cases, rounds)


def cached(results, programs, rounds, places):
    one, many = {}, {}
    for where, path in places.items():
        arguments = [f"--filename={path}", "--rw=randread", "--invalidate=0", *TIMED]
        clients = {BARE: floor(["read", path, SECONDS])} | programs.clients([*arguments, "--ioengine=psync"])
        one[f"psync, {where}"] = read_first(path, clients), BARE
        arguments.append("--ioengine=io_uring")
        for name, kind, more, loop in (
            ("fixed, batch 16", "fixed", BATCH + FIXED, ["-B1", "-F1"]),
            ("batch 16", "plain", BATCH, ["-B0", "-F0"]),
        ):
            clients = {BARE: floor(["ring", path, SECONDS, kind])} | programs.clients([*arguments, *more])
            if programs.loop:
                clients["t/io_uring"] = lambda path=path, loop=loop: bare_loop(programs.loop, path, *loop, "-O0")
            many[f"io_uring, {where}, {name}"] = read_first(path, clients), BARE
        clients = programs.clients([*arguments, "--iodepth=64"])
        many[f"io_uring, {where}, depth 64"] = read_first(path, clients), None
    # The difference is small beside what other work on the machine does to each round.
    measure(results, "psync, 4 KiB random reads of 1 GiB in the page cache", one, rounds * 3)
    measure(results, "io_uring, depth 64, the same", many, rounds)


def read_first(path, clients):
    """Each client after the file was read into the page cache."""
    def after(client):
        def both():
            warm(path)
            return client()
        return both
    return {name: after(client) for name, client in clients.items()}


def direct(results, programs, rounds, path):
    arguments = [f"--filename={path}", "--rw=randread", "--direct=1", *TIMED]
    cases = {}
    for name, more in (("io_uring", []), ("io_uring, fixed, batch 16", BATCH + FIXED), ("libaio", []), ("libaio, batch 16", BATCH)):
        engine = name.split(",")[0]
        clients = {"bare loop, io_uring": floor(["ring", path, SECONDS, "fixed", "direct"])}
        clients |= programs.clients([*arguments, f"--ioengine={engine}", "--iodepth=64", *more])
        cases[f"direct, {name}"] = clients, "bare loop, io_uring"
    measure(results, "4 KiB random reads with O_DIRECT, depth 64", cases, rounds)


@contextlib.contextmanager
def loop_device():
    """ext4 in an image on tmpfs."""
    directory = Path(tempfile.mkdtemp(prefix="fsbench-bench-", dir="/dev/shm"))
    image, mounted = directory / "image", directory / "mounted"
    mounted.mkdir()
    call = lambda *command: subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    try:
        with open(image, "wb") as file:
            file.truncate(GIB)
        call("mkfs.ext4", "-q", "-F", image)
        call("mount", "-o", "loop", image, mounted)
        yield mounted
    finally:
        if mounted.is_mount():
            call("umount", mounted)
        shutil.rmtree(directory)


@contextlib.contextmanager
def tmpfs():
    directory = Path(tempfile.mkdtemp(prefix="fsbench-bench-", dir="/dev/shm"))
    try:
        yield directory
    finally:
        shutil.rmtree(directory)


KINDS = ("create", "stat", "delete")


def names(command, place):
    """Files created, looked at and deleted by three runs; {kind: Measured}."""
    directory = place / "names"
    directory.mkdir()
    arguments = [f"--directory={directory}", f"--nrfiles={FILES}", "--filesize=4k", "--bs=4k", "--fallocate=none"]
    arguments += ["--openfiles=1", "--file_service_type=sequential"]
    measured = {}
    for kind in KINDS:
        # fsbench deletes what it did not make only when told to.
        own = ["--allow-destroy"] if command == FSBENCH and kind == "delete" else []
        measured[kind] = job(command, [f"--ioengine=file{kind}", *arguments, *own])
        if measured[kind].requests != FILES:
            raise SystemExit(f"bench: {command[0]} did {measured[kind].requests} of {FILES} files")
    shutil.rmtree(directory)
    return measured


def bare_names(place, *groups):
    """As mdtest: all operations by one process, or, as the others here, each by one of its own."""
    directory = place / "names"
    directory.mkdir()
    told = {}
    for kinds in groups:
        told |= json.loads(run([*NICE, FLOOR, "names", directory, FILES, *kinds]).out)
    shutil.rmtree(directory)
    return {kind: Measured(FILES, 0, told[kind]["wall_ns"] / 1e9, told[kind]["cpu_ns"] / 1e9) for kind in KINDS}


def files(results, programs, rounds):
    results.show(f"\n### {FILES:,} files created, stat'ed and deleted by one thread, {rounds} rounds\n")
    lines = []
    for where, make in (("tmpfs", tmpfs), ("ext4 on a loop device on tmpfs", loop_device)):
        with make() as place:
            clients = {
                BARE: lambda: bare_names(place, *([kind] for kind in KINDS)),
                "bare loop, one process": lambda: bare_names(place, []),
            }
            clients |= {name: (lambda command=command: names(command, place)) for name, command in programs.commands.items()}
            measured = interleave(clients, rounds, f"files, {where}")
        kept = {f"{name}, {kind}": [each[kind] for each in runs] for name, runs in measured.items() for kind in KINDS}
        results.keep(f"fio-files-{where.split()[0]}", kept)
        for kind in KINDS:
            for name, runs in measured.items():
                rates = [each[kind].extra.get("iops", FILES / each[kind].wall) for each in runs]
                costs = [each[kind].extra.get("job_cpu", each[kind].cpu) / FILES * 1e9 for each in runs]
                bare = [cost / each[kind].cpu * FILES / 1e9 for cost, each in zip(costs, measured[BARE])]
                cells = [spread(rates, 0), spread(costs, 0), "1" if name == BARE else spread(bare)]
                lines.append([where, kind, name, *cells])
    head = ["file system", "operation", "program", "files per s", "CPU-ns of the job per file", "against the bare loop"]
    results.show(table(head, lines))


def first_request(command, arguments, path):
    """ms from exec to the first pread64 of the file, by strace stopping at nothing else (seccomp-bpf)."""
    log = TARGET / "strace.txt"
    trace = ["strace", "-f", "-y", "--seccomp-bpf", "-ttt", "-e", "trace=execve,pread64", "-o", log]
    run([*NICE, *trace, *command, *arguments, "--output-format=json", f"--output={TARGET / 'fio.json'}"], cwd=PLACE)
    times = [(float(line.split()[1]), line) for line in log.read_text().splitlines()]
    begun = next(at for at, line in times if "execve(" in line)
    return (next(at for at, line in times if "pread64(" in line and str(path) in line) - begun) * 1e3


def start(results, programs, path):
    arguments = ["--name=bench", f"--filename={path}", "--rw=randread", "--ioengine=psync", "--invalidate=0", "--bs=4k", "--size=1g", "--number_ios=1"]
    measured = {name: [] for name in programs.commands}
    for number in range(STARTS):
        note(f"start: {number + 1} of {STARTS}")
        for name, command in programs.commands.items():
            ran = run([*NICE, *command, *arguments, "--output-format=json", f"--output={TARGET / 'fio.json'}"], cwd=PLACE)
            first = first_request(command, arguments, path)
            peak = int(run([FLOOR, "rss", *command, *arguments, "--output=/dev/null"], cwd=PLACE).out) / 1024
            measured[name].append({"first_ms": first, "wall_ms": ran.wall * 1e3, "cpu_ms": ran.cpu * 1e3, "rss_mib": peak})
    results.keep("fio-start", measured)
    results.show(f"\n### One request: {STARTS} runs\n")
    keys = ("first_ms", "wall_ms", "cpu_ms", "rss_mib")
    lines = [[name] + [spread([each[key] for each in runs], 1) for key in keys] for name, runs in measured.items()]
    results.show(table(["program", "ms to the first request", "ms of the whole run", "CPU-ms", "peak RSS, MiB"], lines))


def main(results, rounds):
    tools.build()
    subprocess.run(["cc", "-O2", "-o", FLOOR, BENCH / "floor.c"], check=True)
    PLACE.mkdir(exist_ok=True)
    programs = Programs()
    results.show(f"\n## fio: {', '.join(programs.commands)}")
    on_disk, in_memory = data(PLACE), data("/dev/shm")
    try:
        null(results, programs, rounds)
        cached(results, programs, rounds, {"ext4": on_disk, "tmpfs": in_memory})
        direct(results, programs, rounds, on_disk)
        files(results, programs, rounds)
        start(results, programs, on_disk)
    finally:
        in_memory.unlink()
