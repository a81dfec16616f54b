#!/usr/bin/env bash
# Measures on an NVIDIA GPU what takes days on CPUs: gpu.sh STEP. Each step takes at most nine
# minutes on an H200 and writes its records into the folder where it is run. BACKEND names the
# backend, AUTOBLM_DATA the benchmarks, and FLAGS more flags, such as the smallest shapes for a
# rehearsal: BACKEND=xla:cpu FLAGS="--dim 16 --epochs 2" gpu.sh 1.
#
#   1  FB15k-237 by the recipe rp (ComplEx, d 2,000, 500 epochs)
#   5  a search of 256 structures on WN18RR by the settings of the paper; MINUTES is its time, and
#      the same command goes on with it
set -euo pipefail
on=(--backend "${BACKEND:-xla:cuda}")
read -ra flags <<<"${FLAGS:-}"

case ${1:-} in
1)
  autoblm reproduce fb15k-237 --stage final --structure complex --recipe rp --epochs 500 \
    --cooldown 100 --validate-every 50 --patience 0 --seed 1 "${on[@]}" --precision bfloat16 \
    "${flags[@]}" --out rp-moduli
  cp rp-moduli/result.json device-fb15k-237-rp-2.json
  ;;
5)
  autoblm reproduce wn18rr --stage search --budget 256 --minutes "${MINUTES:-8.5}" "${on[@]}" \
    "${flags[@]}" --out device-search
  cp device-search/result.json device-search.json
  ;;
*)
  echo "gpu.sh: name a step: 1 or 5" >&2
  exit 2
  ;;
esac
