#!/usr/bin/env python3
"""Writes THIRD-PARTY.md: every crate of Cargo.lock with its licence, as its authors state it. Run it after a change of
Cargo.lock; `cargo test --test suite release` fails until then. Needs cargo and, for crates of other systems, the network.
"""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = """# Third-party crates

The crates of `Cargo.lock` with the licence that each states, written by `tests/licences.py`. Not all of them are in every
build: some are for other systems, for tests, or for the build itself. `deny.toml` holds the licences that are allowed.

| Crate | Version | Licence |
| --- | --- | --- |
"""


def main():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    made = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    crates = [(one["name"], one["version"], one["license"] or f"see {one['license_file']}")
              for one in json.loads(made.stdout)["packages"] if one["source"]]
    rows = "".join(f"| {name} | {version} | {licence} |\n" for name, version, licence in sorted(crates))
    (ROOT / "THIRD-PARTY.md").write_text(HEAD + rows)


if __name__ == "__main__":
    main()
