#!/usr/bin/env python3
"""The questions of docs/guide/fleet.md over generated snapshots whose answers are known.

    tests/fleet.py                      with DuckDB over 1,000 snapshots, in a temporary folder
    tests/fleet.py --make N FOLDER      only writes N snapshots into FOLDER

A generated snapshot has the keys of a committed one and its readings; subject, date, device, time, limiter, levers and
sanitizers are made up. Needs duckdb (tests/python.sh).
"""
import datetime
import json
import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GPUS = ["NVIDIA H200", "NVIDIA B200"]
LIMITERS = ["memory-bound", "latency-bound", "compute-bound"]
AUDITS = 10


def template():
    """The evidence of a committed snapshot, with a few of its readings."""
    snapshot = json.loads(min((ROOT / "kernels/audits").glob("*stream_triad.json")).read_text())
    readings = snapshot["evidence"]["readings"]
    snapshot["evidence"] = {"readings": {k: v[:40] if isinstance(v, list) else {"median": v["median"][:40]} for k, v in readings.items()
                                         if k in ("metric", "unit", "new")},
                            "new": {key: snapshot["evidence"]["new"][key] for key in ("work", "profile", "sanitizer")}}
    return snapshot


def make(count, folder):
    """`count` snapshots: kernels of ten audits each, ten kernels to a repository.

    Every tenth kernel gets 10 % slower in its last audit, of November 2026; every other pulls the lever `uncoalesced` in its
    second audit and gains 20 % of a bound of 25 %; every fifth never had a sanitizer; every seventh audit has no time.
    """
    base = template()
    runs = base["evidence"]["new"]["sanitizer"]
    assert runs, "the committed snapshot has no sanitizer"
    for kernel in range(count // AUDITS):
        audits = folder / f"repository-{kernel // 10:05}" / "audits"
        audits.mkdir(parents=True, exist_ok=True)
        ns = 1e5 * (1 + kernel % 13)
        for nth in range(AUDITS):
            date = datetime.date(2026, 1 + nth, 5) if nth < AUDITS - 1 else datetime.date(2026, 11, 5)
            if nth == 1 and kernel % 2 == 0:
                ns *= 0.8
            if nth == AUDITS - 1 and kernel % 10 == 0:
                ns *= 1.1
            pulls = nth == 0 and kernel % 2 == 0
            subject = f"kernel-{kernel:05}"
            base["heading"].update(subject=subject, date=str(date))
            has_time = (kernel + nth) % 7 != 3 or nth in (0, 1, AUDITS - 2, AUDITS - 1)
            time = {"value": ns, "unit": "ns", "metrics": ["gpu__time_duration.sum"]} if has_time else {"missing": "not-collected"}
            base["milestone"].update(date=str(date), time=time, limiter=LIMITERS[kernel % 3], change="the lever" if nth == 1 else "",
                                     verdict="slower" if nth == AUDITS - 1 and kernel % 10 == 0 else None,
                                     levers=[{"code": "uncoalesced", "bound": 25.0}] * pulls + [{"code": "occupancy", "bound": 5.0}])
            new = base["evidence"]["new"]
            new["profile"]["device"]["name"] = GPUS[kernel % 2]
            new["sanitizer"] = [] if kernel % 5 == 0 else [{**runs[0], "not_measured": "stopped"}] if nth else runs
            (audits / f"{date}-{subject}.json").write_text(json.dumps(base))


def queries():
    """The blocks of SQL of the guide, by the heading above them."""
    page = (ROOT / "docs/guide/fleet.md").read_text()
    found, heading = {}, ""
    for part in re.findall(r"^#+ ([^\n]*)$|^```sql\n(.*?)^```$", page, re.M | re.S):
        if part[0]:
            heading = part[0]
        else:
            found[heading] = part[1]
    return found


def ask(folder):
    import duckdb

    os.chdir(folder)
    connection = duckdb.connect()
    asked = queries()
    connection.execute(asked.pop("Questions over all audits"))
    answers = {heading: connection.execute(sql).fetchall() for heading, sql in asked.items()}
    # Read once into a table, they are the same.
    for sql in re.findall(r'duckdb.sql\("(.*?)"\)', (ROOT / "docs/guide/fleet.md").read_text()):
        connection.execute(sql)
    # Rows that tie stand in any order.
    for heading, sql in asked.items():
        assert sorted(map(repr, answers[heading])) == sorted(map(repr, connection.execute(sql).fetchall())), heading
    return answers


def main():
    if sys.argv[1:2] == ["--make"]:
        return make(int(sys.argv[2]), Path(sys.argv[3]))
    with tempfile.TemporaryDirectory() as folder:
        make(1000, Path(folder))
        slower, limits, levers, unchecked = ask(folder).values()
        # Found again by hand from what make() says.
        assert sorted(row[2] for row in slower) == [f"kernel-{10 * n:05}" for n in range(10)], slower
        assert {row[5] for row in slower} == {10.0} and {row[6] for row in slower} == {"slower"}, slower
        assert sum(row[2] for row in limits) == 100 and ("NVIDIA H200", "memory-bound", 17) in limits, limits
        assert levers == [("uncoalesced", 50, 25.0, 20.0, 0)], levers
        assert [row[1] for row in unchecked] == [f"kernel-{n:05}" for n in range(0, 100, 5)], unchecked
    print("fleet: 4 questions over 1,000 snapshots, each with its answer")


main()
