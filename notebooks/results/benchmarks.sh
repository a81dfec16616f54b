#!/usr/bin/env bash
# Trains by the recipes of others on the paper's benchmarks, at sizes that two cores reach in hours,
# and makes ensembles of strong ones on a graph. Writes the results to the current folder,
# as benchmark-GRAPH-NAME-SEED.json and ensembled-GRAPH-best*.json.
# GRAPHS and SEEDS choose what is trained, THREADS by how many threads. AUTOBLM_DATA names the benchmarks.
# What is there already is not trained again, and an interrupted training resumes.
set -euo pipefail
. "$(dirname "$0")/trained.sh"

train() { # GRAPH NAME FLAG...: by each seed
  for seed in ${SEEDS:-1}; do
    trained "benchmark-$1-$2-$seed" "$1" "${@:3}" --seed "$seed"
  done
}

ensemble() { # GRAPH NAME MEMBER...: as soon as all of them are there
  local name=ensembled-$1-$2 member
  [ -e "$name.json" ] && return
  for member in "${@:3}"; do
    [ -e "benchmark-$1-$member/model" ] || return 0
  done
  local members=("${@:3}")
  members=("${members[@]/#/benchmark-$1-}")
  autoblm ensemble --dataset "$1" --all ${THREADS:+--threads "$THREADS"} --out "$name" --record "$name.json" "${members[@]/%//model}" >/dev/null
}

