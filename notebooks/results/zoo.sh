#!/usr/bin/env bash
# Trains models of other kinds on three small graphs, with one seed each, in the folder where it is run:
# zoo-GRAPH-NAME.json has their validation and test MRRs. Validation chose the recipes of distances and
# TuckER (autoblm recipe show says how); the others are first choices. BACKEND is that of the models that
# only GoMLX trains, such as xla:cpu; THREADS is the number of threads of the others.
# AUTOBLM_DATA names the benchmarks. What is there already is not done again.
set -euo pipefail
trap 'exit 130' INT TERM

train() { # NAME FLAG...
  [ -s "zoo-$graph-$1.json" ] && return
  autoblm train --dataset "$graph" --seed 1 "${@:2}" --out model --record record.part >/dev/null
  rm -rf model
  mv record.part "zoo-$graph-$1.json"
}

native() { train "$@" ${THREADS:+--threads "$THREADS"}; }
gomlx() { train "$@" --backend "${BACKEND:-go}"; }

for graph in umls kinship nations; do
  native distmult --recipe small --structure distmult
  native transe --recipe transe
  native transh --recipe transh
  native rotate --recipe rotate
  native pairre --recipe pairre
  native tucker --recipe tucker
  gomlx conve --recipe basic --model conve-10-32-3 --loss bce --reciprocal --optimizer adam --lr 0.003 \
    --init xavier --dim 100 --batch 128 --validate-every 10 --epochs 60 \
    --input-dropout 0.2 --dropout 0.3 --feature-dropout 0.2
  gomlx compgcn --recipe compgcn --structure distmult
  gomlx rgcn --recipe rgcn --structure distmult
  gomlx interstellar --recipe basic --model interstellar-wn18rr --walk-hops 3 --dim 128 --batch 256 \
    --epochs 20 --optimizer adam --lr 0.003 --init xavier --dropout 0.3 --decay 0.98 --validate-every 2
  gomlx rsn --recipe rsn
done
