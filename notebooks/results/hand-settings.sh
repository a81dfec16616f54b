#!/usr/bin/env bash
# Compares the default settings of a training of five minutes with eight that a user might try, on
# graphs of 1,000 to 1,000,000 entities: hand-settings.json has their validation MRRs. Run it in a
# folder with the graphs of GRAPHS (made by packages.sh, debian.sh and communities.sh) or set
# AUTOBLM_DATA; FLAGS are the flags of all commands; jq is needed. Finished trainings are not
# repeated.
set -euo pipefail
tried="
--dim 128
--dim 256
--n3 0.02
--n3 0.2
--lr 0.1
--lr 0.5
--penalty-frequency 0
--sampled-softmax 1000"

for graph in ${GRAPHS:-packages1000 fb15k-237 debian communities}; do
  while read -r settings; do
    file="hand-$graph-${settings// /}"
    [ -s "$file.json" ] && continue
    # shellcheck disable=SC2086
    autoblm train --structure complex --dataset "$graph" --minutes 5 --seed 1 $settings \
      ${FLAGS:-} --out "$file" --record "$file.part" >"$file.log" 2>&1
    jq --arg settings "$settings" '{command: (.command | sub(" --out.*"; "")), date, machine,
      dataset: .result.dataset, settings: $settings, dim: .result.dim, epochs: .result.epochs,
      valid: [.result.valid.both.mrr]}' "$file.part" >"$file.json"
    rm -r "$file" "$file.part"
  done <<<"$tried"
done
jq -s '{command: "notebooks/results/hand-settings.sh", date: .[-1].date, machine: .[-1].machine,
  result: .}' hand-*.json >hand-settings.json
