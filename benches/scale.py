#!/usr/bin/env python3
"""Makes a project of many subjects, audits and files, and times audit on it: benches/scale.py PROGRAM [PROGRAM…]

Each program works on a copy of its own; runs of several alternate. Reports are pages as ncu prints them as CSV, so that no GPU
and no NVIDIA software is needed. Of the runs the fastest is printed, which other load disturbs least."""

import argparse
import csv
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

# A page with every metric of `ncu --set full`, so that snapshots are as large as they are.
FULL = pathlib.Path(__file__).resolve().parent.parent / "tests/fixtures/h200/truth/gemm_bias_v2.raw.csv.zst"


def report(kernel, ns, launches=8):
    """A page of launches around a time."""
    unpacked = subprocess.run(["zstd", "-dc", FULL], check=True, capture_output=True, text=True).stdout
    with io.StringIO(unpacked, newline="") as file:
        head, units, row = list(csv.reader(file))[:3]
    own = [head, units]
    for at in range(launches):
        took = ns * (1 + 0.001 * (at * 7 % 11))
        changed = {"ID": at, "Kernel Name": f"{kernel}(float *, int)", "gpu__time_duration.sum": took,
                   "gpc__cycles_elapsed.max": took * 1.8}
        own.append([changed.get(name, cell) for name, cell in zip(head, row)])
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(own)
    return text.getvalue()


def git(folder, *words):
    name = ["-c", "user.name=n", "-c", "user.email=e@localhost", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"]
    subprocess.run(["git", *name, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def audit(program, folder, *words, day=9):
    """Runs audit on a day of January 2026; gives the seconds and the status."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(1_767_225_600 + day * 86_400)}
    start = time.perf_counter()
    run = subprocess.run([program, *words], cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start, run.returncode


def project(folder, program, files, subjects, milestones):
    """The project with its audits, committed."""
    (folder / "profiles").mkdir(parents=True)
    for at in range(files):
        place = folder / "files" / str(at // 500)
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{at}.cu").write_text(f"// {at}\n")
    stated = ['[audit]\nout = "audits"\ncharts = false\n']
    for at in range(subjects):
        stated.append(f'[[subject]]\nname = "k{at}"\nreport = "profiles/k{at}.csv"\n[subject.collect]\ninputs = ["files/0/{at}.cu"]\n')
    (folder / "audit.toml").write_text("".join(stated))
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "files")
    for milestone in range(milestones):
        for at in range(subjects):
            (folder / "profiles" / f"k{at}.csv").write_text(report(f"k{at}", 100_000 - 1000 * milestone + at))
        took, status = audit(program, folder, "generate", day=milestone + 1)
        print(f"generate of all {subjects}, milestone {milestone + 1}: {took:.2f} s, status {status}", file=sys.stderr)
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", f"milestone {milestone + 1}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--files", type=int, default=33_000)
    parser.add_argument("--subjects", type=int, default=300)
    parser.add_argument("--milestones", type=int, default=4)
    parser.add_argument("--runs", type=int, default=5)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folders = []
        for at, program in enumerate(words.programs):
            folder = pathlib.Path(place) / str(at)
            project(folder, os.path.abspath(shutil.which(program) or program), words.files, words.subjects, words.milestones)
            folders.append(folder)
        calls = {"generate one": ["generate", "k7"], "check all": ["check"], "check one": ["check", "k7"],
                 "history one": ["history", "k7"], "lint": ["lint"]}
        for name, call in calls.items():
            all_runs = [[] for _ in folders]
            for _ in range(words.runs):
                for at, (program, folder) in enumerate(zip(words.programs, folders)):
                    all_runs[at].append(audit(program, folder, *call)[0])
            print(f"{name}: " + ", ".join(f"{1000 * min(runs):.0f} ms" for runs in all_runs))


if __name__ == "__main__":
    main()
