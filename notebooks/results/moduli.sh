#!/usr/bin/env bash
# Trains ComplEx on the paper's benchmarks with N3 of the moduli of complex numbers, as published, and
# on FB15k-237 with N3 of their coordinates, too, alike but for that. On the other graphs ensembled.sh
# trains that, as benchmark-GRAPH-complex-512-1. Writes the results to the current folder as
# benchmark-GRAPH-moduli-DIM-1.json and -coordinates-.
# GRAPHS and NORMS choose what is trained, THREADS by how many threads. AUTOBLM_DATA names the benchmarks.
# What is there already is not trained again, and an interrupted training resumes.
set -euo pipefail
. "$(dirname "$0")/trained.sh"

for graph in ${GRAPHS:-wn18rr fb15k-237 wn18 fb15k}; do
  case $graph in
  wn18rr) norms="moduli" dim=512 how="--recipe n3 --batch 250 --n3 0.1 --epochs 20 --sampled-softmax 2048" ;;
  fb15k-237) norms="moduli coordinates" dim=256 how="--recipe rp --batch 600 --lr 0.2 --answers-per-query 16 --sparse-gradients 256 --epochs 24 --cooldown 20 --validate-every 4" ;;
  wn18) norms="moduli" dim=512 how="--recipe n3 --batch 500 --epochs 20 --sampled-softmax 2048" ;;
  fb15k) norms="moduli" dim=512 how="--recipe n3 --batch 500 --lr 0.1 --n3 0.02 --epochs 20 --validate-every 5 --sampled-softmax 2048" ;;
  *)
    echo "moduli.sh: there is nothing for $graph" >&2
    exit 2
    ;;
  esac
  for norm in ${NORMS:-$norms}; do
    of="--n3-block 2"
    [ "$norm" = moduli ] || of="--n3-block 1"
    # shellcheck disable=SC2086 # flags
    trained "benchmark-$graph-$norm-$dim-1" "$graph" $how $of --dim $dim --structure complex --seed 1
  done
done
