"""`read`, `analyse`, `compare` and `page`: reports as tables, and what the program says of them."""

from __future__ import annotations

import html
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Union

Path_ = Union[str, "os.PathLike[str]"]


class AuditError(Exception):
    """The program ended with an error; `status` is its exit status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message or f"audit ended with status {status}")
        self.status = status


class Table:
    """Columns of one length. pyarrow, pandas and polars take it as it is: `pyarrow.table(t)`, `polars.DataFrame(t)`."""

    def __init__(self, native: Any) -> None:
        self._native = native

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows by the Arrow C stream interface; no value is copied."""
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        """Names and types by the Arrow C data interface."""
        return self._native.__arrow_c_schema__()

    def __len__(self) -> int:
        return len(self._native)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._native.columns)

    def to_arrow(self) -> Any:
        """A `pyarrow.Table`, which writes Parquet with `pyarrow.parquet.write_table`."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` over the same memory, by way of pyarrow: what is missing is `NA`, integers stay integers."""
        import pandas

        return self.to_arrow().to_pandas(types_mapper=pandas.ArrowDtype)

    def to_polars(self) -> Any:
        """A `polars.DataFrame`."""
        import polars

        return polars.DataFrame(self)

    def __repr__(self) -> str:
        return f"<{len(self)} rows: {', '.join(self.columns)}>"


class Report:
    """A report of Nsight Compute. Each table is read from the file when it is asked for."""

    def __init__(self, path: Path_) -> None:
        from . import _native

        #: The file.
        self.path = Path(path)
        self._native = _native.open(os.fspath(path))

    def launches(self) -> Table:
        """A row for each result: names, process, device, grid, block, NVTX ranges."""
        return Table(self._native.launches())

    def metrics(self) -> Table:
        """A row for each metric of each result: `launch`, `metric`, `unit`, and the value as a double, in full where it is
        stored as an integer, and as text."""
        return Table(self._native.metrics())

    def instances(self) -> Table:
        """A row for each instance of each metric: as `metrics`, with its `position` and correlation `id`."""
        return Table(self._native.instances())

    def sources(self) -> Table:
        """A row for each source file and each cubin that the report embeds."""
        return Table(self._native.sources())

    def samples(self) -> Table:
        """A row for each instruction and stall reason that warps were sampled in, with file and line."""
        return Table(self._native.samples())

    def __repr__(self) -> str:
        return f"<report {self.path}>"

    def _repr_markdown_(self) -> str:
        return page(self.path)


class Page(str):
    """A page in Markdown; a notebook shows it as the page in HTML with every table and chart."""

    _html = ""

    def _repr_markdown_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str | None:
        if not self._html:
            return None
        # The page has styles and a script of its own, which are to touch nothing else of the notebook.
        style = "width: 100%; height: 40em; border: 1px solid #8884"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{html.escape(self._html)}"></iframe>'


class Analysis(dict):  # type: ignore[type-arg]
    """What is concluded about each kernel, as `audit dump analysis` prints it (schema `kernel-audit/analysis`)."""

    def __init__(self, said: dict[str, Any], path: Path_, kernel: str | None) -> None:
        super().__init__(said)
        self._of = (path, kernel)

    def _repr_markdown_(self) -> str:
        return page(self._of[0], kernel=self._of[1])


class Comparison(dict):  # type: ignore[type-arg]
    """Reports or snapshots side by side, as `audit compare --json` prints them."""

    def __init__(self, said: dict[str, Any], text: str) -> None:
        super().__init__(said)
        #: The tables as the terminal shows them.
        self.text = text

    def __str__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return f"```text\n{self.text}```\n"


def read(path: Path_) -> Report:
    """Opens a report, `.ncu-rep` or packed as `.ncu-repz`.

    Raises `OSError` for a file that cannot be read and `ValueError` for one that is no whole report.
    """
    return Report(path)


def analyse(path: Path_, *, kernel: str | None = None) -> Analysis:
    """What limits each kernel of a report, and what to do; `kernel` is a regular expression on its name.

    Raises `AuditError` where the program does.
    """
    return Analysis(json.loads(_said("dump", "analysis", *_options(kernel=kernel), "--", os.fspath(path))), path, kernel)


def compare(*paths: Path_, kernel: str | None = None) -> Comparison:
    """Reports or snapshots side by side, the first as the one that the others are held against.

    Raises `AuditError` where the program does.
    """
    words = [*_options(kernel=kernel), "--", *(os.fspath(path) for path in paths)]
    return Comparison(json.loads(_said("compare", "--json", *words)), _said("compare", "--width", "120", *words))


def page(path: Path_, *, baseline: Path_ | None = None, kernel: str | None = None) -> Page:
    """The page of a report in Markdown, against `baseline` where one is given. Nothing is written.

    Raises `AuditError` where the program does.
    """
    old = None if baseline is None else os.fspath(baseline)
    with tempfile.TemporaryDirectory() as folder:
        _said("generate", "--html", *_options(report=os.fspath(path), baseline=old, kernel=kernel, out=folder))
        made = {file.suffix: file for file in sorted(Path(folder).glob("*")) if file.stem != "README"}
        text = Page(made[".md"].read_text(encoding="utf-8"))
        text._html = made[".html"].read_text(encoding="utf-8")
        return text


def _options(**named: str | None) -> list[str]:
    """Options of a verb that are given, each one word, so that a value that begins with `-` is none."""
    return [f"--{name}={value}" for name, value in named.items() if value is not None]


def _said(*words: str) -> str:
    """What a verb prints."""
    from . import _native

    status, out, error = _native.call(["audit", *words])
    if status not in (0, 1, 6):
        raise AuditError(status, error)
    return out.decode()
