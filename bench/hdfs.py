"""HDFS: fsbench beside TestDFSIO (MapReduce's local job runner) and beside Hadoop's client in a warm JVM.

fsbench is charged for its whole process. TestDFSIO is charged for its whole JVM, as its users are; HdfsPeer.java only
for its loops, after a warm-up of the same length. All write with buffers of 1,000,000 bytes, without hsync.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import tools
from tools import BENCH, TARGET, Measured, Servers, interleave, note, ratios, spread, table

VERSION = "3.4.2"
MIB = 1 << 20
SIZE = 256 * MIB
FILES = 4
BUFFER = 1_000_000
ENTRIES = 1000
CALLS = {"exists": 40_000, "list": 800}


def jars():
    """TestDFSIO's class path, by Maven, once for all clones."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fsbench"
    done, partial = cache / f"mapreduce-{VERSION}", cache / f"mapreduce-{VERSION}.partial"
    if not done.is_dir():
        note("downloading MapReduce's jars through Maven (once)")
        shutil.rmtree(partial, ignore_errors=True)
        for pom in ("mapreduce", "tests"):
            command = ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime"]
            command += ["-f", BENCH / f"hdfs/pom-{pom}.xml", f"-DoutputDirectory={partial}"]
            subprocess.run(command, check=True)
        partial.rename(done)
    return done


class Java:
    """How Java programs are run against the server."""

    def __init__(self, conf, uri):
        self.uri = uri
        classes = TARGET / "java"
        classes.mkdir(exist_ok=True)
        # The bench's own: the server's has its log levels, and a log4j.properties for daemons.
        own = TARGET / "hadoop-conf"
        own.mkdir(exist_ok=True)
        for name in ("core-site.xml", "hdfs-site.xml"):
            shutil.copy(Path(conf) / name, own)
        (own / "log4j.properties").write_text(
            "log4j.rootLogger=INFO,A\nlog4j.appender.A=org.apache.log4j.ConsoleAppender\n"
            "log4j.appender.A.target=System.err\nlog4j.appender.A.layout=org.apache.log4j.PatternLayout\n"
            "log4j.appender.A.layout.ConversionPattern=%d %p %c: %m%n\n")
        subprocess.run(["javac", "-cp", f"{jars()}/*", "-d", classes, BENCH / "hdfs/HdfsPeer.java"], check=True)
        opens = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in ("lang", "util", "io")]
        self.java = ["java", "-Xmx2g", *opens, "-cp", f"{own}:{classes}:{jars()}/*"]
        self.env = os.environ | {"HADOOP_USER_NAME": "root"}

    def peer(self, operation, base, threads, iterations, size=0, warm_up=None):
        more = [] if warm_up is None else [warm_up]
        command = [*self.java, "HdfsPeer", operation, f"{self.uri}{base}", threads, iterations, size, BUFFER, *more]
        return tools.peer(command, self.env)

    def dfsio(self, operation, parallel):
        """TestDFSIO on FILES files; its Throughput is that of one task, so that all together have so many times that."""
        log = TARGET / "TestDFSIO.log"
        log.unlink(missing_ok=True)
        settings = {"mapreduce.framework.name": "local", "mapreduce.local.map.tasks.maximum": parallel,
                    "hadoop.tmp.dir": TARGET / "hadoop-tmp", "test.build.data": "/bench/dfsio",
                    "dfs.client.block.write.locateFollowingBlock.initial.delay.ms": 5,
                    "dfs.client.block.write.locateFollowingBlock.retries": 10}
        flags = [f"-D{name}={value}" for name, value in settings.items()]
        command = [*self.java, "org.apache.hadoop.fs.TestDFSIO", *flags]
        command += [f"-{operation}", "-nrFiles", FILES, "-size", f"{SIZE // MIB}MB", "-bufferSize", BUFFER, "-resFile", log]
        ran = tools.run(command, self.env, cwd=TARGET)
        throughput = float(re.search(r"Throughput mb/sec:\s+([\d.]+)", log.read_text()).group(1))
        rate = throughput * MIB * parallel
        extra = {"process_wall": ran.wall, "peak_rss": ran.peak_rss, "throughput": throughput}
        return Measured(FILES, FILES * SIZE, FILES * SIZE / rate, ran.cpu, extra)


