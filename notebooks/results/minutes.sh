#!/usr/bin/env bash
# Compares searches with a time limit with plain trainings: minutes.json has the test MRR of both.
# packages.sh makes packages; defaults.sh makes family and map. Run it in a folder that has these;
# AUTOBLM_DATA names the benchmarks, FLAGS the flags of all commands; jq is needed. Finished
# trainings and searches are not repeated. Several runs share the work if their GRAPHS differ.
set -euo pipefail
graphs=${GRAPHS:-world nations kinship umls family map packages}

record() { # FILE ARGUMENTS
  local file=$1
  shift
  [ -s "$file.json" ] && return
  # An interrupted search is resumed, and leaves a record, too.
  # shellcheck disable=SC2086
  autoblm "$@" ${FLAGS:-} --out "$file" --record "$file.part" --json >/dev/null
  mv "$file.part" "$file.json"
  rm -r "$file"
}

for minutes in ${MINUTES:-0.5 1 2 5}; do
  for seed in ${SEEDS:-1 2 3}; do
    for graph in $graphs; do
      arguments="--dataset $graph --minutes $minutes --seed $seed"
      # shellcheck disable=SC2086
      record "train-$graph-$minutes-$seed" train --structure complex $arguments
      # shellcheck disable=SC2086
      record "search-$graph-$minutes-$seed" search $arguments
    done
  done
done
for file in search-*.json; do
  jq --slurpfile train "${file/search/train}" --arg name "${file%.json}" '{
    command: (.command | sub(" --out.*"; "")), date, machine, dataset: .result.dataset,
    minutes: ($name | split("-")[-2] | tonumber), train: $train[0].result.test.both.mrr,
    search: .result.kept.test_mrr, from: .result.kept.from, structures: .result.trained}' "$file"
done | jq -s '{command: "notebooks/results/minutes.sh", date: (map(.date) | unique | join(", ")), machine: .[-1].machine,
  result: (group_by([.dataset, .minutes]) | map({dataset: .[0].dataset, minutes: .[0].minutes,
    command: .[0].command, train: map(.train), search: map(.search), from: map(.from),
    structures: map(.structures)}))}' >minutes.json
