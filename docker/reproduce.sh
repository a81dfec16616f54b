#!/bin/sh
# reproduce.sh FOLDER [FLAG...] measures GoMLX on the GPU with the plan of the benchmarks
# and writes the results into a folder, such as a volume. A second call resumes
# interrupted searches. The data come from AUTOBLM_DATA, or are fetched into the folder.
# The flags are those of bench. --backend go --small rehearses the plan in a minute,
# without GPU and network, on small graphs in FOLDER/rehearsal.
set -eu
[ $# -ge 1 ] || { echo "usage: reproduce.sh FOLDER [FLAG...]" >&2; exit 2; }
programs=$(dirname "$(command -v bench)") # folder of the commands of the plan
folder=$1
shift

backend=xla:cuda small='' before=''
for flag; do
  [ "$before" != --backend ] || backend=$flag
  case $flag in --backend=*) backend=${flag#*=} ;; --small) small=yes ;; esac
  before=$flag
done
[ -z "$small" ] || folder=$folder/rehearsal # these results are not measurements
mkdir -p "$folder" && [ -w "$folder" ] || {
  echo "reproduce.sh: $(id -un) cannot write into $folder; mount it writable for user $(id -u)" >&2
  exit 1
}
folder=$(cd "$folder" && pwd)

# A short training reports problems of the backend before anything is fetched.
autoblm backend list
check=$(mktemp -d)
trap 'rm -rf "$check"' EXIT
autoblm train --dataset world --structure complex --epochs 1 --no-eval --backend "$backend" \
  --out "$check/model" >"$check/log" || {
  echo "reproduce.sh: needs $backend; to rehearse the plan, use --backend go --small" >&2
  exit 1
}

# ring makes a small graph: entities on a circle, each related to the next two.
ring() {
  mkdir -p "$1"
  awk -v folder="$1" 'BEGIN {
    split("train train train valid test", splits)
    for (i = 0; i < 60; i++)
      for (step = 1; step <= 2; step++)
        printf "%d\tnext %d\t%d\n", i, step, (i + step) % 60 >folder "/" splits[(i + step) % 5 + 1] ".txt"
  }'
}

if [ -n "${AUTOBLM_DATA:-}" ]; then
  AUTOBLM_DATA=$(cd "$AUTOBLM_DATA" && pwd)
else
  export AUTOBLM_DATA="$folder/data" XDG_CACHE_HOME="$folder/data/cache"
  mkdir -p "$XDG_CACHE_HOME/autoblm/datasets"
  for name in wn18rr fb15k-237; do
    if [ -n "$small" ]; then
      ring "$AUTOBLM_DATA/$name"
      continue
    fi
    autoblm dataset fetch "$name"
    ln -sfn "$XDG_CACHE_HOME/autoblm/datasets/$name" "$AUTOBLM_DATA/$name"
  done
fi

cd "$folder" # checkpoints go there too
bench --plan --data "$AUTOBLM_DATA" --to "$folder" "$@" >plan.sh
sed -i "s|^\./|$programs/|" plan.sh
sh -ex plan.sh
echo "The results are in $folder: $(echo device-*)"
