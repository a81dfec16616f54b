#!/usr/bin/env bash
# Measures searches on a cluster on one idle machine of two cores, in the folder where it runs:
#   cluster-trials.json  CPU seconds of the trainings of a search of 64 structures on kinship
#   cluster.json         simulated workers that sleep as long, and two workers of one thread
#                        next to one process of two
# AUTOBLM_DATA names the benchmarks; jq is needed. STRUCTURES sets the number of trainings.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
kinship=${AUTOBLM_DATA:?set it to the folder of the benchmarks}/kinship
programs=$(mktemp -d)
trap 'rm -r "$programs"' EXIT
(cd "$here" && go build -o "$programs" ./autoblm/bench ./autoblm/cmd/autoblm)
PATH=$programs:$PATH

if [ ! -s cluster-trials.json ]; then
  recipe=(--dataset "$kinship" --recipe basic)
  autoblm search "${recipe[@]}" --budget "${STRUCTURES:-64}" --out "$programs/search" \
    --record "$programs/record.json" --json >/dev/null
  autoblm study export "$programs/search" --json | jq -r '.trials[].structure' |
    while read -r structure; do
      TIMEFORMAT=%U
      { time autoblm train "${recipe[@]}" --structure="$structure" --threads 1 --no-eval \
        --out "$programs/model" --json >/dev/null 2>&1; } 2>&1
      rm -r "$programs/model"
    done | jq -s '{seconds: .}' >"$programs/seconds.json"
  jq --slurpfile seconds "$programs/seconds.json" \
    '{command: "notebooks/results/cluster.sh", date, machine, versions, result: $seconds[0]}' \
    "$programs/record.json" >cluster-trials.json
fi
bench --suite cluster --data "$AUTOBLM_DATA" --trials cluster-trials.json --out cluster.json "$@"
