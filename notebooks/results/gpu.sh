#!/usr/bin/env bash
# Measures on an NVIDIA GPU what takes days on CPUs: gpu.sh STEP. Each step is sized for at most nine
# minutes on an H200 and writes its records into the folder where it is run; what is there already is
# not trained again. BACKEND names the backend, AUTOBLM_DATA the benchmarks, and FLAGS more flags,
# such as the smallest shapes for a rehearsal: BACKEND=xla:cpu FLAGS="--dim 8 --epochs 2 --cooldown 0"
# gpu.sh 1. Step 2 needs a multiple of 256, such as --dim 256, and step 7 one of 20, such as --dim 60,
# without --cooldown, which classes do not have. With the first triples of a benchmark below
# AUTOBLM_DATA a rehearsal takes seconds.
#
#   1  FB15k-237 by the recipe rp (ComplEx, d 2,000, 500 epochs)
#   2  WN18RR by the recipe bique, by RESCAL with DURA, and by the best found structure with the
#      penalty of bique, by three seeds
#   3  FB15k-237 by ComplEx with DURA and relation prediction (d 4,000, 300 epochs)
#   4  FB15k by the recipe n3 (ComplEx, d 4,000, 200 epochs)
#   5  a search of 256 structures on WN18RR by the settings of the paper; MINUTES is its time, and
#      the same command goes on with it
#   6  the kernels of some steps of 1, with their times, by Nsight Compute
#   7  what automatic gradients train: ConvE and CompGCN on FB15k-237 to the published MRR, paths of two
#      and three hops by ComplEx, classes of AIFB by each encoder, and a search of each task, whose
#      predictor fits on the CPU. It prints what passed; each part has a deadline, of which SHARE is a
#      factor, such as 4 for a rehearsal on a CPU
set -euo pipefail
on=(--backend "${BACKEND:-xla:cuda}")
read -ra flags <<<"${FLAGS:-}"
here=$(dirname "$0")

train() { # GRAPH NAME SEED FLAG...
  [ -e "device-$1-$2-$3.json" ] && return
  autoblm reproduce "$1" --stage final "${@:4}" --seed "$3" --patience 0 "${on[@]}" \
    --precision bfloat16 "${flags[@]}" --out "$2-$3"
  cp "$2-$3/result.json" "device-$1-$2-$3.json"
}

# part runs a command with a deadline of its own, keeps its record, and prints whether it passed: it ends
# in time, and the number that FILTER takes from the record is at least LEAST.
failed=0
part() { # NAME SECONDS LEAST FILTER COMMAND...
  local name=device-zoo-$1.json seconds
  seconds=$(jq -n "$2 * ${SHARE:-1} | ceil")
  if [ ! -s "$name" ] && ! timeout "$((seconds * 13 / 10 + 10))" autoblm "${@:5}" \
    --minutes "$(jq -n "$seconds / 60")" "${on[@]}" "${flags[@]}" --out "zoo-$1" --record "$name.part" \
    >"zoo-$1.log" 2>&1; then
    echo "failed $1: see zoo-$1.log"
    failed=1
    return
  fi
  [ -s "$name" ] || mv "$name.part" "$name"
  jq -r --arg name "$1" --argjson least "$3" "[($4), \$least, \$name]"' | [
    if .[0] >= .[1] then "passed" else "failed" end, .[2] + ":", .[0], "at least", .[1]] | join(" ")' "$name"
  jq -e "($4) >= $3" "$name" >/dev/null || failed=1
}

case ${1:-} in
1)
  autoblm reproduce fb15k-237 --stage final --structure complex --recipe rp --epochs 500 \
    --cooldown 100 --validate-every 50 --patience 0 --seed 1 "${on[@]}" --precision bfloat16 \
    "${flags[@]}" --out rp-moduli
  cp rp-moduli/result.json device-fb15k-237-rp-2.json
  ;;
2)
  for seed in 1 2 3; do
    train wn18rr bique "$seed" --structure bique --recipe bique \
      --validate-every 20
    [ -e "device-wn18rr-rescal-$seed.json" ] || autoblm train --dataset wn18rr --model block-256 \
      --reciprocal --dim 256 --batch 512 --lr 0.1 --epochs 200 --entity-l2 0.2 \
      --products 0.2 --init xavier-all --validate-every 20 --seed "$seed" "${on[@]}" \
      --precision bfloat16 "${flags[@]}" --out "rescal-$seed" --record "device-wn18rr-rescal-$seed.json"
    # Found by searched.sh.
    train wn18rr found "$seed" --structure "$(jq -r '.result.best[0].structure' "$here/searched-wn18rr-1.json")" \
      --recipe n3 --n3 0 --n3-block 4 --entity-n3 0.6 --relation-n3 0.15 --dim 1024 \
      --batch 150 --epochs 200 --validate-every 20
  done
  ;;
3)
  train fb15k-237 dura-rp 1 --structure complex --recipe metasd-base --validate-every 50
  ;;
4)
  train fb15k n3-4000 1 --structure complex --recipe n3 --batch 500 --lr 0.1 --n3 0.02 --epochs 200 \
    --cooldown 50 --validate-every 50
  ;;
5)
  autoblm reproduce wn18rr --stage search --budget 256 --minutes "${MINUTES:-8.5}" "${on[@]}" \
    "${flags[@]}" --out device-search
  cp device-search/result.json device-search.json
  ;;
6)
  # The kernels that XLA tries out for the fastest one would be profiled too, and take minutes.
  XLA_FLAGS=--xla_gpu_autotune_level=0 ncu --metrics gpu__time_duration.sum --launch-skip 2000 \
    --launch-count 600 --csv --log-file device-kernels.csv autoblm train --dataset fb15k-237 \
    --structure complex --recipe rp --epochs 1 --max-steps 40 --no-eval "${on[@]}" \
    --precision bfloat16 "${flags[@]}" --out profiled
  ;;
7)
  part conve 120 0.316 .result.test.both.mrr train --dataset fb15k-237 --recipe conve --seed 1
  part compgcn 100 0.355 .result.test.both.mrr train --dataset fb15k-237 --recipe compgcn \
    --encoder-layers 1 --encoder-dim 200 --structure complex --dim 512 --loss log-loss \
    --sampled-softmax 8192 --answers-per-query 16 --batch 2048 --lr 0.01 --n3 0.06 --n3-block 2 \
    --relation-prediction 1 --encoder-dropout 0.1 --edge-dropout 0.1 --epochs 60 --cooldown 0.85 \
    --validate-every 10 --seed 1
  for hops in 2 3; do
    part "${hops}p" 25 0.1 .result.test.mrr query train --dataset query2box-fb15k-237 \
      --structure complex --hops "$hops" --with 1 --seed 1
  done
  for encoder in blm gcn rgcn compgcn-sub compgcn-mult compgcn-corr; do
    part "classes-$encoder" 8 0.5 .result.test_accuracy classify train --dataset aifb \
      --encoder "$encoder" --seed 1
  done
  for task in completion query classify; do
    case $task in
    completion) data=umls least=0.8 ;;
    query) data=umls least=0.1 ;;
    classify) data=aifb least=0.5 ;;
    esac
    part "search-$task" 35 "$least" '.result.best[0] | .score // .cv_accuracy' search \
      --task "$task" --dataset "$data" --seed 1
  done
  exit "$failed"
  ;;
*)
  echo "gpu.sh: name a step from 1 to 7" >&2
  exit 2
  ;;
esac
