#!/usr/bin/env bash
# Compares trainings of some minutes on large graphs with PyTorch-BigGraph and PyKEEN:
# large-peers.json has triples per second and MRRs on samples of triples: 5,000 of each split, 1,000
# with PyKEEN, whose ranking is slow. Run it in a folder with
# the graphs of GRAPHS (made by debian.sh and communities.sh). PYTHON has the packages of
# autoblm/bench/pykeen/requirements.txt and autoblm/bench/pbg/requirements.txt; REPOSITORY is this
# repository; jq is needed. Finished trainings are not repeated.
set -euo pipefail
minutes=${MINUTES:-5} threads=${THREADS:-2} sample=5000
bench=${REPOSITORY:?name the folder of the repository}/autoblm/bench

record() { # NAME SETTINGS COMMAND...
  local file=large-peers-$graph-$1.json settings=$2
  [ -s "$file" ] && return
  shift 2
  "$@" 2>"$file.log" | tail -n 1 >"$file.part"
  jq --arg graph "$graph" --arg settings "$settings" --arg date "$(date +%F)" \
    '{graph: $graph, settings: $settings, date: $date, program: "PyKEEN"} + .
    | .triples_per_second = (.triples_per_second // .train / .seconds_per_epoch_per_member)
    | .valid |= {mrr: (.both.mrr // .mrr)} | .test |= {mrr: (.both.mrr // .mrr)}' \
    "$file.part" >"$file"
}

ours() { # FLAGS...
  rm -rf large-peers-model
  autoblm train --structure complex --dataset "$graph" --threads "$threads" --seed 1 --no-eval \
    "$@" --out large-peers-model --record large-peers-train.part >&2
  for split in valid test; do
    autoblm eval --model large-peers-model --dataset "$graph" --split $split --sample $sample \
      --threads "$threads" --json >"large-peers-$split.part"
  done
  jq -c --slurpfile valid large-peers-valid.part --slurpfile test large-peers-test.part \
    --argjson triples "$(wc -l <"$graph/train.txt")" --argjson threads "$threads" '.result
    | (.seconds.epochs | (length - 1) / (.[-1] - .[0])) as $pace
    | {program: "autoblm", dim, epochs, threads: $threads, triples_per_second: ($triples * $pace),
       valid: $valid[0].valid, test: $test[0].test}' large-peers-train.part
}

for graph in ${GRAPHS:-debian communities}; do
  dim=128
  [ "$graph" = communities ] && dim=100
  peer="--minutes $minutes --dim $dim --threads $threads --sample $sample"
  record autoblm "its defaults" ours --minutes "$minutes"
  record autoblm-same "256 sampled" ours --minutes "$minutes" --dim "$dim" --sampled-softmax 256
  # shellcheck disable=SC2086
  record pbg "50 of the batch, 50 sampled" "$PYTHON" "$bench/pbg/train.py" "$graph" $peer
  # shellcheck disable=SC2086
  record pbg-same "128 of the batch, 128 sampled" "$PYTHON" "$bench/pbg/train.py" "$graph" $peer \
    --batch 1024 --batch-negatives 128 --uniform-negatives 128
  for negatives in 32 256; do
    # shellcheck disable=SC2086
    record pykeen-$negatives "$negatives sampled per triple" "$PYTHON" "$bench/pykeen/train.py" \
      "$graph" $peer --loop slcwa --negatives $negatives --epochs 100000 --eval --sample 1000
  done
done
jq -s '{command: "notebooks/results/large-peers.sh", result: .}' large-peers-*-*.json >large-peers.json
