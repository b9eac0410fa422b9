"""bench/run.sh's main: which parts to run, and the report's frame."""

import argparse
import subprocess

import fio
import hdfs
import memory
import null
import s3
from tools import ROOT, TARGET, Results, machine

PARTS = {"s3": s3.main, "hdfs": hdfs.main, "null": null.main, "fio": fio.main, "memory": memory.main}
# Parts of parts, which `all` need not run again.
PIECES = {"s3-versitygw": s3.on_versitygw}


def main():
    parser = argparse.ArgumentParser(prog="bench/run.sh", description="fsbench beside its peers, on this machine")
    parser.add_argument("part", nargs="?", default="all", choices=[*PARTS, *PIECES, "all"])
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds of each comparison")
    options = parser.parse_args()
    TARGET.mkdir(exist_ok=True)
    results = Results()
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True).stdout
    results.show(f"# bench of fsbench {commit.strip()}\n\n{machine()}\n")
    for name, part in (PARTS | PIECES).items():
        if options.part == name or (options.part == "all" and name in PARTS):
            part(results, options.rounds)
    results.show(f"\nEnd: {machine()}\nRaw results: {results.directory.relative_to(ROOT)}")


main()
