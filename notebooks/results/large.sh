#!/usr/bin/env bash
# Measures whole processes on large graphs: large.json has their seconds and megabytes. Run it in a
# folder with debian and communities (made by debian.sh and communities.sh) and vast
# (communities.sh vast 3500000 6.5). It needs jq and GNU time. What is measured is not repeated.
set -euo pipefail
export XDG_CACHE_HOME=$PWD/large-cache # of graphs

measure() { # NAME COMMAND...
  local name=large-$1
  shift
  [ -s "$name.json" ] && return
  /usr/bin/time -f '{"seconds": %e, "cpu": %U, "kilobytes": %M}' -o "$name.time" "$@" >"$name.out"
  jq --arg name "${name#large-}" --arg command "${*//large-/}" --arg date "$(date +%F)" \
    '{name: $name, command: $command, date: $date} + .' "$name.time" >"$name.json"
}

train() { # NAME GRAPH FLAGS...
  local name=$1 graph=$2
  shift 2
  [ -s "large-$name.json" ] && return
  measure "$name" autoblm train --structure complex --dataset "$graph" --no-eval --seed 1 "$@" \
    --out "large-model-$name" --record "large-$name.record"
  jq --slurpfile record "large-$name.record" --argjson triples "$(wc -l <"$graph/train.txt")" \
    '. + {machine: $record[0].machine} + ($record[0].result.seconds.epochs
      | if length > 1 then {triples_per_second: ($triples * (length - 1) / (.[-1] - .[0]))}
        else {} end)' "large-$name.json" >large.part
  mv large.part "large-$name.json"
}

for graph in communities vast; do
  rm -rf large-cache
  train "$graph-read" "$graph" --dim 4 --epochs 1 --max-steps 1
  train "$graph-cached" "$graph" --dim 4 --epochs 1 --max-steps 1
done
train communities-ten communities --dim 100 --sampled-softmax 256 --epochs 10
train vast-two vast --dim 100 --sampled-softmax 256 --epochs 2
train vast-tables vast --dim 100 --sampled-softmax 256 --epochs 1 --tables large-tables --buckets 16
train debian-ten debian --dim 128 --sampled-softmax 512 --epochs 10

model="--model large-model-debian-ten --dataset debian"
head -n 1000 debian/test.txt | awk -F '\t' -v OFS='\t' '{ print $1, $2, "?" }' >large-queries.tsv
query=$(cut -f 1,2 large-queries.tsv | head -n 1)
for run in 1 2 3; do
  # shellcheck disable=SC2086
  measure "first-$run" autoblm predict $model --head "${query%$'\t'*}" --relation "${query#*$'\t'}"
done
# shellcheck disable=SC2086
measure queries autoblm predict $model --queries large-queries.tsv --format tsv
# shellcheck disable=SC2086
measure all autoblm predict $model --all --top 1000 --format tsv
jq -s '{command: "notebooks/results/large.sh", date: .[-1].date,
  machine: (map(.machine // empty) | first), result: .}' large-*.json >large.json
