"""The server for agents, over stdio: `audit-mcp`, with the tools analyse, compare, check, explain and source.

It works in the folder that it is started in, and runs nothing on a GPU. Needs the extra: `pip install 'kernel-audit[mcp]'`,
or `pip install '.[mcp]'` in a clone.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from typing import Any

_INSTRUCTIONS = (
    "Audits of CUDA kernels from Nsight Compute reports (.ncu-rep). Begin with analyse; ceilings are the most that a change "
    "can save, in percent, and are never added. Status 6 of check means that it cannot be told, which is no success."
)
#: What the exit status of `check` means.
_STATUS = {0: "passed", 1: "failed: a regression, wrong results or a check", 6: "cannot be told: measure again"}
#: Lines that `source` gives at most.
_LINES = 30


def _ran(*words: str) -> tuple[int, str, str]:
    """Exit status of a verb with what it printed to both streams."""
    command = [sys.executable, "-m", "kernel_audit._program", *words]
    ran = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return ran.returncode, ran.stdout, ran.stderr.strip()


def _said(*words: str) -> str:
    """What a verb printed; an error of the tool where it failed."""
    status, out, error = _ran(*words)
    if status not in (0, 1, 6):
        raise RuntimeError(error or f"audit ended with status {status}")
    return out


def analyse(report: str | None = None, subject: str | None = None, kernel: str | None = None) -> str:
    """What limits each kernel of a report, or of a subject of audit.toml, and the first three changes, each with its ceiling
    and what to check; JSON, at most 2 kB a kernel. `kernel` is a regular expression on the function name."""
    words = [*([report] if report else []), *(["--subject", subject] if subject else [])]
    if not words:
        raise ValueError("name a report or a subject of audit.toml")
    return _said("dump", "analysis", "--brief", *words, *(["--kernel", kernel] if kernel else []))


def compare(files: list[str], kernel: str | None = None) -> str:
    """Reports or snapshots side by side with a verdict on each reading; the first is the old side."""
    return _said("compare", *files, *(["--kernel", kernel] if kernel else []), "--width", "120")


def check(subjects: list[str] | None = None) -> str:
    """The gate: whether a kernel of audit.toml became slower or wrong, or fails a check; JSON with the exit status."""
    status, out, error = _ran("check", *(subjects or []))
    meaning = _STATUS.get(status, "not done: see `error`")
    return json.dumps({"status": status, "meaning": meaning, "said": out, "error": error if status not in _STATUS else ""})


def explain(word: str) -> str:
    """A metric, stall reason, opcode, verdict, threshold or chip in a paragraph."""
    return _said("explain", word)


def source(report: str, kernel: str | None = None, lines: int = 10) -> str:
    """The source lines of a report's kernels that were sampled most, with instructions executed and the stall reasons; JSON."""
    said = json.loads(_said("dump", "source", report, *(["--kernel", kernel] if kernel else [])))
    return json.dumps([_hottest(launch, max(1, min(lines, _LINES))) for launch in said["launches"]])


#: How the metrics begin that count samples by instruction, and the one that counts all.
_STALLED, _SAMPLED = "smsp__pcsamp_warps_issue_stalled_", "smsp__pcsamp_sample_count"


def _hottest(launch: dict[str, Any], lines: int) -> dict[str, Any]:
    places: dict[tuple[str, int], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for instruction in launch["instructions"]:
        if not instruction.get("file"):
            continue
        place = places[instruction["file"], instruction["line"]]
        for metric, value in instruction["metrics"].items():
            reason = metric.removeprefix(_STALLED)
            if metric in (_SAMPLED, "inst_executed"):
                place["samples" if metric == _SAMPLED else "executed"] += value
            elif reason != metric and not metric.endswith("_not_issued") and value:
                place[reason] += value
    order = sorted(places.items(), key=lambda item: (-item[1]["samples"], item[0]))

    def said(place: tuple[str, int], counts: dict[str, int]) -> dict[str, Any]:
        reasons = sorted(((n, r) for r, n in counts.items() if r not in ("samples", "executed")), reverse=True)
        stalls = {reason: n for n, reason in reasons[:3]}
        return {"at": f"{place[0]}:{place[1]}", "samples": counts["samples"], "executed": counts["executed"], "stalls": stalls}

    return {"kernel": launch["name"], "lines": [said(*item) for item in order[:lines]]}


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

    made = MCPServer("kernel-audit", instructions=_INSTRUCTIONS, log_level="WARNING")
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
