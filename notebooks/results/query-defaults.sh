#!/usr/bin/env bash
# query-defaults.sh GRAPH SEEDS [FLAGS]... trains ComplEx on the 2p queries of a graph with each
# seed: with the defaults of query train, and with each further flag in turn, those that are given
# or else those that chose the defaults. It records the validation MRRs in
# queries-defaults-GRAPH.json in the folder where it is run. AUTOBLM_DATA names the benchmarks;
# jq is needed.
set -euo pipefail
graph=$1 seeds=$2
command="notebooks/results/query-defaults.sh $(printf '%q ' "$@")"
shift 2
out=$PWD/queries-defaults-$graph.json
cd "$(mktemp -d)"

[ $# -gt 0 ] || set -- \
  "" \
  "--recipe basic" \
  "--recipe basic --with 1" \
  "--recipe basic --with 1 --dropout 0.5 --dura 0.01" \
  "--with 2" \
  "--with 1,3" \
  "--dim 128" \
  "--dim 512" \
  "--batch 512" \
  "--lr 0.1" \
  "--lr 0.4" \
  "--dropout 0.3" \
  "--dura 0.01" \
  "--dura 0.05" \
  "--init-scale 0.001" \
  "--plateau-patience 0"
for flags; do
  for seed in $seeds; do
    autoblm query train --dataset "$graph" --structure complex --hops 2 --seed "$seed" $flags --out model --record record.json >train.log
    cat record.json >>records
    rm -r model
  done
  jq -cs --arg settings "$flags" '{date: .[-1].date, machine: .[-1].machine, settings: $settings, dataset: .[0].result.dataset, commands: map(.command),
    epochs: map(.result.epochs), seconds: map(.result.seconds.train), valid: map(.result.valid.mrr), test: map(.result.test.mrr)}' records >>settings
  rm records
done
jq -s --arg command "${command% }" '{command: $command, date: .[-1].date, machine: .[-1].machine, result: map(del(.date, .machine))}' settings >"$out"
