"""The server for agents, over stdio: `audit-mcp`, with the tools analyse, compare, check, explain and source.

It works in the folder that it is started in, and runs nothing on a GPU. Needs the extra: `pip install 'kernel-audit[mcp]'`,
or `pip install '.[mcp]'` in a clone.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from . import _native
from ._reports import _options

_INSTRUCTIONS = (
    "Audits of CUDA kernels from Nsight Compute reports (.ncu-rep). Begin with analyse; ceilings are the most that a change "
    "can save, in percent, and are never added. Status 6 of check means that it cannot be told, which is no success."
)
#: What the exit status of `check` means.
_STATUS = {0: "passed", 1: "failed: a regression, wrong results or a check", 6: "cannot be told: measure again"}
#: Kernels and lines of each that `source` gives at most.
_KERNELS, _LINES = 5, 30


def _ran(*words: str) -> tuple[int, str, str]:
    """Exit status of a verb with what it printed to both streams."""
    command = [sys.executable, "-m", "kernel_audit._program", *words]
    ran = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return ran.returncode, ran.stdout, ran.stderr.strip()


def _said(*words: str) -> str:
    """What a verb printed; an error of the tool where it failed. What an agent names goes behind `--`, so that it is no option."""
    status, out, error = _ran(*words)
    if status not in (0, 1, 6):
        raise RuntimeError(error or f"audit ended with status {status}")
    return out


def analyse(report: str | None = None, subject: str | None = None, kernel: str | None = None) -> str:
    """What limits each kernel of a report, or of a subject of audit.toml, and the first three changes, each with its ceiling
    and what to check; JSON, at most 2 kB a kernel. `kernel` is a regular expression on the function name."""
    if not report and not subject:
        raise ValueError("name a report or a subject of audit.toml")
    of = [*_options(subject=subject, kernel=kernel), "--", *([report] if report else [])]
    return _said("dump", "analysis", "--brief", *of)


def compare(files: list[str], kernel: str | None = None) -> str:
    """Reports or snapshots side by side with a verdict on each reading; the first is the old side."""
    if len(files) < 2:
        raise ValueError("name two files or more, the old side first")
    return _said("compare", "--width=120", *_options(kernel=kernel), "--", *files)


def check(subjects: list[str] | None = None) -> str:
    """The gate: whether a kernel of audit.toml became slower or wrong, or fails a check; JSON with the exit status."""
    status, out, error = _ran("check", "--", *(subjects or []))
    meaning = _STATUS.get(status, "not done: see `error`")
    said = {"status": status, "meaning": meaning, "said": out, "error": error if status not in _STATUS else ""}
    return json.dumps(said, ensure_ascii=False)


def explain(word: str) -> str:
    """A metric, stall reason, opcode, verdict, threshold or chip in a paragraph."""
    return _said("explain", "--", word)


def source(report: str, kernel: str | None = None, lines: int = 10) -> str:
    """The source lines that were sampled most, with instructions executed and the stall reasons, of one launch of each of the
    five kernels of a report that take the most time; JSON. `kernel` is a regular expression on the function name."""
    of = [*_options(kernel=kernel), "--", report]
    groups = json.loads(_said("dump", "analysis", *of))["launches"][:_KERNELS]
    launches = {launch["id"]: launch for launch in json.loads(_said("dump", "source", *of))["launches"]}
    found = [launches[group["id"]] for group in groups if group["id"] in launches]
    return json.dumps([_hottest(launch, max(1, min(lines, _LINES))) for launch in found], ensure_ascii=False)


#: How the metrics begin that count samples by instruction, and the one that counts all.
_STALLED, _SAMPLED = "smsp__pcsamp_warps_issue_stalled_", "smsp__pcsamp_sample_count"


def _hottest(launch: dict[str, Any], lines: int) -> dict[str, Any]:
    def said(place: dict[str, Any]) -> dict[str, Any]:
        counts = place["metrics"]
        reasons = [
            (count, metric.removeprefix(_STALLED))
            for metric, count in counts.items()
            if metric.startswith(_STALLED) and not metric.endswith("_not_issued") and count
        ]
        stalls = {reason: count for count, reason in sorted(reasons, reverse=True)[:3]}
        at, executed = f"{place['file']}:{place['line']}", counts.get("inst_executed", 0)
        return {"at": at, "samples": counts.get(_SAMPLED, 0), "executed": executed, "stalls": stalls}

    order = sorted(launch["lines"], key=lambda place: -place["metrics"].get(_SAMPLED, 0))
    head = {"kernel": launch["name"], "launch": launch["id"], "source": launch["source"]["state"]}
    return head | {"lines": [said(place) for place in order[:lines]]}


def server() -> Any:
    """The server with its five tools."""
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    def told(tool: Callable[..., str]) -> Callable[..., str]:
        """The tool, whose errors reach the agent with their words."""

        @functools.wraps(tool)
        def run(*args: Any, **named: Any) -> str:
            try:
                return tool(*args, **named)
            except (RuntimeError, ValueError) as error:
                raise ToolError(str(error)) from error

        return run

    made = MCPServer("kernel-audit", version=_native.__version__, instructions=_INSTRUCTIONS, log_level="WARNING")
    for tool in (analyse, compare, check, explain, source):
        made.tool(structured_output=False)(told(tool))
    return made


def main() -> None:
    """Serves until the input ends."""
    try:
        made = server()
    except ImportError as error:
        sys.exit(f"audit-mcp needs the package mcp: pip install 'kernel-audit[mcp]', or '.[mcp]' in a clone ({error})")
    made.run("stdio")


if __name__ == "__main__":
    main()
