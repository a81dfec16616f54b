#!/usr/bin/env bash
# Trains ComplEx on small graphs alone and with an ensemble as a teacher, by three seeds, in the
# folder with the ensembles of relation-ensembles.sh. The results are distilled-GRAPH-none-SEED.json
# and distilled-GRAPH-WEIGHT-TEMPERATURE-SEED.json.
# GRAPHS chooses the graphs, TEACHERS pairs of weight and temperature, THREADS the number of threads.
# AUTOBLM_DATA names the benchmarks. What is there already is not done again.
set -euo pipefail
threads=(${THREADS:+--threads "$THREADS"})

train() { # GRAPH NAME SEED FLAG...
  local name=distilled-$1-$2-$3
  [ -s "$name.json" ] || autoblm train --dataset "$1" --structure complex "${@:4}" --seed "$3" \
    "${threads[@]}" --out "$name" --record "$name.json" >/dev/null
}

for teacher in none ${TEACHERS:-0.5-2 0.3-2 0.7-2}; do
  for graph in ${GRAPHS:-umls kinship}; do
    for seed in 1 2 3; do
      flags=()
      [ "$teacher" = none ] || flags=(--from-ensemble "ensembled-$graph-chosen-$seed"
        --teacher-weight "${teacher%-*}" --temperature "${teacher#*-}")
      train "$graph" "$teacher" $seed "${flags[@]}"
    done
  done
done
