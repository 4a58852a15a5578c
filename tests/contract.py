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
PROJECTS = [ROOT, ROOT / "kernels"]
EVIDENCE = ROOT / "kernels/triton/evidence"
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
    for project in PROJECTS:
        for subject in tomllib.loads((project / "audit.toml").read_text())["subject"]:
            printed = json.loads(run([str(PROGRAM), "dump", "analysis", "--subject", subject["name"]], project))
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
    for project in PROJECTS:
        for path in (project / "audits").rglob("*.json"):
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


# What stands for a scheduler and for NVIDIA's tools: the report that they give is `bench.ncu-rep`, the launches `launches.ncu-rep`.
TOOLS = {
    "srun": 'shift 2; exec "$@"',
    "ncu": """[ "$1" = --version ] && { echo 'Version 2025.3.1.0 (build 1)'; exit 0; }
all="$*"; while [ $# -gt 0 ]; do [ "$1" = --export ] && out=$2; shift; done
case "$all" in *KERNEL_AUDIT_STEP=launches*) from=launches;; *) from=bench;; esac
cp $from.ncu-rep "$out"; echo '==PROF== Profiling "k" - 0: 0%....100% - 20 passes'""",
    "compute-sanitizer": """[ "$1" = --version ] && { echo 'Version 2025.3.1'; exit 0; }
while [ $# -gt 0 ]; do [ "$1" = --save ] && out=$2; shift; done
printf '<ComputeSanitizerOutput/>' > "$out"; echo '========= ERROR SUMMARY: 0 errors'""",
    "python3": '[ -z "$KERNEL_AUDIT_BENCH" ] || cp bench.jsonl "$KERNEL_AUDIT_BENCH"',
}


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def skill(folder):
    """The loop of the skill word by word: for a CUDA kernel that becomes faster, and for one that Python launches."""
    page = (ROOT / "docs/agents/SKILL.md").read_text()
    blocks = re.findall(r"^```(toml|console)\n(.*?)^```$", page, re.M | re.S)
    tools = folder / "tools"
    tools.mkdir()
    for name, text in TOOLS.items():
        script(tools / name, text)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    cuda, triton = folder / "cuda", folder / "triton"
    for project in (cuda, triton):
        project.mkdir()
    shutil.copy(FIXTURES / "gemm_bias_v1.ncu-repz", cuda / "bench.ncu-rep")
    shutil.copy(FIXTURES / "gemm_bias_v1.ncu-repz", cuda / "gemm.ncu-rep")
    script(cuda / "bench", "exit 0")
    for name, packed in (("bench", "profile"), ("launches", "launches")):
        shutil.copy(EVIDENCE / f"{packed}.ncu-repz", triton / f"{name}.ncu-rep")
    shutil.copy(EVIDENCE / "bench.jsonl", triton)
    (triton / "bench.py").write_text("from kernel_audit import bench\n")
    project, printed, count = cuda, "", 0
    for kind, text in blocks:
        if kind == "toml":
            project = triton if "bench.py" in text else cuda
            with open(project / "audit.toml", "a") as file:
                file.write(("" if project == cuda and "hypothesis" in text else "[audit]\n") + text)
            continue
        for command in re.findall(r"^\$ (audit .*)$", text, re.M):
            if command == "audit lint":
                # The change: another program, which launches another kernel.
                shutil.copy(FIXTURES / "gemm_bias_v2.ncu-repz", cuda / "bench.ncu-rep")
                script(cuda / "bench", "exit 0 # padded")
            printed = subprocess.run(["sh", "-c", command], cwd=project, env=environment, check=True, capture_output=True, text=True).stdout
            count += 1
            if "--brief" in command:
                kernel = json.loads(printed)["kernels"][0]
                assert kernel["limiter"] and kernel["next"] and len(json.dumps(kernel)) < 2200, kernel
    assert count >= 10, count
    pages = sorted((cuda / "audits").glob("2*.md"))
    assert len(pages) == 2 and "padding" in pages[0].read_text() + pages[1].read_text(), pages
    own = next((triton / "audits").glob("2*.md")).read_text()
    assert "Correct:" in own and "column_sum.py" in own, own[:1000]


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
