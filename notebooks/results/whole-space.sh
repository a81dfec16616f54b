#!/usr/bin/env bash
# Searches small graphs over the whole space of recipes and structures, in the folder where it is run:
# numbers of chunks, translation, kinds and weights of penalties, relation prediction and dimension.
# searched-GRAPH.json has the outcome. The one model to report is the retrained structure or baseline
# with the highest mean validation MRR; the ensemble is the one that the search selects. Nothing is
# chosen by the test. GRAPHS chooses the graphs, THREADS the number of threads. AUTOBLM_DATA names the
# benchmarks. What is there already is not done again, and what was interrupted resumes.
set -euo pipefail
for graph in ${GRAPHS:-nations umls kinship}; do
  [ -s "searched-$graph.json" ] && continue
  autoblm search --dataset "$graph" --k 2,4,8 --budget 128 --tune 30 --tune-each 40 \
    --retrain-seeds 5 --retrain-dims 256,512 --ensemble 16 --seed 1 ${THREADS:+--threads "$THREADS"} \
    --out "search-$graph" --record record.part --json >/dev/null
  mv record.part "searched-$graph.json"
done
