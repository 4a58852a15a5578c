"""Reports that are packed (`.ncu-repz`: a zstd stream), for the scripts here. Needs the program `zstd` for one."""

import contextlib
import pathlib
import subprocess
import tempfile


def contents(path):
    """The bytes of a report, unpacked."""
    bytes_ = pathlib.Path(path).read_bytes()
    if not bytes_.startswith(b"\x28\xb5\x2f\xfd"):
        return bytes_
    return subprocess.run(["zstd", "-dc"], input=bytes_, check=True, capture_output=True).stdout


@contextlib.contextmanager
def plain(path):
    """A plain report with the same contents, for a reader that takes no packed one."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "report.ncu-rep"
        copy.write_bytes(contents(path))
        yield str(copy)
