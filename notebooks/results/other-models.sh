#!/usr/bin/env bash
# Trains models that are not bilinear on WN18RR and FB15k-237, on one thread with one seed, in the
# folder where it is run: other-GRAPH-MODEL.json has the validation and test MRRs. AUTOBLM_DATA names
# the benchmarks. What is there already is not done again.
set -euo pipefail
trap 'exit 130' INT TERM

train() { # GRAPH MODEL FLAG...
  local file=other-$1-$2.json
  [ -s "$file" ] && return
  autoblm train --threads 1 --seed 1 --dataset "$1" --model "$2" "${@:3}" --out model --record record.part >/dev/null
  rm -rf model
  mv record.part "$file"
}

train wn18rr rotate --dim 400 --negatives 256 --margin 6 --batch 512 --lr 0.1 --epochs 60 \
  --cooldown 40 --validate-every 10
train wn18rr transh --dim 400 --batch 512 --negatives 1024 --margin 6 --lr 0.05 --epochs 25 \
  --cooldown 15 --validate-every 5
train fb15k-237 rotate --dim 400 --batch 512 --negatives 256 --margin 9 --adversarial-temperature 1 \
  --subsampling --lr 0.1 --epochs 20 --cooldown 12 --validate-every 5
train fb15k-237 transh --dim 300 --batch 512 --negatives 256 --margin 9 --lr 0.05 --epochs 10 \
  --cooldown 6 --validate-every 5
train fb15k-237 pairre --dim 400 --negatives 256 --margin 6 --batch 512 --lr 0.1 --epochs 10 \
  --validate-every 5
