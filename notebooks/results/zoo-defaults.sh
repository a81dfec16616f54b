#!/usr/bin/env bash
# Prints the mean of the best validation MRRs on three small graphs for settings of distances and TuckER,
# with one seed: those that chose their recipes. THREADS is the number of threads. AUTOBLM_DATA names the
# benchmarks. jq is needed.
set -euo pipefail
trap 'exit 130' INT TERM

try() { # MODEL FLAG...
  for graph in umls nations kinship; do
    autoblm train --dataset "$graph" --model "$1" --recipe basic --validate-every 5 --patience 4 --seed 1 \
      --no-eval ${THREADS:+--threads "$THREADS"} --json "${@:2}" --out model 2>/dev/null
    rm -rf model
  done | jq -s -c --arg what "$*" '[$what, (map(.validations | map(.mrr) | max) | add / length)]'
}

negatives=(--dim 256 --batch 128 --negatives 64)
for model in transe transh rotate; do
  try $model --dim 64 --lr 0.3 --batch 256 --epochs 120
  try $model --dim 256 --lr 0.3 --batch 256 --epochs 120
  try $model --dim 256 --lr 0.1 --batch 128 --epochs 120
  try $model "${negatives[@]}" --lr 0.1 --margin 6 --epochs 120
  [ $model = rotate ] && continue
  try $model "${negatives[@]}" --lr 0.3 --margin 6 --epochs 120
  try $model "${negatives[@]}" --lr 0.1 --margin 9 --adversarial-temperature 1 --epochs 120
done
normalized=(--reciprocal --optimizer adam --init xavier --batch-norm --lr 0.003 --input-dropout 0.2 --dropout 0.3)
try tucker
try tucker --reciprocal --lr 0.1
try tucker "${normalized[@]}" --dim 100 --batch 128 --epochs 60
try tucker "${normalized[@]}" --dim 64 --batch 256 --epochs 60
try tucker --reciprocal --lr 0.1 --dim 64 --ivr 0.01 --ivr-products 0.03 --ivr-power 2 --epochs 60
try tucker "${normalized[@]}" --loss bce --dim 100 --batch 128 --epochs 120
try pairre --dim 400 --lr 0.1 --batch 256 --epochs 60
try pairre --dim 400 --lr 0.1 --batch 256 --epochs 60 --negatives 64 --margin 6
try pairre "${negatives[@]}" --lr 0.1 --margin 6 --epochs 120
try pairre --dim 128 --lr 0.1 --batch 256 --epochs 60
