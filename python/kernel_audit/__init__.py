"""Reports of Nsight Compute as tables, audits of kernels as dicts and pages, and `bench` for kernels that Python launches.

`read(path)` gives the tables of a report, `analyse(path)` what limits its kernels, `compare(a, b)` reports side by side,
`page(path)` the page; none of these needs a GPU or any software of NVIDIA's. `bench(fn, …)` checks and times a function on
the GPU. The program `audit` comes with the same package.
"""

from ._bench import Benched, bench
from ._reports import Analysis, AuditError, Comparison, Page, Report, Table, analyse, compare, page, read

__all__ = [
    "Analysis",
    "AuditError",
    "Benched",
    "Comparison",
    "Page",
    "Report",
    "Table",
    "analyse",
    "bench",
    "compare",
    "page",
    "read",
]
