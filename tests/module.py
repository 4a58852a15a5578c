#!/usr/bin/env python3
"""Tries the installed module kernel_audit: its tables against NVIDIA's reader where that is here, analysis, pages, types, the
program and the server for agents. Run by tests/wheel, which installs it into an environment of its own.
"""
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import kernel_audit
import pyarrow
import pyarrow.parquet

ROOT = Path(__file__).resolve().parent.parent
H200 = ROOT / "tests/fixtures/h200"
OLD, NEW = H200 / "gemm_bias_v1.ncu-repz", H200 / "gemm_bias_v2.ncu-repz"
TUNED = "kernels/triton/evidence/profile.ncu-repz"
BIN = Path(sys.executable).parent


def plain(report, folder):
    """The report as ncu wrote it."""
    out = Path(folder) / (report.stem + ".ncu-rep")
    sys.path.insert(0, str(ROOT / "tests"))
    import packed

    out.write_bytes(packed.contents(report))
    return out


def tables():
    report = kernel_audit.read(NEW)
    launches = pyarrow.table(report.launches())
    assert launches.column("function").to_pylist() == ["gemm_bias_v2"] * launches.num_rows, launches
    assert len(report.metrics()) > 500 and report.metrics().columns[:3] == ["launch", "metric", "unit"]
    samples = report.samples().to_arrow().to_pylist()
    assert any(row["reason"] == "long_scoreboard" and row["line"] for row in samples), samples[:3]
    kinds = set(report.sources().to_arrow().column("kind").to_pylist())
    assert kinds == {"source", "cubin"}, kinds
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "metrics.parquet"
        pyarrow.parquet.write_table(report.metrics().to_arrow(), file)
        assert pyarrow.parquet.read_table(file).num_rows == len(report.metrics())
    try:
        import pandas  # noqa: F401

        metrics = report.metrics()
        frame, table = metrics.to_pandas(), metrics.to_arrow()
        assert place(frame["value"].array.__arrow_array__()) == place(table["value"]), "pandas has a copy"
        integers = [row["integer"] for row in table.to_pylist()]
        assert [None if number is pandas.NA else number for number in frame["integer"]] == integers
    except ImportError:
        print("pandas: NOT RUN, it is not here")
    try:
        import polars

        metrics = report.metrics()
        values = polars.DataFrame(metrics)["value"].to_arrow()
        assert place(values) == place(metrics.to_arrow()["value"]) and len(values) == len(metrics), "polars has a copy"
    except ImportError:
        print("polars: NOT RUN, it is not here")
    for path, error in ((Path("nowhere.ncu-rep"), OSError), (Path(__file__), ValueError)):
        try:
            kernel_audit.read(path)
        except error as met:
            assert str(met), path
        else:
            raise AssertionError(f"{path} was read")


def place(column):
    """Where the values of a column lie in memory."""
    return (column.chunk(0) if isinstance(column, pyarrow.ChunkedArray) else column).buffers()[1].address


def the_same_as_nvidia():
    """Every value and every instance is NVIDIA's; how long both take is printed, side by side."""
    try:
        import ncu_report
    except ImportError:
        print("against NVIDIA's reader: NOT RUN, ncu_report is not here")
        return
    with tempfile.TemporaryDirectory() as folder:
        for packed in sorted(H200.glob("gemm_bias_v*.ncu-repz")) + [H200 / "multiprocess.ncu-repz"]:
            path = plain(packed, folder)
            compared = same(ncu_report, path)
            theirs = min(timed(lambda: nvidia(ncu_report, path)) for _ in range(3))
            ours = min(timed(lambda: read_all(path)) for _ in range(3))
            print(f"{packed.name}: {compared} values and instances the same; {ours * 1e3:.1f} ms, ncu_report {theirs * 1e3:.1f} ms, {theirs / ours:.0f} times")


def timed(call):
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def read_all(path):
    report = kernel_audit.read(path)
    return pyarrow.table(report.metrics()), pyarrow.table(report.instances())


def nvidia(ncu_report, path):
    """Every value and instance by NVIDIA's module, in a list."""
    found = []
    for part in ncu_report.load_report(str(path)):
        for action in part:
            for name in action.metric_names():
                metric = action.metric_by_name(name)
                found.append(value_of(metric))
                if metric.num_instances():
                    ids = metric.correlation_ids() if metric.has_correlation_ids() else None
                    for at in range(metric.num_instances()):
                        found.append((value_of(metric, at), value_of(ids, at) if ids is not None else None))
    return found


def value_of(metric, at=None):
    where = [] if at is None else [at]
    kind = metric.kind() if callable(getattr(metric, "kind", None)) else None
    if kind is not None and kind == type(metric).ValueKind_STRING:
        return metric.as_string(*where)
    return metric.as_double(*where)


