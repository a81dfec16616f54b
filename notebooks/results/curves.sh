#!/usr/bin/env bash
# Trains ComplEx on the paper's benchmarks as searched.sh does, at d 128, but for the batch, and
# records what came of it in the folder where it is run, as benchmark-GRAPH-batch-BATCH-1.json.
# GRAPHS and BATCHES choose what is trained, THREADS by how many threads. AUTOBLM_DATA names the benchmarks.
# What is there already is not trained again, and what was interrupted goes on.
set -euo pipefail
. "$(dirname "$0")/trained.sh"

for graph in ${GRAPHS:-wn18rr fb15k-237 wn18 fb15k}; do
  case $graph in
  wn18rr) batches="100 500 1000" how="--recipe n3 --n3 0.1 --epochs 20" ;; # searched.sh has 250
  fb15k-237) batches="250 1000" how="--recipe rp --epochs 20" ;;           # and 500, as of the others
  wn18) batches="250 1000" how="--recipe n3 --epochs 20" ;;
  fb15k) batches="250 1000" how="--recipe n3 --lr 0.1 --n3 0.02 --epochs 10 --validate-every 5" ;;
  *)
    echo "curves.sh: there is nothing for $graph" >&2
    exit 2
    ;;
  esac
  for batch in ${BATCHES:-$batches}; do
    # shellcheck disable=SC2086 # flags
    trained "benchmark-$graph-batch-$batch-1" "$graph" --dim 128 $how --batch "$batch" --structure complex --seed 1
  done
done
