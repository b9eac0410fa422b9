"""What all parts of the bench share: running a program and counting its CPU, fsbench's Record, servers, tables."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
TARGET = BENCH / "target"
FSBENCH = Path(os.environ.get("FSBENCH", ROOT / "target/release/fsbench"))
PEERS = TARGET / "release"


def say(text=""):
    print(text, flush=True)


def note(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def build(*packages):
    """fsbench as it is shipped, and those peers."""
    if "FSBENCH" not in os.environ:
        subprocess.run(["cargo", "build", "--release", "-p", "fsbench"], cwd=ROOT, check=True)
    if packages:
        names = [arg for package in packages for arg in ("-p", package)]
        subprocess.run(["cargo", "build", "--release", "--manifest-path", BENCH / "Cargo.toml", *names], check=True)


@dataclass
class Ran:
    """A program that ended well: what it printed, and what it cost from its start to its end."""

    out: str
    wall: float
    cpu: float
    user: float
    system: float
    peak_rss: int


def run(command, env=None, cwd=None):
    """Runs a program; CPU is getrusage of that child alone (wait4)."""
    # Files without a name: two benches may run at once.
    with tempfile.TemporaryFile("w+", dir=TARGET) as out, tempfile.TemporaryFile("w+", dir=TARGET) as err:
        start = time.monotonic()
        child = subprocess.Popen([str(part) for part in command], stdout=out, stderr=err, env=env, cwd=cwd)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            err.seek(0)
            out.seek(0)
            raise SystemExit(f"bench: {' '.join(map(str, command))}\nended with {child.returncode}:\n{err.read()}\n{out.read()[-2000:]}")
        out.seek(0)
        cpu = usage.ru_utime + usage.ru_stime
        return Ran(out.read(), wall, cpu, usage.ru_utime, usage.ru_stime, usage.ru_maxrss * 1024)


def remote(operation, base, threads, iterations, env=None, **flags):
    """The command line of one fsbench run, and where its Record goes."""
    record = TARGET / "record.json"
    command = [FSBENCH, "remote", f"--operation={operation}", f"--threads={threads}", f"--iterations={iterations}"]
    if base:
        command.append(f"--base_dir={base}")
    command += ["--quiet", f"--record={record}"]
    command += [f"--{name}={value}" for name, value in ({"repetitions": 1} | flags).items()]
    return command, record


@dataclass
class Measured:
    """One client's part of one round."""

    requests: int
    bytes: int
    wall: float
    cpu: float
    extra: dict = field(default_factory=dict)

    @property
    def cpu_per_10k(self):
        return self.cpu / self.requests * 10_000

    @property
    def cpu_per_gb(self):
        return self.cpu / self.bytes * 1e9

    @property
    def requests_per_s(self):
        return self.requests / self.wall

    @property
    def mb_per_s(self):
        return self.bytes / self.wall / 1e6


def fsbench(operation, base, threads, iterations, env=None, requests_of="request", **flags):
    """Runs fsbench. Wall time is the measured repetition's; CPU is the whole process', from exec to exit."""
    command, record = remote(operation, base, threads, iterations, **flags)
    ran = run(command, env)
    repetition = json.loads(record.read_text())["phases"][0]["repetitions"][0]
    if repetition["failed"]:
        raise SystemExit(f"bench: fsbench had errors: {repetition['errors']}")
    kinds = repetition["kinds"]
    requests = kinds.get(requests_of, kinds["operation"])["count"]
    own = (repetition["resources"]["user_ns"] + repetition["resources"]["system_ns"]) / 1e9
    extra = {"cpu_of_repetition": own, "process_wall": ran.wall, "peak_rss": ran.peak_rss}
    return Measured(requests, repetition["bytes"], repetition["elapsed_ns"] / 1e9, ran.cpu, extra)


def peer(command, env=None):
    """Runs a peer that prints one line of JSON about its loop; CPU and wall time are the loop's alone."""
    ran = run(command, env)
    told = json.loads(ran.out.strip().splitlines()[-1])
    extra = {"cpu_of_process": ran.cpu, "process_wall": ran.wall, "peak_rss": ran.peak_rss}
    return Measured(told["requests"], told["bytes"], told["wall_ns"] / 1e9, told["cpu_ns"] / 1e9, extra)


def interleave(clients, rounds, label):
    """Each client once in each round, in an order that turns; `{client: [Measured of each round]}`."""
    results = {name: [] for name in clients}
    names = list(clients)
    for number in range(rounds):
        turned = names[number % len(names):] + names[:number % len(names)]
        for name in turned:
            note(f"{label}: round {number + 1} of {rounds}: {name}")
            results[name].append(clients[name]())
    return results


def spread(values, digits=2):
    """Median and range: `0.34 (0.33-0.36)`."""
    values = [value for value in values if value is not None]
    if not values:
        return "-"
    show = lambda value: f"{value:,.{digits}f}"
    return f"{show(statistics.median(values))} ({show(min(values))}-{show(max(values))})"


def ratios(results, of, to, value):
    """`value` of one client over that of another, round by round."""
    return [value(a) / value(b) for a, b in zip(results[of], results[to])]


def table(head, rows):
    """A Markdown table with aligned columns."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    line = lambda row: "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
    return "\n".join([line(head), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(line, rows)])


def machine():
    """What the figures were taken on."""
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    memory = int(next(line.split()[1] for line in open("/proc/meminfo") if line.startswith("MemTotal"))) >> 20
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    uname = os.uname()
    return f"{cpu}, {os.cpu_count()} CPUs, {memory} GiB, {uname.sysname} {uname.release}, load average {load}, {time.strftime('%Y-%m-%d %H:%M')}"


class Servers:
    """Test servers of xtask for the time of a `with`: the bench's own, with the full JIT, apart from those of tests."""

    def __init__(self, *names):
        self.names = names
        self.env = {}

    def xtask(self, *args):
        env = os.environ | {"FSBENCH_JVM_FULL": "1", "FSBENCH_SERVERS": str(TARGET / "servers")}
        command = ["cargo", "xtask", "servers", *args]
        return subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout

    def __enter__(self):
        try:
            note(self.xtask("start", *self.names).rstrip())
        except BaseException:
            self.__exit__()
            raise
        for line in self.xtask("env", *self.names).splitlines():
            name, value = line.removeprefix("export ").split("=", 1)
            self.env[name] = value.strip("'")
        return self

    def __exit__(self, *_):
        self.xtask("stop", *self.names, "--wipe")


class Results:
    """Everything printed and measured, kept in a directory of its own below bench/results/."""

    def __init__(self):
        self.directory = BENCH / "results" / time.strftime("%Y%m%d-%H%M%S")
        self.directory.mkdir(parents=True)

    def show(self, text):
        say(text)
        with open(self.directory / "report.md", "a") as report:
            report.write(text + "\n")

    def keep(self, name, results):
        plain = {client: [vars(m) if isinstance(m, Measured) else m for m in rounds] for client, rounds in results.items()}
        (self.directory / f"{name}.json").write_text(json.dumps(plain, indent=1))
