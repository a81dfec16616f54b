#!/usr/bin/env bash
# Trains ComplEx on the paper's benchmarks as searched.sh does, at d 128, but for the batch or for
# how many entities answers are learnt among, and records what came of it in the folder where it is
# run, as benchmark-GRAPH-batch-BATCH-1.json and benchmark-GRAPH-softmax-ENTITIES-1.json.
# GRAPHS, BATCHES and SAMPLES choose what is trained, THREADS by how many threads. AUTOBLM_DATA names the benchmarks.
# What is there already is not trained again, and what was interrupted goes on.
set -euo pipefail
. "$(dirname "$0")/trained.sh"

for graph in ${GRAPHS:-wn18rr fb15k-237 wn18 fb15k}; do
  case $graph in # searched.sh has 250 on WN18RR and 500 on the others, and all entities
  wn18rr) batch=250 batches="100 500 1000" samples="2048" how="--recipe n3 --n3 0.1 --epochs 20" ;;
  fb15k-237) batch=500 batches="250 1000" samples="512 1024 2048 4096" how="--recipe rp --epochs 20" ;;
  wn18) batch=500 batches="250 1000" samples="2048" how="--recipe n3 --epochs 20" ;;
  fb15k) batch=500 batches="250 1000" samples="2048" how="--recipe n3 --lr 0.1 --n3 0.02 --epochs 10 --validate-every 5" ;;
  *)
    echo "curves.sh: there is nothing for $graph" >&2
    exit 2
    ;;
  esac
  # shellcheck disable=SC2086 # flags
  {
    for other in ${BATCHES-$batches}; do
      trained "benchmark-$graph-batch-$other-1" "$graph" --dim 128 $how --batch "$other" --structure complex --seed 1
    done
    for sample in ${SAMPLES-$samples}; do
      trained "benchmark-$graph-softmax-$sample-1" "$graph" --dim 128 $how --batch "$batch" --sampled-softmax "$sample" --structure complex --seed 1
    done
  }
done
