#!/bin/sh
# sbom.sh OUT FOLDER... lists what an image is made of: Debian's packages, Python's, and
# the modules of the Go programs in some folders.
set -eu
out=$1
shift
mkdir -p "$out"
dpkg-query -W >"$out/debian.txt"
pip freeze >"$out/python.txt"
go version -m "$@" >"$out/go.txt"
