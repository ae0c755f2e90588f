#!/usr/bin/env bash
# Do the checks hold on another processor? bash tests/robustness/arm.sh NN_slug …
#
# The chapters run on 64-bit Arm as QEMU emulates it, minutes each. For Debian 12; all of it is
# put into _build/arm (1.6 GB), nothing is installed, no root is needed.
set -euo pipefail
cd "$(dirname "$0")/../.."
arm=$PWD/_build/arm
# The newest whose wheel for Arm needs no CUDA; all other versions are those of the lock.
torch=torch==2.10.0

unpack() { # ARCHITECTURE FOLDER PACKAGE …: Debian's packages and what they need, to the C library
  local apt=$arm/apt-$1
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  # From where this computer has its own packages, but as if none were installed.
  local own=(-qq -o APT::Architecture="$1" -o APT::Architectures="$1" -o APT::Sandbox::User=
    -o Dir::State="$apt" -o Dir::State::status=/dev/null -o Dir::Cache="$apt/cache")
  apt-get "${own[@]}" update
  apt-get "${own[@]}" --yes --download-only --no-install-recommends -o Debug::NoLocking=1 \
    install "${@:3}" >/dev/null
  for package in "$apt"/cache/archives/*.deb; do dpkg -x "$package" "$2"; done
}

if [ ! "$arm/ready" -nt requirements.lock ]; then
  rm -rf "$arm"
  unpack "$(dpkg --print-architecture)" "$arm/host" qemu-user-static
  unpack arm64 "$arm/root" python3.11 libstdc++6
  # uv, because pip takes "only on x86" in a requirement as said of this computer.
  python3 -m venv "$arm/tools"
  "$arm/tools/bin/pip" install --quiet "$(grep -om 1 'uv==[0-9.]*' Makefile)"
  sed -E '/^ +--hash|^torch==/d; s/ *\\$//' requirements.lock >"$arm/pins"
  # What the chapters need, the first block of requirements.txt; nbformat reads notebooks.
  sed '/^# Reading/,$d; /^torch==/d' requirements.txt >"$arm/chapters"
  "$arm/tools/bin/uv" pip install --quiet --python-version 3.11 --target "$arm/site" \
    --python-platform aarch64-manylinux_2_28 -c "$arm/pins" -r "$arm/chapters" "$torch" nbformat
  touch "$arm/ready"
fi

# The processor is one that many have (AWS Graviton2): with all that QEMU knows, OpenBLAS takes
# a unit (SME) that warns of overflows falsely. A kernel set for this computer's is none there.
unset OPENBLAS_CORETYPE
export OMP_NUM_THREADS=1 MPLCONFIGDIR=$arm/matplotlib PYTHONPATH=$PWD:$arm/site
for chapter in "$@"; do
  SECONDS=0
  "$arm/host/usr/bin/qemu-aarch64-static" -cpu neoverse-n1 -L "$arm/root" \
    "$arm/root/usr/bin/python3.11" -m tests.robustness.run "book/$chapter.ipynb" \
    >"$arm/$chapter.json" || echo "Exit status $?" >&2
  echo "$chapter, $SECONDS s, fell: $(cat "$arm/$chapter.json")"
done
