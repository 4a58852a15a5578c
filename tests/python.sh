#!/usr/bin/env bash
# Installs the Python packages that the tests of data need, pinned, into .cuda/python of this repository, and prints the
# folder for PYTHONPATH. Needs python3 with pip, and the network once.
set -euo pipefail

pins='attrs==26.1.0
duckdb==2.0.0
jsonschema==4.26.0
jsonschema-specifications==2025.9.1
numpy==2.4.6
pandas==3.1.1
python-dateutil==4.0.0
referencing==0.37.0
rpds-py==2026.9.1
typing_extensions==4.16.0
tzdata==2026.6'

home=$(cd "$(dirname "$0")/.." && pwd -P)/.cuda
place=$home/python
if [[ ! -r $place/pins.txt || $(<"$place/pins.txt") != "$pins" ]]; then
    mkdir -p "$home"
    staging=$(mktemp -d "$home/.python.XXXXXX")
    trap 'rm -rf "$staging"' EXIT
    # shellcheck disable=SC2086  # one argument per pin
    if ! "${PYTHON:-python3}" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: --target "$staging" $pins >"$staging/pip.log" 2>&1; then
        sed 's/^/  pip: /' "$staging/pip.log" >&2
        printf 'python.sh: pip could not install the pinned packages; check the network and the package index that pip uses\n' >&2
        exit 1
    fi
    printf '%s\n' "$pins" >"$staging/pins.txt"
    rm -rf "$place"
    mv -T "$staging" "$place"
fi
printf '%s\n' "$place"
