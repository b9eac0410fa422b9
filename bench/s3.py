"""S3: fsbench, object_store and the AWS SDK for Rust, on versitygw and on a server that does nothing.

All clients have 8 connections and work on the same keys. fsbench is charged for its whole process, its peers only for
their loop. Where an operation is more than one request (to fsbench, opening a file is a HEAD), the peers send the same
requests, and costs are given for each 10,000 requests.
"""

import os
import subprocess

import tools
from tools import PEERS, Servers, interleave, ratios, spread, table

CONNECTIONS = 8
KIB4 = 4096
MIB8 = 8 << 20

# Operations of each client in one round: (versitygw, null server).
# The gateway takes a millisecond for part of an object, a tenth of it for a whole one: ranges are the null server's.
COUNTS = {"put-4k": (8_000, 80_000), "open-4k": (8_000, 40_000), "range-4k": (None, 80_000),
          "put-8m": (256, 512), "get-8m": (256, 512)}


class Place:
    """A server and a bucket, and the environment in which all clients find them."""

    def __init__(self, endpoint, bucket, prefix, keys):
        self.bucket, self.prefix = bucket, prefix
        self.stores = bool(prefix)
        aws = {"AWS_ENDPOINT_URL": endpoint, "AWS_ENDPOINT": endpoint, "AWS_REGION": "us-east-1",
               "AWS_ACCESS_KEY_ID": keys[0], "AWS_SECRET_ACCESS_KEY": keys[1]}
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")} | aws

    def keys(self, workload, size):
        """The prefix of a workload. The null server reads the object's size out of it."""
        return f"{self.prefix}{workload}/size-{size}"

    def fsbench(self, operation, workload, size, iterations, **flags):
        base = f"s3://{self.bucket}/{self.keys(workload, size)}"
        return tools.fsbench(operation, base, CONNECTIONS, iterations, self.env, file_size=size, overwrite="true", **flags)

    def peer(self, program, operation, size, count, keys, variant=""):
        command = [PEERS / program, operation, size, count, CONNECTIONS, self.bucket, keys, variant]
        return tools.peer(command, self.env)


def clients(place, workload, count):
    """The clients of a workload, by name; fsbench first."""
    each = count // CONNECTIONS
    if workload.startswith("put"):
        size = KIB4 if workload == "put-4k" else MIB8
        keys = place.keys(workload, size)
        write = lambda content: lambda: place.fsbench(
            "create_write", workload, size, each, buffer_size=size, part_size=2 * MIB8, content=content)
        return {"fsbench, pattern": write("pattern"), "fsbench, random": write("random"), **peers(place, "put", size, count, keys)}
    if workload == "range-4k":
        size = KIB4 * each
        keys = place.keys(workload, size)
        read = lambda: place.fsbench("open_read", workload, size, 1, buffer_size=KIB4)
        return {"fsbench": read, **peers(place, "range", KIB4, count, keys)}
    size, operation = (KIB4, "open") if workload == "open-4k" else (MIB8, "get")
    keys = place.keys(workload, size)
    read = lambda **flags: lambda: place.fsbench("open_read", workload, size, each, buffer_size=size, **flags)
    named = {"fsbench": read()}
    if place.stores and workload == "get-8m":
        named["fsbench, verifying"] = read(verify="true")
    named |= peers(place, operation, size, count, keys)
    if workload == "get-8m":
        named["object_store, bytes()"] = lambda: place.peer("object-store-peer", "get-bytes", size, count, keys)
    else:
        named["object_store, plain GET"] = lambda: place.peer("object-store-peer", "get", size, count, keys)
    return named


def peers(place, operation, size, count, keys):
    sdk = lambda variant: lambda: place.peer("aws-sdk-peer", operation, size, count, keys, variant)
    return {
        "object_store": lambda: place.peer("object-store-peer", operation, size, count, keys),
        "AWS SDK, default": sdk("default"),
        "AWS SDK, tuned": sdk("tuned"),
        "floor, blocking sockets": lambda: place.peer("floor-peer", operation, size, count, keys, "blocking"),
        "floor, tokio": lambda: place.peer("floor-peer", operation, size, count, keys, "tokio"),
    }


def prepare(place, workload, count):
    """Makes the objects that a workload reads."""
    if not place.stores or workload.startswith("put"):
        return
    size = {"open-4k": KIB4, "range-4k": KIB4 * (count // CONNECTIONS), "get-8m": MIB8}[workload]
    place.fsbench("create_write", workload, size, 1, part_size=64 << 20)


def report(results, workload, measured):
    """One table: what each client cost, and how many times fsbench's cost and rate that is, round by round."""
    large = workload.endswith("8m")
    cost = (lambda m: m.cpu_per_gb) if large else (lambda m: m.cpu_per_10k)
    rate = (lambda m: m.mb_per_s) if large else (lambda m: m.requests_per_s)
    first = next(iter(measured))
    rows = []
    for name, rounds in measured.items():
        mine = name == first
        rows.append([
            name,
            spread(map(rate, rounds), 0),
            spread(map(cost, rounds), 3),
            "1" if mine else spread(ratios(measured, name, first, cost)),
            "1" if mine else spread(ratios(measured, first, name, rate)),
        ])
    head = ["client", "MB/s" if large else "requests/s", "CPU-s per GB" if large else "CPU-s per 10,000 requests",
            "CPU against fsbench", "rate of fsbench against it"]
    results.show(table(head, rows))


TITLES = {
    "put-4k": "PUT of 4 KiB", "open-4k": "HEAD and GET of a 4 KiB object (open_read)",
    "range-4k": "GET of 4 KiB ranges", "put-8m": "PUT of 8 MiB", "get-8m": "GET of 8 MiB",
}


def compare(results, place, server, which, rounds):
    results.show(f"\n## S3, {server}, {CONNECTIONS} connections, {rounds} rounds")
    for workload, counts in COUNTS.items():
        count = counts[which]
        if count is None:
            continue
        prepare(place, workload, count)
        measured = interleave(clients(place, workload, count), rounds, f"{server}, {workload}")
        results.keep(f"s3-{server.split()[0]}-{workload}", measured)
        results.show(f"\n### {TITLES[workload]} ({count:,} in each round)\n")
        report(results, workload, measured)


def null_server():
    """The null server and its port."""
    server = subprocess.Popen([PEERS / "null-server"], stdout=subprocess.PIPE, text=True)
    return server, int(server.stdout.readline())


def on_null_server(results, rounds):
    server, port = null_server()
    try:
        place = Place(f"http://127.0.0.1:{port}", "null", "", ("null", "null"))
        compare(results, place, "null server", 1, rounds)
    finally:
        server.terminate()
        server.wait()


def on_versitygw(results, rounds):
    """The real server alone, which is where the goals are; a part of its own because the whole takes long."""
    tools.build("object-store-peer", "aws-sdk-peer", "floor-peer")
    with Servers("s3") as servers:
        env = servers.env
        keys = (env["FSBENCH_TEST_S3_ACCESS_KEY"], env["FSBENCH_TEST_S3_SECRET_KEY"])
        place = Place(env["FSBENCH_TEST_S3_ENDPOINT"], env["FSBENCH_TEST_S3_BUCKET"], "bench/", keys)
        compare(results, place, "versitygw", 0, rounds)


def main(results, rounds):
    tools.build("object-store-peer", "aws-sdk-peer", "floor-peer", "null-server")
    on_null_server(results, rounds)
    on_versitygw(results, rounds)