def transfers(results, java, uri, env, rounds):
    results.show(f"\n## HDFS, {FILES} files x {SIZE // MIB} MiB, {rounds} rounds\n")
    rows = []
    for threads in (1, FILES):
        for operation, verb in (("create_write", "write"), ("open_read", "read")):
            each = FILES // threads
            ours = lambda **flags: lambda: tools.fsbench(
                operation, f"{uri}/bench/fsbench", threads, each, env, file_size=SIZE, buffer_size=BUFFER, **flags)
            clients = {"fsbench": ours(sync="false")}
            if verb == "write":
                clients["fsbench, content=pattern"] = ours(sync="false", content="pattern")
                clients["fsbench, sync as by default"] = ours()
            else:
                # Reads find the whole files that the writes of the same number of threads have left.
                clients["fsbench, prefetch_read"] = lambda: tools.fsbench(
                    "prefetch_read", f"{uri}/bench/fsbench", threads, each, env, file_size=SIZE)
            clients["TestDFSIO"] = lambda: java.dfsio(verb, threads)
            clients["Java client, warm"] = lambda: java.peer(verb, "/bench/java", threads, each, SIZE)
            measured = interleave(clients, rounds, f"hdfs, {verb}, {threads} threads")
            results.keep(f"hdfs-{verb}-{threads}", measured)
            rows += compare(measured, f"{verb}, {threads}", lambda m: m.mb_per_s, lambda m: m.cpu_per_gb, (0, 2))
    head = ["operation, threads", "client", "MB/s", "CPU-s per GB", "CPU against fsbench", "rate of fsbench against it"]
    results.show(table(head, rows))


def compare(measured, label, rate, cost, digits):
    first = next(iter(measured))
    rows = []
    for name, rounds in measured.items():
        against = ["1", "1"]
        if name != first:
            against = [spread(ratios(measured, name, first, cost)), spread(ratios(measured, first, name, rate))]
        rows.append([label, name, spread(map(rate, rounds), digits[0]), spread(map(cost, rounds), digits[1]), *against])
    return rows


def calls(results, java, uri, env, rounds):
    results.show(f"\n## HDFS, calls to the NameNode, {rounds} rounds (a listing has {ENTRIES} entries)\n")
    tools.fsbench("create_write", f"{uri}/bench/few", FILES, 1, env, file_size=1)
    java.peer("make", "/bench/many", 1, 1, ENTRIES, warm_up=0)
    rows = []
    for operation, directory in (("exists", "few"), ("list", "many")):
        for threads in (1, FILES):
            each = CALLS[operation] // threads
            clients = {
                "fsbench": lambda: tools.fsbench(operation, f"{uri}/bench/{directory}", threads, each, env),
                "Java client, warm": lambda: java.peer(operation, f"/bench/{directory}", threads, each),
            }
            measured = interleave(clients, rounds, f"hdfs, {operation}, {threads} threads")
            results.keep(f"hdfs-{operation}-{threads}", measured)
            rate = lambda m: CALLS[operation] / m.wall
            cost = lambda m: m.cpu / CALLS[operation] * 10_000
            rows += compare(measured, f"{operation}, {threads}", rate, cost, (0, 2))
    head = ["operation, threads", "client", "calls/s", "CPU-s per 10,000 calls", "CPU against fsbench", "rate of fsbench against it"]
    results.show(table(head, rows))


def first_byte(results, uri, env, times=20):
    """From the command to the first byte: a whole process that opens and reads a file of one byte."""
    results.show(f"\n## HDFS, from command to first byte, {times} runs\n")
    tools.fsbench("create_write", f"{uri}/bench/one", 1, 1, env, file_size=1)
    runs = [tools.fsbench("open_read", f"{uri}/bench/one", 1, 1, env).extra["process_wall"] * 1e3 for _ in range(times)]
    results.keep("hdfs-first-byte", {"fsbench": runs})
    results.show(table(["what", "ms"], [["whole process: start, connect, open, read 1 byte, report, end", spread(runs, 1)]]))


def main(results, rounds):
    tools.build()
    jars()
    with Servers("hdfs") as servers:
        uri = servers.env["FSBENCH_TEST_HDFS"]
        env = os.environ | {"HADOOP_USER_NAME": "root", "HADOOP_CONF_DIR": servers.env["FSBENCH_TEST_HDFS_CONF"]}
        java = Java(servers.env["FSBENCH_TEST_HDFS_CONF"], uri)
        first_byte(results, uri, env)
        calls(results, java, uri, env, rounds)
        transfers(results, java, uri, env, rounds)
