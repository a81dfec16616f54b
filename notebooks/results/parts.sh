#!/usr/bin/env bash
# Searches by a minute with one part left out each time, and writes the results to the
# current folder. AUTOBLM_DATA names the benchmarks. What is there already is not searched
# again.
set -euo pipefail

search() { # PART GRAPH SEED FLAG...
  local name=parts-$1-$2-$3
  [ -e "$name.json" ] && return
  autoblm search --dataset "$2" --minutes "${MINUTES:-1}" --seed "$3" "${@:4}" --out "$name" --record "$name.part" --json >/dev/null
  mv "$name.part" "$name.json" # an interrupted search has a record, too
}

for seed in ${SEEDS:-1 2 3}; do
  for graph in ${GRAPHS:-nations kinship umls}; do
    search all "$graph" "$seed"
    search no-tuning "$graph" "$seed" --tune 0
    search no-halving "$graph" "$seed" --halving 0
    search no-warm-start "$graph" "$seed" --no-warm-start
    search no-retraining "$graph" "$seed" --retrain-seeds 0
    search basic "$graph" "$seed" --recipe basic
  done
done
