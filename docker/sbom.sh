#!/bin/sh
# sbom.sh OUT FOLDER... writes the bill of materials of an image: the packages of Debian and
# Python, and the modules of the Go programs in the folders.
set -eu
out=$1
shift
mkdir -p "$out"
dpkg-query -W >"$out/debian.txt"
pip freeze >"$out/python.txt"
go version -m "$@" >"$out/go.txt"
