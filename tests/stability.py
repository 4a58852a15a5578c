#!/usr/bin/env python3
"""What the page says of each of many collections of one launch, as rows of tests/fixtures/stability.tsv.

    tests/stability.py AUDIT LEASE/KERNEL.NUMBER.ncu-rep... > tests/fixtures/stability.tsv

A report is one collection: `ncu` with the command that `audit collect KERNEL --dry-run` prints, in a process of its own.
"""
import json
import pathlib
import subprocess
import sys

audit, *reports = sys.argv[1:]
print("kernel\tlease\tlimiter\tfirst row")
for report in sorted(map(pathlib.Path, reports), key=lambda path: (path.name.split(".")[0], path.parent.name, path.name)):
    run = subprocess.run([audit, "dump", "analysis", report], check=True, capture_output=True)
    (launch,) = json.loads(run.stdout)["launches"]
    first = next((row["code"] for row in launch["levers"] if row["origin"] == "audit"), "none")
    print(launch["name"], report.parent.name, launch["verdict"]["limiter"], first, sep="\t")
