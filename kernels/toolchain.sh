#!/usr/bin/env bash
# Installs the pinned CUDA compiler and disassemblers into .cuda/ of this repository and prints the folder that holds them.
#
#   bin=$(kernels/toolchain.sh) && "$bin/nvcc" -cubin -arch=sm_90a -lineinfo kernels/stream_triad.cu
#
# Takes the tools from Python wheels, so it needs python3 with pip and a network once, but no CUDA, no driver and no GPU.
# A second call only compares the pins with the stamp of the finished installation. .cuda/bin always points at the current one.
# PYTHON names another interpreter. Exit status: 0 installed, 1 not installed (the reason is on standard error).
set -euo pipefail

pins='nvidia-cuda-cccl==13.3.5.0.6
nvidia-cuda-crt==13.0.88
nvidia-cuda-cuobjdump==13.2.86
nvidia-cuda-nvcc==13.0.88
nvidia-cuda-nvdisasm==13.2.86
nvidia-cuda-runtime==13.0.96
nvidia-nvvm==13.0.88'

here=${BASH_SOURCE[0]%/*}
[[ $here == "${BASH_SOURCE[0]}" ]] && here=.
root=$(cd "$here/.." && pwd -P)
home=$root/.cuda
tree=nvidia/cu13
stamp=pins.txt

fail() {
    printf 'toolchain.sh: %s\n' "$@" >&2
    exit 1
}

# The installation that .cuda/bin points at is whole when its stamp, written last, holds exactly these pins.
if [[ -x $home/bin/nvcc && -r $home/bin/../$stamp && $(<"$home/bin/../$stamp") == "$pins" ]]; then
    printf '%s\n' "$home/bin"
    exit 0
fi

[[ $(uname -s) == Linux ]] || fail "the wheels of the CUDA compiler exist for Linux only; this is $(uname -s)"
python=${PYTHON:-python3}
command -v "$python" >/dev/null ||
    fail "no interpreter \"$python\"" "install python3 with pip, or name one: PYTHON=/path/to/python3 $0"
"$python" -m pip --version >/dev/null 2>&1 ||
    fail "\"$python\" has no pip" "install it (Debian: apt-get install python3-pip), or name another interpreter with PYTHON="
command -v g++ >/dev/null || command -v c++ >/dev/null ||
    printf 'toolchain.sh: warning: no g++ on the PATH; nvcc needs a host C++ compiler even for -cubin\n' >&2

mkdir -p "$home"
staging=$(mktemp -d "$home/.staging.XXXXXX")
trap 'rm -rf "$staging"' EXIT

# shellcheck disable=SC2086  # one argument per pin
if ! "$python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
    --target "$staging/site" $pins >"$staging/pip.log" 2>&1; then
    sed 's/^/  pip: /' "$staging/pip.log" >&2
    fail "pip could not install the pinned wheels" "check the network and the package index that pip uses, then run this again"
fi

cu=$staging/site/$tree
for tool in nvcc ptxas cuobjdump nvdisasm; do
    [[ -x $cu/bin/$tool ]] || fail "the installed wheels hold no $tree/bin/$tool" "the layout of a pinned wheel changed; see the list of pins in $0"
done
# nvcc looks for lib64 and for unversioned library names; the wheels carry neither.
[[ -e $cu/lib64 ]] || ln -s lib "$cu/lib64"
[[ -e $cu/lib/libcudart.so ]] || ln -s libcudart.so.13 "$cu/lib/libcudart.so"
"$cu/bin/nvcc" --version >/dev/null || fail "the installed nvcc does not start on this machine ($(uname -m))"
printf '%s\n' "$pins" >"$cu/$stamp"

# Both steps are renames: a reader sees the old installation or the whole new one.
site=$home/site.${staging##*.}
mv -T "$staging/site" "$site"
ln -s "$(basename "$site")/$tree/bin" "$staging/bin"
old=$(readlink "$home/bin" || true)
mv -T "$staging/bin" "$home/bin"
if [[ -n $old && ${old%%/*} != "$(basename "$site")" ]]; then
    rm -rf "${home:?}/${old%%/*}"
fi
printf '%s\n' "$home/bin"
