#!/usr/bin/env bash
# Makes ensembles of four models of a small graph with the default recipes, by three seeds, in the
# folder where it is run: by the default selection, and of all four with weights by relation. The
# results are ensembled-GRAPH-chosen-SEED.json and ensembled-GRAPH-relation-SEED.json.
# GRAPHS chooses the graphs, THREADS the number of threads. AUTOBLM_DATA names the benchmarks. What
# is there already is not done again.
set -euo pipefail
threads=(${THREADS:+--threads "$THREADS"})

train() { # GRAPH NAME SEED FLAG...
  local name=member-$1-$2-$3
  [ -s "$name.json" ] && return
  autoblm train --dataset "$1" "${@:4}" --seed "$3" --no-eval "${threads[@]}" --out "$name" \
    --record "$name.part" >/dev/null
  mv "$name.part" "$name.json"
}

ensemble() { # GRAPH KIND SEED FLAG...
  local name=ensembled-$1-$2-$3
  [ -s "$name.json" ] || autoblm ensemble --dataset "$1" "${@:4}" "${threads[@]}" --out "$name" \
    --record "$name.json" member-"$1"-{complex,simple,quate,transe}-"$3" >/dev/null
}

for graph in ${GRAPHS:-umls kinship nations}; do
  for seed in 1 2 3; do
    for structure in complex simple quate; do
      train "$graph" $structure $seed --structure $structure
    done
    train "$graph" transe $seed --model transe --recipe basic
    ensemble "$graph" chosen $seed
    ensemble "$graph" relation $seed --all --by relation
  done
done
