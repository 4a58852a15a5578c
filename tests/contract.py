#!/usr/bin/env python3
"""What others read of audit, held against what is promised: docs/schema, docs/guide/notebook.md, docs/agents/SKILL.md.

    PYTHONPATH=$(tests/python.sh) tests/contract.py [PROGRAM]      PROGRAM is the audit to try [default: target/debug/audit]

Validates the analysis of every subject of audit.toml and every committed snapshot with jsonschema, runs the first block of
the notebook, and every console command of the skill.
"""
import copy
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from jsonschema import Draft202012Validator as Validator

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/audit").resolve()
FIXTURES = ROOT / "tests/fixtures/h200"


def run(words, folder):
    made = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert made.returncode == 0, f"{' '.join(words)} ended with {made.returncode}\n{made.stderr}"
    return made.stdout


def validator(name):
    schema = json.loads((ROOT / f"docs/schema/{name}.json").read_text())
    Validator.check_schema(schema)
    return Validator(schema)


def hold(check, value, what):
    faults = [f"{what}: {'/'.join(map(str, fault.absolute_path))}: {fault.message[:200]}" for fault in check.iter_errors(value)]
    assert not faults, "\n".join(faults[:5])


def analyses():
    check, count = validator("analysis"), 0
    for subject in tomllib.loads((ROOT / "audit.toml").read_text())["subject"]:
        printed = json.loads(run([str(PROGRAM), "dump", "analysis", "--subject", subject["name"]], ROOT))
        hold(check, printed, subject["name"])
        count += 1
    # The schema refuses what is not promised.
    for spoil in (lambda k: k.update(extra=1), lambda k: k["verdict"].pop("limiter"), lambda k: k["verdict"]["readings"].append({"metric": "x", "value": None, "unit": ""})):
        other = copy.deepcopy(printed)
        spoil(other["launches"][0])
        assert not check.is_valid(other), "the schema takes anything"
    return count


def snapshots():
    check, count = validator("snapshot"), 0
    for path in (ROOT / "audits").rglob("*.json"):
        hold(check, json.loads(path.read_text()), path.name)
        count += 1
    assert count, "no snapshot is committed"
    return count


def notebook(folder):
    code = re.search(r"^```python\n(.*?)^```$", (ROOT / "docs/guide/notebook.md").read_text(), re.M | re.S)[1]
    assert len(code.splitlines()) == 5, code
    (folder / "bin").mkdir()
    (folder / "bin/audit").symlink_to(PROGRAM)
    os.environ["PATH"] = f"{folder / 'bin'}:{os.environ['PATH']}"
    shown = run([sys.executable, "-c", code], folder)
    assert "l1tex__data_pipe_lsu_wavefronts" in shown and "gemm_bias" in shown, shown


def skill(folder):
    page = (ROOT / "docs/agents/SKILL.md").read_text()
    (folder / "audit.toml").write_text(re.search(r"^```toml\n(.*?)^```$", page, re.M | re.S)[1])
    commands = re.findall(r"^\$ (audit .*)$", page, re.M)
    assert len(commands) >= 4, commands
    for command in commands:
        printed = run(["sh", "-c", command], folder)
    kernel = json.loads(printed)["launches"][0]
    # The fields that the page names are there.
    assert kernel["verdict"]["limiter"] and kernel["levers"][0]["remeasure"] and kernel["comparison"]["verdict"], kernel
    assert "padding" in next((folder / "audits").glob("2*.md")).read_text(), "the page does not judge the hypothesis"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(FIXTURES / "gemm_bias_v2.ncu-repz", folder / "new.ncu-rep")
        shutil.copy(FIXTURES / "gemm_bias_v1.ncu-repz", folder / "gemm.ncu-rep")
        notebook(folder)
        skill(folder)
    print("contract: the notebook and every command of the skill run")
    print(f"contract: {analyses()} analyses and {snapshots()} snapshots are as docs/schema promises")


main()