for graph in ${GRAPHS:-wn18rr fb15k-237 wn18 fb15k}; do
  case $graph in
  wn18rr)
    train $graph rescal --recipe rescal --init xavier --frequency 0 --epochs 100
    train $graph rescal-2048 --recipe rescal --init xavier --sampled-softmax 2048 --epochs 200 --validate-every 10
    train $graph rescal-cooled --recipe rescal --init xavier --sampled-softmax 2048 --precision float32 --epochs 100 --cooldown 50 --validate-every 10
    train $graph rescal-falling --recipe rescal --init xavier --sampled-softmax 2048 --lr 0.3 --epochs 150 --cooldown 145 --validate-every 15
    train $graph bique --recipe bique --sampled-softmax 1024 --epochs 60 --validate-every 10
    # The best structure of structures-wn18rr.sh and translated ComplEx, by their own penalties.
    train $graph found8 --recipe bique --structure '1,2,3,-6,5,6,7,8;-2,1,-4,3,-6,5,-8,7;-3,-4,1,2,-7,-8,5,6;4,-3,-2,1,8,-7,-6,5;-5,-6,7,8,1,2,-3,-4;6,-5,-8,7,-2,1,4,-3;-7,-8,-5,-6,3,4,1,2;8,-7,6,-5,-4,3,-2,1' \
      --entity-n3 0.4 --relation-n3 0.1 --sampled-softmax 1024 --epochs 60 --cooldown 30 --validate-every 10
    train $graph translated --recipe n3 --translate --n3 0 --entity-n3 0.15 --relation-n3 0.15 --frequency 0.9 \
      --dim 1024 --batch 150 --sampled-softmax 1024 --epochs 30 --cooldown 15 --validate-every 10
    # Two sizes, of which the one with the higher validation MRR counts.
    train $graph dura-translated-512 --recipe dura --translate --dim 512 --init-scale 0.1 --batch 512 \
      --entity-l2 0.15 --products 0.15 --sampled-softmax 4096 --epochs 150 --cooldown 100 --validate-every 30
    train $graph dura-translated --recipe dura --translate --dim 1024 --batch 512 --entity-l2 0.15 --products 0.15 \
      --sampled-softmax 8192 --epochs 160 --cooldown 110 --validate-every 10
    train $graph kgbench --recipe kgbench --sampled-softmax 1024 --epochs 200
    train $graph ivr-tucker --recipe ivr-tucker --batch 512 --sampled-softmax 2048 --epochs 60 --validate-every 5
    train $graph dura-cp --recipe dura-cp --dim 2000 --batch 150 --sampled-softmax 1024 --epochs 50 --validate-every 10
    train $graph ivr --recipe ivr --dim 2000 --batch 150 --sampled-softmax 1024 --epochs 50 --validate-every 10
    train $graph metasd-base --recipe metasd-base --dim 2000 --sampled-softmax 1024 --epochs 50 --validate-every 10
    ensemble $graph best rescal-2048-1 rescal-2048-2
    ;;
  fb15k-237)
    train $graph rp --recipe rp --n3-block 1 --dim 1000 --epochs 60 --validate-every 10
    train $graph rp-1024 --recipe rp --n3-block 1 --dim 1000 --sampled-softmax 1024 --epochs 60 --validate-every 10
    train $graph rp-half --recipe rp --n3-block 1 --dim 1000 --relation-prediction 0.5 --sampled-softmax 1024 --epochs 50 --validate-every 10
    train $graph rp-2000 --recipe rp --n3-block 1 --dim 2000 --batch 600 --answers-per-query 16 --epochs 60 --validate-every 10
    train $graph rp-one --recipe rp --n3-block 1 --dim 1000 --batch 600 --relation-prediction 1 --answers-per-query 16 --epochs 22 --validate-every 11
    train $graph rp-cooled --recipe rp --n3-block 1 --dim 2000 --batch 600 --answers-per-query 16 --sparse-gradients 256 --precision float32 --epochs 66 --cooldown 12 --validate-every 6
    train $graph rp-fast --recipe rp --n3-block 1 --dim 2000 --batch 600 --lr 0.4 --answers-per-query 16 --sparse-gradients 256 --precision float32 --epochs 45 --cooldown 15 --validate-every 5
    train $graph rp-long --recipe rp --n3-block 1 --dim 2000 --batch 600 --answers-per-query 16 --epochs 110 --cooldown 40 --validate-every 10
    train $graph rp-falling --recipe rp --n3-block 1 --dim 2000 --batch 600 --lr 0.2 --answers-per-query 16 --epochs 105 --cooldown 100 --validate-every 15
    train $graph rp-apart --recipe rp --n3-block 1 --dim 2000 --batch 1000 --lr 0.2 --sparse-gradients 256 --epochs 60 --cooldown 57 --validate-every 6
    train $graph rp-apart-long --recipe rp --n3-block 1 --dim 2000 --batch 1000 --sparse-gradients 256 --epochs 105 --cooldown 40 --validate-every 10
    train $graph rp-moduli --recipe rp --dim 2000 --batch 600 --answers-per-query 16 --sparse-gradients 256 --epochs 50 --cooldown 25 --validate-every 10
    train $graph rp-moduli-long --recipe rp --dim 2000 --batch 600 --answers-per-query 16 --sparse-gradients 256 --epochs 100 --cooldown 40 --validate-every 10
    for how in "512 --lr 0.1 --cooldown 10" "512-falling --lr 0.2 --cooldown 45" "512-faster --lr 0.4 --cooldown 45" "512-heavier --lr 0.2 --cooldown 45 --n3 0.2" \
      "512-prediction-2 --lr 0.2 --cooldown 45 --relation-prediction 2" "512-prediction-8 --lr 0.2 --cooldown 45 --relation-prediction 8"; do
      # shellcheck disable=SC2086 # flags
      train $graph rp-${how%% *} --recipe rp --n3-block 1 --dim 512 --batch 600 ${how#* } --answers-per-query 16 --epochs 50 --validate-every 10
    done
    ensemble $graph best rp-2000-1 rp-one-1
    ensemble $graph best-cooled rp-cooled-1 rp-fast-1
    ensemble $graph best-falling rp-falling-1 rp-long-1
    ensemble $graph best-apart rp-apart-1 rp-long-1
    ;;
  wn18)
    train $graph n3 --recipe n3 --n3-block 1 --dim 512 --batch 500
    train $graph n3-1000 --recipe n3 --n3-block 1 --dim 1000 --batch 500 --sampled-softmax 2048
    train $graph n3-cooled --recipe n3 --n3-block 1 --dim 1000 --batch 500 --sampled-softmax 2048 --precision float32 --cooldown 10
    train $graph rescal --recipe rescal --epochs 40 --patience 0
    ;;
  fb15k)
    train $graph n3 --recipe n3 --n3-block 1 --dim 1000 --batch 500 --lr 0.1 --n3 0.02 --epochs 50 --validate-every 10
    train $graph n3-together --recipe n3 --n3-block 1 --dim 1000 --batch 600 --lr 0.1 --n3 0.01 --answers-per-query 16 --epochs 30 --validate-every 5
    train $graph n3-decay --recipe n3 --n3-block 1 --dim 1000 --batch 600 --lr 0.1 --decay 0.85 --n3 0.015 --answers-per-query 16 --sparse-gradients 256 --epochs 18 --validate-every 6
    train $graph n3-2000 --recipe n3 --n3-block 1 --dim 2000 --batch 600 --lr 0.1 --n3 0.02 --answers-per-query 16 --sparse-gradients 256 --epochs 20 --validate-every 5
    train $graph n3-cooled --recipe n3 --n3-block 1 --dim 1000 --batch 600 --lr 0.1 --n3 0.02 --answers-per-query 16 --sparse-gradients 256 --precision float32 --epochs 24 --cooldown 14 --validate-every 6
    train $graph n3-heavier --recipe n3 --n3-block 1 --dim 1000 --batch 600 --lr 0.1 --n3 0.04 --answers-per-query 16 --sparse-gradients 256 --precision float32 --epochs 24 --cooldown 14 --validate-every 6
    train $graph n3-fast --recipe n3 --n3-block 1 --dim 1000 --batch 600 --lr 0.2 --n3 0.02 --answers-per-query 16 --sparse-gradients 256 --precision float32 --epochs 32 --cooldown 16 --validate-every 8
    train $graph n3-apart --recipe n3 --n3-block 1 --dim 1000 --batch 500 --lr 0.1 --n3 0.02 --epochs 32 --cooldown 14 --validate-every 8
    ensemble $graph best n3-decay-1 n3-2000-1
    ensemble $graph best-cooled n3-cooled-1 n3-fast-1
    ;;
  *)
    echo "benchmarks.sh: there is nothing for $graph" >&2
    exit 2
    ;;
  esac
done
