#!/usr/bin/env bash
# Trains models that are not structures on WN18RR, FB15k-237 and WN18, on one thread with one seed, in the
# folder where it is run: other-GRAPH-NAME.json has the validation and test MRRs. Makes ensembles of
# them and models of benchmarks.sh, if these are there: ensembled-GRAPH-best-*.json. BACKEND is that of
# the models that only GoMLX trains. AUTOBLM_DATA names the benchmarks. What is there already is not
# done again, and an interrupted training resumes.
set -euo pipefail
trap 'exit 130' INT TERM

run() { # GRAPH NAME FLAG...
  local name=other-$1-$2
  [ -s "$name.json" ] && return
  autoblm train --threads 1 --seed 1 --dataset "$1" "${@:3}" --out "$name" --record "$name.part" >/dev/null
  mv "$name.part" "$name.json"
}

train() { run "$1" "$2" --recipe basic --model "$2" "${@:3}"; } # GRAPH MODEL FLAG...

gomlx() { run "$@" --backend "${BACKEND:-xla:cpu}"; }

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
train fb15k-237 transe --dim 400 --negatives 256 --margin 9 --adversarial-temperature 1 --subsampling \
  --batch 512 --lr 0.1 --epochs 16 --cooldown 10 --validate-every 4
train wn18rr transe --dim 400 --negatives 256 --margin 6 --batch 512 --lr 0.1 --epochs 20 --cooldown 10 \
  --validate-every 5
gomlx fb15k-237 conve --recipe conve --batch 512 --epochs 60 --cooldown 24 --decay 1 --lr 0.003 \
  --validate-every 5 --validate-sample 3000
gomlx wn18rr compgcn --recipe compgcn --model conve --encoder-layers 1 --loss log-loss \
  --sampled-softmax 4096 --answers-per-query 16 --batch 2048 --lr 0.003 --dropout 0.3 --input-dropout 0.2 \
  --feature-dropout 0.2 --encoder-dropout 0.1 --edge-dropout 0.1 --epochs 45 --cooldown 0.4 --validate-every 5
gomlx fb15k-237 rgcn --recipe rgcn --dim 200 --encoder-layers 1 --encoder-bases 2 --sampled-softmax 4096 \
  --reciprocal --batch 4096 --lr 0.005 --epochs 20 --validate-every 4
gomlx wn18rr interstellar --recipe interstellar --sampled-softmax 1024 --epochs 30 --validate-every 3 \
  --validate-sample 1500
gomlx fb15k-237 rsn --recipe rsn --dim 256 --sampled-softmax 1024 --lr 0.001 --dropout 0.3 --epochs 15 \
  --validate-every 3 --validate-sample 1500
run wn18rr core-3 --recipe ivr-tucker --model core-3 --dim 384 --batch 512 --sampled-softmax 2048 \
  --epochs 180 --cooldown 20 --validate-every 10
run wn18rr tucker-180 --recipe ivr-tucker --batch 512 --sampled-softmax 2048 --precision bfloat16 \
  --epochs 180 --cooldown 20 --validate-every 10
gomlx fb15k-237 rsn-dropout --recipe rsn --dim 256 --sampled-softmax 1024 --lr 0.001 --decay 0.8 --dropout 0.5 \
  --epochs 8 --validate-every 1 --validate-sample 1500
gomlx wn18rr conve --recipe conve --loss log-loss --label-smoothing 0 --sampled-softmax 4096 \
  --answers-per-query 16 --batch 512 --epochs 60 --cooldown 24 --decay 1 --lr 0.003 --validate-every 5 \
  --validate-sample 1500
gomlx fb15k-237 interstellar --recipe interstellar --sampled-softmax 1024 --dim 256 --lr 0.002 --epochs 14 \
  --validate-every 2 --validate-sample 1500
gomlx fb15k-237 compgcn --recipe compgcn --model conve --encoder-layers 1 --loss log-loss \
  --sampled-softmax 4096 --answers-per-query 16 --batch 2048 --lr 0.003 --dropout 0.3 --input-dropout 0.2 \
  --feature-dropout 0.2 --encoder-dropout 0.1 --edge-dropout 0.1 --epochs 20 --cooldown 0.5 --validate-every 4 \
  --validate-sample 3000
run wn18rr transe-40 --recipe basic --model transe --dim 400 --negatives 256 --margin 6 --adversarial-temperature 0.5 \
  --batch 512 --lr 0.1 --epochs 40 --cooldown 20 --validate-every 5
# Its first epochs are those of the longer training above.
gomlx wn18rr interstellar-15 --recipe interstellar --sampled-softmax 1024 --epochs 15 --validate-every 3 \
  --validate-sample 1500
gomlx wn18rr interstellar-dropout --recipe interstellar --sampled-softmax 1024 --dropout 0.5 --epochs 18 \
  --validate-every 3 --validate-sample 1500
