#!/usr/bin/env bash
# Searches small graphs over the whole space of recipes and structures, in the folder where it is run:
# numbers of chunks, translation, kinds and weights of penalties, relation prediction and dimension.
# whole-space-GRAPH.json has the outcome, and all retrained models. The one model to report is the one
# with the highest mean validation MRR; the ensemble is the one that the search selects. Nothing is
# chosen by the test. jq is needed. GRAPHS chooses the graphs, THREADS the number of threads. AUTOBLM_DATA names the
# benchmarks. What is there already is not done again, and what was interrupted resumes.
set -euo pipefail
for graph in ${GRAPHS:-nations umls kinship}; do
  [ -s "whole-space-$graph.json" ] && continue
  autoblm search --dataset "$graph" --k 2,4,8 --budget 128 --tune 30 --tune-each 40 \
    --retrain-seeds 5 --retrain-dims 256,512 --ensemble 16 --seed 1 ${THREADS:+--threads "$THREADS"} \
    --out "search-$graph" --record record.part --json >/dev/null
  autoblm study export "search-$graph" --json |
    jq --slurpfile record record.part '[.trials[] | select(.stage == "retrain" and .score != null)]
      | group_by([.form, .structure, (.recipe | del(.seed))])
      | map({model: (.[0].form // .[0].structure), recipe: (.[0].recipe | del(.seed)),
          valid: map(.score), test: map(.test_score)})
      | sort_by(-(.valid | add / length)) | . as $models | $record[0] | .result.retrained = $models' >whole.part
  mv whole.part "whole-space-$graph.json"
done
