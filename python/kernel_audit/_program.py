"""The program `audit` where pip installed it."""

from __future__ import annotations

import os
import signal
import sys

from . import _native


def main() -> int:
    """Runs the program with the arguments of this process."""
    # Ctrl-C and a closed pipe end it as they end any other program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # What `audit collect` starts as `audit launch` is this script, not the interpreter.
    os.environ["KERNEL_AUDIT_PROGRAM"] = os.path.abspath(sys.argv[0])
    return _native.main(["audit", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
