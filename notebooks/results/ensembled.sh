#!/usr/bin/env bash
# Trains members of ensembles on the paper's benchmarks, alike: ComplEx by two seeds, the structure
# that searched.sh found, and a ComplEx of as many numbers as two members have. Then it makes an ensemble
# of the two seeds and one of the two structures. Writes the results to the current folder: the
# trainings as benchmark-GRAPH-MODEL-DIM-SEED.json, the ensembles as ensembled-GRAPH-seeds.json and
# ensembled-GRAPH-structures.json.
# GRAPHS chooses what is done, PARTS which of complex, found, seeds and large, THREADS by how many
# threads. AUTOBLM_DATA names the benchmarks; jq is needed.
# What is there already is not done again, and an interrupted training resumes.
set -euo pipefail
here=$(dirname "$0")
. "$here/trained.sh"

train() { # GRAPH MODEL DIM SEED FLAG...
  trained "benchmark-$1-$2-$3-$4" "$1" --dim "$3" "${@:5}" --seed "$4"
}

ensemble() { # GRAPH KIND MEMBER MEMBER, where both are
  local name=ensembled-$1-$2
  [ -e "$name.json" ] || ! [ -e "$3.json" ] || ! [ -e "$4.json" ] ||
    autoblm ensemble --dataset "$1" --all ${THREADS:+--threads "$THREADS"} --out "$name" --record "$name.json" "$3/model" "$4/model" >/dev/null
}

for graph in ${GRAPHS:-wn18rr fb15k-237 wn18 fb15k}; do
  case $graph in
  wn18rr) dim=256 how="--recipe n3 --n3-block 1 --batch 250 --n3 0.1 --epochs 20 --sampled-softmax 2048" ;;
  fb15k-237) dim=256 how="--recipe rp --n3-block 1 --epochs 20" ;;
  wn18) dim=512 how="--recipe n3 --n3-block 1 --batch 500 --epochs 20 --sampled-softmax 2048" ;;
  fb15k) dim=256 how="--recipe n3 --n3-block 1 --batch 500 --lr 0.1 --n3 0.02 --epochs 20 --validate-every 5 --sampled-softmax 2048" ;;
  *)
    echo "ensembled.sh: there is nothing for $graph" >&2
    exit 2
    ;;
  esac
  for part in ${PARTS:-complex found seeds large}; do
    # shellcheck disable=SC2086 # flags
    case $part in
    complex) train "$graph" complex $dim 1 $how --structure complex ;;
    found) train "$graph" found $dim 1 $how --structure "$(jq -r '.result.best[0].structure' "$here/searched-$graph-1.json")" ;;
    seeds) train "$graph" complex $dim 2 $how --structure complex ;;
    large) train "$graph" complex $((2 * dim)) 1 $how --structure complex ;;
    esac
  done
  ensemble "$graph" structures benchmark-"$graph"-{complex,found}-$dim-1
  ensemble "$graph" seeds benchmark-"$graph"-complex-$dim-{1,2}
done