def same(ncu_report, path):
    """How many values are the same; an assertion fails at the first that is not."""
    metrics = {}
    for row in pyarrow.table(kernel_audit.read(path).metrics()).to_pylist():
        metrics[row["launch"], row["metric"]] = row
    instances = {}
    for row in pyarrow.table(kernel_audit.read(path).instances()).to_pylist():
        instances.setdefault((row["launch"], row["metric"]), []).append(row)
    compared, launch = 0, 0
    actions = [action for part in ncu_report.load_report(str(path)) for action in part]
    for action in actions:
        names = list(action.metric_names())
        for name in names:
            metric, row = action.metric_by_name(name), metrics[launch, name]
            if row["text"] is not None:
                assert row["text"] == metric.as_string(), (launch, name, row)
            elif row["value"] is not None:
                assert alike(row["value"], metric.as_double()), (launch, name, row, metric.as_double())
                if row["integer"] is not None:
                    assert row["integer"] == metric.as_uint64(), (launch, name, row)
            else:
                assert not metric.has_value(), (launch, name)
            compared += 1
            rows = instances.get((launch, name), [])
            assert len(rows) == metric.num_instances(), (launch, name, len(rows), metric.num_instances())
            for at, one in enumerate(rows):
                assert one["position"] == at
                if one["text"] is None:
                    assert alike(one["value"], metric.as_double(at)), (launch, name, at, one)
                else:
                    assert one["text"] == metric.as_string(at), (launch, name, at, one)
                compared += 1
        launch += 1
    return compared


def alike(one, other):
    return one == other or (one != one and other != other)


def conclusions():
    analysis = kernel_audit.analyse(NEW)
    assert analysis["schema"].startswith("kernel-audit/analysis/"), analysis["schema"]
    assert analysis["launches"][0]["name"] == "gemm_bias_v2"
    text = kernel_audit.page(NEW, baseline=OLD)
    assert text.startswith("<!-- audit:") and "FASTER" in text, text[:80]
    assert "<iframe" in text._repr_html_() and text._repr_markdown_() == text
    assert analysis._repr_markdown_().startswith("<!-- audit:")
    compared = kernel_audit.compare(OLD, NEW)
    assert compared["schema"].startswith("kernel-audit/compare/") and "gemm_bias" in str(compared)
    try:
        kernel_audit.analyse(NEW, kernel="^nothing$")
    except kernel_audit.AuditError as error:
        assert error.status == 2 and "gemm_bias_v2" in str(error), error
    else:
        raise AssertionError("a filter that takes nothing is an error")


def program():
    said = subprocess.run([BIN / "audit", "--version"], capture_output=True, text=True, check=True).stdout
    assert said.startswith("audit "), said
    wrong = subprocess.run([BIN / "audit", "show", "nowhere.ncu-rep"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 3 and "nowhere.ncu-rep" in wrong.stderr, wrong
    brief = subprocess.run([BIN / "audit", "dump", "analysis", "--brief", NEW], capture_output=True, text=True, check=True)
    kernels = json.loads(brief.stdout)["kernels"]
    assert all(len(json.dumps(kernel, separators=(",", ":"), ensure_ascii=False).encode()) <= 2000 for kernel in kernels), brief.stdout


def server():
    try:
        from mcp import Client, StdioServerParameters
    except ImportError:
        print("the server for agents: NOT RUN, the package mcp is not here")
        return

    async def talk():
        async with Client(StdioServerParameters(command=str(BIN / "audit-mcp"), cwd=str(ROOT))) as client:
            tools = sorted(tool.name for tool in (await client.list_tools()).tools)
            assert tools == ["analyse", "check", "compare", "explain", "source"], tools

            async def said(name, **arguments):
                result = await client.call_tool(name, arguments)
                return result.content[0].text

            assert json.loads(await said("analyse", report=str(NEW)))["kernels"][0]["limiter"]
            assert "cannot read nowhere.ncu-rep" in await said("analyse", report="nowhere.ncu-rep")
            assert "gemm_bias" in await said("compare", files=[str(OLD), str(NEW)])
            assert "scoreboard" in (await said("explain", word="long_scoreboard")).lower()
            lines = json.loads(await said("source", report=str(NEW), lines=3))[0]["lines"]
            assert len(lines) == 3 and lines[0]["samples"] >= lines[1]["samples"] > 0, lines
            tuned = json.loads(await said("source", report=TUNED, kernel="^matmul_kernel$", lines=1))
            assert [one["launch"] for one in tuned] == [0], "the launch of the chosen configuration"
            assert tuned[0]["lines"][0]["at"].endswith("/matmul.py:37"), tuned
            # What an agent names is a file, a word or a subject: it writes nothing and accepts nothing.
            assert "nothing is known" in await said("explain", word="--help")
            assert "cannot read --exit-code" in await said("compare", files=["--exit-code", str(NEW)])
            assert "two files" in await said("compare", files=[str(NEW)])
            refused = json.loads(await said("check", subjects=["--accept", "--reason=none"]))
            assert refused["status"] == 2 and "--accept" in refused["error"], refused
            outcome = json.loads(await said("check", subjects=["gemm_bias"]))
            assert outcome["status"] in (0, 1, 6) and "gemm_bias" in outcome["said"], outcome

    asyncio.run(talk())


def notebook():
    """Runs the cells of the guide's notebook in its folder."""
    path = ROOT / "docs/guide/reports.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert code, path
    script = "\n".join(code)
    subprocess.run([sys.executable, "-c", script], cwd=path.parent, check=True, stdout=subprocess.DEVNULL)


def main():
    for test in (tables, the_same_as_nvidia, conclusions, program, server, notebook):
        test()
        print(f"{test.__name__}: ok", flush=True)


if __name__ == "__main__":
    main()
