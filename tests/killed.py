#!/usr/bin/env python3
"""Ends runs of audit at random moments and looks at what they leave: pages, snapshots, acceptances, evidence and the index.

    tests/killed.py [--kills 300] [--seed 1] [--program target/debug/audit]

`generate`, `check --accept` and `collect` in turn are ended by SIGKILL at a random moment of the time that the last whole
one took, until so many of them were under way when they were ended. Behind each the prose on every page, every acceptance
and every evidence folder must be whole, no file may be a part of one, and the next run must end well, with a page, a
snapshot and a row of the index for every audit and no file of the ended run.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",'
    '"device__attribute_display_name","gpu__time_duration.sum","gpc__cycles_elapsed.max"\n'
    '"","","","","","","","","","","","","ns","cycle"\n'
)
NCU = """#!/bin/sh
[ "$1" = --version ] && { echo 'Version 2025.3.1.0 (build 1)'; exit 0; }
while [ $# -gt 0 ]; do [ "$1" = --export ] && out=$2; shift; done
cp REPORT "$out"
echo '==PROF== Profiling "stream_triad" - 0: 0%....50%....100% - 17 passes'
"""
SANITIZER = """#!/bin/sh
[ "$1" = --version ] && { echo 'Version 2025.3.1'; exit 0; }
while [ $# -gt 0 ]; do [ "$1" = --save ] && out=$2; shift; done
printf '<?xml version="1.0" encoding="utf-8"?>\\n<ComputeSanitizerOutput/>\\n' > "$out"
echo '========= COMPUTE-SANITIZER'
echo '========= ERROR SUMMARY: 0 errors'
"""


def rows(name, ns):
    """Twenty launches of a time."""
    cells = '"{}","7","app","127.0.0.1","{}","1","7","(128, 1, 1)","(64, 1, 1)","0","9.0","NVIDIA H200","{}","{}"\n'
    times = [ns * (1 + 0.001 * (at * 7 % 11)) for at in range(20)]
    return HEADER + "".join(cells.format(at, name, ns, 1.8 * ns) for at, ns in enumerate(times))


class Project:
    """A project of two audited subjects, and one that is collected with small scripts for NVIDIA's tools."""

    def __init__(self, folder, program, seed):
        self.folder, self.program, self.random = folder, program, random.Random(seed)
        self.day, self.took, self.prose, self.reasons = 0, {}, {}, []
        config = "[tools]\nncu = \"tools/ncu\"\ncompute-sanitizer = \"tools/compute-sanitizer\"\n"
        for name in ("one", "two"):
            config += f'[[subject]]\nname = "{name}"\nreport = "{name}.csv"\n'
        config += '[[subject]]\nname = "triad"\nkernel = "^stream_triad$"\nrun = ["./program"]\nprefix = ["tools/srun"]\n'
        (folder / "audit.toml").write_text(config)
        report = ROOT / "tests/fixtures/labelled/stream_triad.ncu-repz"
        (folder / "tools").mkdir()
        for name, text in (
            ("tools/ncu", NCU.replace("REPORT", str(report))),
            ("tools/compute-sanitizer", SANITIZER),
            ("tools/srun", "#!/bin/sh\nexec \"$@\"\n"),
            ("program", "#!/bin/sh\n"),
        ):
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        self.profile()
        self.whole("generate", "one", "two")
        self.whole("collect", "triad")

    def profile(self):
        """The reports of another day."""
        self.day += 1
        for name in ("one", "two"):
            slower = 1.3 if self.day % 2 == 0 else 1.0
            (self.folder / f"{name}.csv").write_text(rows(name, slower * (100_000 + 10 * self.random.random())))

    def run(self, words, ended_after=None):
        """A run, ended after some seconds where that is given; its status, negative for a signal, and what it said."""
        environment = dict(os.environ, SOURCE_DATE_EPOCH=str(1_767_225_600 + 86_400 * self.day))
        start = time.monotonic()
        run = subprocess.Popen(
            [self.program, *words],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        if ended_after is not None:
            time.sleep(ended_after)
            run.kill()
        said, _ = run.communicate(timeout=120)
        if ended_after is None:
            self.took[words[0]] = time.monotonic() - start
        return run.returncode, said

    def whole(self, *words, of=(0,)):
        status, said = self.run(words)
        assert status in of, f"{' '.join(words)} ended with {status}:\n{said}"

    def ended(self, *words):
        """A run that was ended; the part of its time after which that was, `None` where it was through before."""
        part = self.random.random()
        status, _ = self.run(words, part * self.took[words[0]])
        return part if status == -signal.SIGKILL else None

    def audits(self, ending):
        return sorted(path for path in (self.folder / "audits").glob(f"*{ending}") if path.name[:2] == "20")

    def look(self, is_mended):
        """Holds what is there against what was written; after a run that was not ended, page against snapshot as well."""
        for path, prose in self.prose.items():
            assert prose in path.read_text(), f"{path.name} lost its prose"
        for path in self.audits(".json"):
            json.loads(path.read_text())
        for path in self.audits(".md"):
            text = path.read_text()
            begun, ended = text.count("<!-- audit:begin "), text.count("<!-- audit:end ")
            assert begun == ended > 0, f"{path.name} is a part of a page"
        notes = "".join(path.read_text() for path in (self.folder / "audits").glob("*.accepted.toml"))
        tomllib.loads(notes) if notes.count("version") == 1 else None
        for reason in self.reasons:
            assert reason in notes, f"the acceptance {reason!r} is gone"
        manifest = json.loads((self.folder / "collected/triad/collected.json").read_text())
        assert manifest["steps"], "the evidence lost its steps"
        if not is_mended:
            return
        pages, snapshots = [{path.stem for path in self.audits(ending)} for ending in (".md", ".json")]
        assert pages == snapshots, f"pages without a snapshot or the other way: {pages ^ snapshots}"
        index = (self.folder / "audits/README.md").read_text()
        for name in ("one", "two"):
            last = max(path.name for path in self.audits(f"-{name}.md"))
            assert index.count(f"[{name}]({last})") == 1, f"the index does not lead to {last}:\n{index}"
        left = [path.name for path in (self.folder / "audits").iterdir() if path.name.startswith(".")]
        left = [name for name in left if not name.endswith(".lock") and name != ".gitattributes"]
        assert not left, f"left by a run that was ended: {left}"

    def generate(self):
        self.profile()
        moment = self.ended("generate", "one", "two")
        self.look(False)
        self.whole("generate", "one", "two")
        for path in self.audits(".md"):
            if path not in self.prose:
                self.prose[path] = f"Prose of {path.name}.\n"
                path.write_text(path.read_text() + "\n" + self.prose[path])
        return moment

    def accept(self):
        self.profile()
        self.whole("generate", "one", "two")
        reason = f"reason {self.day}"
        words = ("check", "one", "two", "--accept", "--reason", reason)
        if words[0] not in self.took:
            self.whole("check", "one", "two", of=(0, 1, 6))
        moment = self.ended(*words)
        self.look(False)
        self.whole(*words)
        # Only what did not pass is accepted.
        if any(reason in path.read_text() for path in (self.folder / "audits").glob("*.accepted.toml")):
            self.reasons.append(reason)
        return moment

    def collect(self):
        moment = self.ended("collect", "triad", "--again")
        self.look(False)
        self.whole("generate", "triad")
        self.whole("collect", "triad", "--again")
        return moment


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--kills", type=int, default=300)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--program", type=pathlib.Path, default=ROOT / "target/debug/audit")
    given = arguments.parse_args()
    moments = {"generate": [], "accept": [], "collect": []}
    runs = 0
    with tempfile.TemporaryDirectory() as folder:
        project = Project(pathlib.Path(folder), given.program.resolve(), given.seed)
        while (killed := sum(map(len, moments.values()))) < given.kills:
            assert runs < 4 * given.kills + 20, f"of {runs} runs only {killed} were under way"
            verb = list(moments)[runs % len(moments)]
            runs += 1
            try:
                part = getattr(project, verb)()
                project.look(True)
            except AssertionError as error:
                sys.exit(f"run {runs}, {verb}, seed {given.seed}: {error}")
            if part is not None:
                moments[verb].append(part)
    for verb, parts in moments.items():
        quarters = [sum(at / 4 <= part < (at + 1) / 4 for part in parts) for at in range(4)]
        print(f"{verb}: {len(parts)} ended under way, by quarters of the time of a whole run {quarters}")
    print(f"killed: {sum(map(len, moments.values()))} of {runs} runs; nothing lost")


if __name__ == "__main__":
    main()
