#!/usr/bin/env bash
# Searches by minutes with no other flag but the data set and the seed, and records what came of
# it in the folder where it is run. AUTOBLM_DATA names the benchmarks; packages.sh makes
# packages, and defaults.sh family and map.
# What is there already is not searched again.
set -euo pipefail

search() { # GRAPH MINUTES SEED
  local name=minutes-$(basename "$1")-$3
  [ -e "$name.json" ] && return
  autoblm search --dataset "$1" --minutes "$2" --seed "$3" --out "$name" --record "$name.part" --json >/dev/null
  mv "$name.part" "$name.json" # an interrupted search has a record, too
}

queries() { # GRAPH MINUTES SEED
  local name=minutes-$1-2p-$3
  [ -e "$name.json" ] && return
  autoblm search --task query --hops 2 --dataset "$1" --minutes "$2" --seed "$3" --out "$name" --record "$name.part" --json >/dev/null
  mv "$name.part" "$name.json" # an interrupted search has a record, too
}

for seed in ${SEEDS:-1 2 3}; do
  for graph in ${QUERIES:-umls:2 kinship:2}; do
    queries "${graph%:*}" "${graph#*:}" "$seed"
  done
  for graph in ${GRAPHS:-world:1 nations:2 kinship:10 umls:10 family:1 map:1 packages:10}; do
    search "${graph%:*}" "${graph#*:}" "$seed"
  done
done
