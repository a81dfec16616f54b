#!/bin/sh
# reproduce.sh FOLDER [FLAG...] measures GoMLX on the GPU by the plan of the benchmarks,
# and writes its results into a folder, as of a volume. The plan can be run again: a
# search that was interrupted goes on. Flags are those of bench, as --backend go --small.
# Data come from AUTOBLM_DATA, or are fetched into the folder.
set -eu
[ $# -ge 1 ] || { echo "usage: reproduce.sh FOLDER [FLAG...]" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
[ -w "$folder" ] || { echo "reproduce.sh: $(id -un) cannot write into $folder: mount it with user id $(id -u), or writable for all" >&2; exit 1; }

if [ -z "${AUTOBLM_DATA:-}" ]; then
  export AUTOBLM_DATA="$folder/data" XDG_CACHE_HOME="$folder/data/cache"
  mkdir -p "$XDG_CACHE_HOME/autoblm/datasets"
  for name in umls wn18rr fb15k-237; do
    autoblm dataset fetch "$name"
    ln -sfn "$XDG_CACHE_HOME/autoblm/datasets/$name" "$AUTOBLM_DATA/$name"
  done
fi
autoblm backend list

cd "$(dirname "$(command -v bench)")" # the plan's commands lie beside each other
./bench --plan --data "$AUTOBLM_DATA" --to "$folder" "$@" | sh -ex
