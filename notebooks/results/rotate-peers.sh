#!/usr/bin/env bash
# Times an epoch of RotatE on FB15k-237 at d 200, with steps of 512 triples, against PyKEEN and a plain
# PyTorch program, in turns: rotate-peers.json, in the folder where it is run. Both sides of a triple
# have 256 negatives, but PyKEEN replaces only one of them. autoblm shares negatives among 48 triples;
# the peers have their own for each triple, if not said otherwise.
# An epoch of the peers is computed from 20 steps. PYTHON has the packages of
# autoblm/bench/pykeen/requirements.txt; REPOSITORY is this repository; AUTOBLM_DATA names the
# benchmarks; jq is needed. ROUNDS is the number of turns.
set -euo pipefail
bench=${REPOSITORY:?name the folder of the repository}/autoblm/bench
graph=${AUTOBLM_DATA:?name the folder of the benchmarks}/fb15k-237 threads=${THREADS:-2}
settings=(--dim 200 --batch 512 --negatives 256 --threads "$threads")

ours() {
  rm -rf rotate-peers-model
  autoblm train --dataset fb15k-237 --model rotate --recipe basic "${settings[@]}" --margin 9 --lr 0.1 --epochs 2 \
    --no-eval --seed 1 --out rotate-peers-model --record rotate-peers.part >&2
  jq -c '.result.seconds.epochs | {program: "autoblm", epoch: (.[1] - .[0])}' rotate-peers.part
}

pytorch() { # NAME FLAG...
  "$PYTHON" "$bench/pytorch/rotate.py" "${settings[@]}" "${@:2}" |
    jq -c --arg name "$1" '{program: $name, epoch: .seconds_per_epoch, torch}'
}

pykeen() {
  "$PYTHON" "$bench/pykeen/train.py" "$graph" --loop slcwa --structure rotate "${settings[@]}" \
    --max-steps 20 --epochs 2 | tail -n 1 |
    jq -c '{program: "PyKEEN", epoch: .seconds_per_epoch_per_member, torch, pykeen}'
}

rm -f rotate-peers.rows
for _ in $(seq "${ROUNDS:-3}"); do
  {
    ours
    pytorch PyTorch
    pytorch "PyTorch, one sample for a batch" --shared
    pytorch "PyTorch, one sample for a batch, compiled" --shared --compile
    pykeen
  } >>rotate-peers.rows
done
jq -s --arg date "$(date +%F)" --arg machine "$(jq -r .machine rotate-peers.part)" '
  {command: "notebooks/results/rotate-peers.sh", date: $date, machine: $machine,
  result: (group_by(.program) | map(.[0] + {epoch: (map(.epoch) | sort | .[length / 2 | floor]), rounds: length}) | sort_by(.epoch))}' \
  rotate-peers.rows >rotate-peers.json
