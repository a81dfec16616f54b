#!/usr/bin/env bash
# Searches a structure on the paper's benchmarks by AutoBLM+ with rungs, at a short dimension and
# by a recipe of the benchmarks, then trains the structure that was best by validation there, and
# ComplEx, alike at a larger one. Writes the results to the current folder: the search
# as searched-GRAPH-SEED.json, the trainings as benchmark-GRAPH-found-SEED.json and
# benchmark-GRAPH-complex-SEED.json.
# GRAPHS and SEEDS choose what is done, THREADS by how many threads. AUTOBLM_DATA names the benchmarks.
# What is there already is not done again, and an interrupted training resumes.
set -euo pipefail
. "$(dirname "$0")/trained.sh"

search() { # GRAPH SEED FLAG...
  local name=searched-$1-$2
  [ -e "$name.json" ] && return
  autoblm search --dataset "$1" --budget 64 --tune 0 --retrain-seeds 0 --ensemble 0 --dim 32 "${@:3}" --seed "$2" ${THREADS:+--threads "$THREADS"} --out "$name" --record "$name.part" --json >/dev/null
  mv "$name.part" "$name.json" # an interrupted search has a record, too
}

train() { # GRAPH SEED NAME FLAG...
  trained "benchmark-$1-$3-$2" "$1" --dim 128 "${@:4}" --seed "$2"
}

for seed in ${SEEDS:-1}; do
  for graph in ${GRAPHS:-wn18rr fb15k-237 wn18 fb15k}; do
    case $graph in
    wn18rr)
      small="--recipe n3 --n3-block 1 --batch 128 --lr 0.3 --n3 0.02 --epochs 12 --halving 2"
      large="--recipe n3 --n3-block 1 --batch 250 --n3 0.1 --epochs 20"
      ;;
    fb15k-237)
      small="--recipe rp --n3-block 1 --batch 250 --lr 0.3 --n3 0.02 --relation-prediction 1 --epochs 9 --halving 2"
      large="--recipe rp --n3-block 1 --epochs 20"
      ;;
    wn18)
      small="--recipe n3 --n3-block 1 --batch 128 --lr 0.3 --n3 0.02 --epochs 9 --halving 2"
      large="--recipe n3 --n3-block 1 --epochs 20"
      ;;
    fb15k)
      small="--recipe n3 --n3-block 1 --batch 500 --lr 0.3 --n3 0.005 --epochs 3 --halving 1"
      large="--recipe n3 --n3-block 1 --batch 500 --lr 0.1 --n3 0.02 --epochs 10 --validate-every 5"
      ;;
    *)
      echo "searched.sh: there is nothing for $graph" >&2
      exit 2
      ;;
    esac
    # shellcheck disable=SC2086 # flags
    {
      search "$graph" "$seed" $small
      train "$graph" "$seed" found $large --study "searched-$graph-$seed/study.db"
      train "$graph" "$seed" complex $large --structure complex
    }
  done
done