run fb15k-237 tucker --recipe ivr-tucker --dim 128 --batch 1024 --sampled-softmax 4096 --epochs 24 \
  --cooldown 12 --validate-every 6
run fb15k-237 tucker-36 --recipe ivr-tucker --dim 128 --batch 1024 --sampled-softmax 4096 --epochs 36 \
  --cooldown 20 --validate-every 6
run wn18 core-2 --recipe basic --model core-2 --dim 256 --reciprocal --batch 512 --lr 0.1 --init-scale 0.0058 \
  --ivr 0.01 --ivr-products 0.03 --ivr-power 2 --sampled-softmax 2048 --epochs 45 --cooldown 15 --validate-every 5
run wn18 core-3 --recipe basic --model core-3 --dim 384 --reciprocal --batch 512 --lr 0.1 --init-scale 0.0058 \
  --ivr 0.01 --ivr-products 0.03 --ivr-power 2 --sampled-softmax 2048 --epochs 28 --cooldown 14 --validate-every 7
run fb15k-237 tucker-160 --recipe ivr-tucker --dim 160 --batch 1024 --sampled-softmax 4096 --epochs 40 \
  --cooldown 24 --validate-every 8
run wn18rr transe-150 --recipe basic --model transe --dim 400 --negatives 256 --margin 6 --adversarial-temperature 1 \
  --batch 512 --lr 0.1 --epochs 150 --cooldown 75 --validate-every 10
run wn18rr transe-adam --recipe basic --model transe --dim 400 --negatives 256 --margin 6 --adversarial-temperature 1 \
  --batch 512 --optimizer adam --init-scale 0.01 --lr 0.001 --epochs 150 --cooldown 75 --validate-every 10
run wn18rr transh-adam --recipe basic --model transh --dim 400 --negatives 256 --margin 6 --adversarial-temperature 1 \
  --batch 512 --optimizer adam --init-scale 0.01 --lr 0.001 --epochs 60 --cooldown 30 --validate-every 10
run wn18rr rotate-adam --recipe rotate --dim 400 --negatives 256 --lr 0.001 --relation-rate 50 --epochs 100 \
  --cooldown 80 --validate-every 10
run fb15k-237 pairre-800 --recipe pairre --dim 800 --init-scale 0.01 --batch 512 --lr 0.001 --epochs 40 \
  --cooldown 24 --validate-every 8 --validate-sample 4000
run fb15k-237 rotate-800 --recipe rotate --dim 800 --batch 512 --lr 0.0005 --relation-rate 50 --epochs 40 \
  --cooldown 24 --validate-every 8 --validate-sample 4000
run fb15k-237 rotate-800-long --recipe rotate --dim 800 --batch 512 --lr 0.0005 --relation-rate 50 --epochs 56 \
  --cooldown 46 --validate-every 8 --validate-sample 4000
run wn18rr rotate-600 --recipe rotate --dim 600 --negatives 512 --lr 0.0005 --relation-rate 50 --epochs 100 \
  --cooldown 80 --validate-every 10
run fb15k-237 rotate-500 --recipe rotate --dim 500 --batch 512 --lr 0.001 --relation-rate 50 --epochs 60 \
  --cooldown 55 --validate-every 15 --validate-sample 4000
run wn18 core-3-60 --recipe basic --model core-3 --dim 384 --reciprocal --batch 512 --lr 0.1 --init-scale 0.0058 \
  --ivr 0.01 --ivr-products 0.03 --ivr-power 2 --sampled-softmax 2048 --epochs 60 --cooldown 40 --validate-every 10
gomlx wn18rr compgcn-complex --recipe compgcn --encoder-layers 1 --structure complex --dim 400 --loss log-loss \
  --sampled-softmax 2048 --answers-per-query 16 --batch 2048 --lr 0.003 --n3 0.02 --encoder-dropout 0.1 --edge-dropout 0.1 \
  --epochs 100 --cooldown 64 --validate-every 10 --validate-sample 1500
run wn18rr rotate-1000 --recipe rotate --dim 1000 --negatives 512 --lr 0.0004 --relation-rate 50 --epochs 90 \
  --cooldown 72 --validate-every 10 --validate-sample 1500
gomlx fb15k-237 compgcn-complex --recipe compgcn --encoder-layers 1 --structure complex --dim 400 --loss log-loss \
  --sampled-softmax 2048 --answers-per-query 16 --batch 2048 --lr 0.003 --n3 0.02 --encoder-dropout 0.1 --edge-dropout 0.1 \
  --epochs 11 --cooldown 7 --validate-every 2 --validate-sample 3000
gomlx fb15k-237 compgcn-complex-70 --recipe compgcn --encoder-layers 1 --structure complex --dim 400 --loss log-loss \
  --sampled-softmax 2048 --answers-per-query 16 --batch 2048 --lr 0.003 --n3 0.02 --encoder-dropout 0.1 --edge-dropout 0.1 \
  --epochs 70 --cooldown 46 --validate-every 5 --validate-sample 3000
run wn18rr rotate-1000-40 --recipe rotate --dim 1000 --negatives 512 --lr 0.0004 --relation-rate 50 --epochs 40 \
  --cooldown 34 --validate-every 5
run fb15k-237 rotate-1000 --recipe basic --model rotate --dim 1000 --negatives 256 --margin 9 \
  --adversarial-temperature 1 --subsampling --batch 512 --lr 0.04 --init-scale 0.04 --epochs 50 --cooldown 45 \
  --validate-every 10 --validate-sample 4000
run fb15k-237 pairre-1500 --recipe pairre --dim 1500 --init-scale 0.01 --adversarial-temperature 2 --batch 512 \
  --lr 0.001 --epochs 36 --cooldown 34 --validate-every 4 --validate-sample 4000
run fb15k-237 pairre-1500-100 --recipe pairre --dim 1500 --init-scale 0.01 --batch 512 --lr 0.0002 --epochs 100 \
  --cooldown 80 --validate-every 10 --validate-sample 4000
gomlx fb15k-237 rsn-4096 --recipe rsn --dim 256 --sampled-softmax 4096 --lr 0.0007 --decay 0.8 --dropout 0.5 \
  --epochs 9 --validate-every 1 --validate-sample 1500
gomlx fb15k-237 interstellar-4096 --recipe interstellar --sampled-softmax 4096 --dim 256 --lr 0.002 --epochs 14 \
  --cooldown 7 --validate-every 2 --validate-sample 1500
gomlx fb15k-237 compgcn-complex-8192 --recipe compgcn --encoder-layers 1 --structure complex --dim 400 --loss log-loss \
  --sampled-softmax 8192 --answers-per-query 16 --batch 2048 --lr 0.003 --n3 0.02 --encoder-dropout 0.1 --edge-dropout 0.1 \
  --epochs 12 --cooldown 8 --validate-every 2 --validate-sample 3000
gomlx fb15k-237 compgcn-200 --recipe compgcn --encoder-layers 1 --encoder-dim 200 --structure complex --dim 400 \
  --loss log-loss --sampled-softmax 8192 --answers-per-query 16 --batch 2048 --lr 0.008 --n3 0.06 --encoder-dropout 0.1 \
  --edge-dropout 0.1 --epochs 40 --cooldown 34 --validate-every 5 --validate-sample 3000
gomlx wn18rr compgcn-translated --recipe compgcn --encoder-layers 1 --structure complex --translate --dim 400 \
  --loss log-loss --sampled-softmax 2048 --answers-per-query 16 --batch 1024 --lr 0.008 --n3 0.02 --encoder-dropout 0.1 \
  --edge-dropout 0.1 --epochs 42 --cooldown 34 --validate-every 4 --validate-sample 1500
gomlx fb15k-237 compgcn-predicting --recipe compgcn --encoder-layers 1 --encoder-dim 200 --structure complex --dim 512 \
  --loss log-loss --sampled-softmax 8192 --answers-per-query 16 --batch 2048 --lr 0.01 --n3 0.06 --n3-block 2 \
  --relation-prediction 1 --encoder-dropout 0.1 --edge-dropout 0.1 --epochs 52 --cooldown 45 --validate-every 4 \
  --validate-sample 3000

together() { # GRAPH NAME FLAG... MEMBER...: in the folder where benchmarks.sh has trained its models too
  local name=ensembled-$1-$2
  [ -s "$name.json" ] && return
  autoblm ensemble --dataset "$1" --threads 1 --out "$name" --record "$name.part" "${@:3}" >/dev/null
  mv "$name.part" "$name.json"
}

if [ -e benchmark-wn18rr-bique-1 ]; then
  together wn18rr best-forms --all --by relation \
    benchmark-wn18rr-{rescal-2048,bique,kgbench,ivr-tucker}-1/model other-wn18rr-core-3
  together wn18rr best-translated benchmark-wn18rr-dura-translated-512-1/model other-wn18rr-tucker-180
  # Of these two, the one to report has the higher held-out MRR.
  many=(benchmark-wn18rr-{rescal-2048,bique,kgbench}-1/model other-wn18rr-{conve,interstellar-15,rotate})
  together wn18rr best-many "${many[@]}"
  together wn18rr best-many-relation --all --by relation "${many[@]}"
fi
if [ -e benchmark-fb15k-237-rp-moduli-long-1 ]; then
  together fb15k-237 best-forms --all --by relation \
    benchmark-fb15k-237-rp-moduli-long-1/model other-fb15k-237-{conve,transe}
fi
