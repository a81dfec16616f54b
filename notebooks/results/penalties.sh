#!/usr/bin/env bash
# Trains ComplEx with penalties by frequency, in the folder where it is run. penalties.json has
# validation MRRs of benchmarks and of graphs in folders: defaults.sh makes family and map,
# packages.sh packages, and packages1000 of 1,000 packages. hubs.json has those of the graph that debian.sh makes,
# in the folder debian: of 3,000 validation triples, and of the tails of five relations with one tail
# per package, by the number of training triples that point to the package. AUTOBLM_DATA names
# the benchmarks; jq is needed. Finished trainings are not repeated.
set -euo pipefail
relations="has_priority in_section maintained_by multi_arch tag_role"

bands() { # makes a folder for each number of training triples, and one of the whole
  [ -d bands ] && return
  awk -F'\t' -v relations="$relations" '
    NR == FNR { degree[$3]++; next }
    { all[n++] = $0 }
    index(" " relations " ", " " $2 " ") {
      d = degree[$1] + 0
      band = d == 0 ? "0" : d < 10 ? "1-9" : d < 100 ? "10-99" : d < 300 ? "100-299" : "300"
      if (count[band]++ < 1000) print band "\t" $0
    }
    END { for (i = 0; i < n; i += int(n / 3000)) print "all\t" all[i] }
  ' debian/train.txt debian/valid.txt >bands.tsv
  for band in all 0 1-9 10-99 100-299 300; do
    mkdir -p "bands/$band"
    ln -f debian/train.txt debian/valid.txt "bands/$band"
    awk -F'\t' -v band=$band '$1 == band { print $2 "\t" $3 "\t" $4 }' bands.tsv >"bands/$band/test.txt"
  done
}

small() { # graph, power, weight
  local file=small-$1-$2-$3.json
  [ -s "$file" ] || autoblm train --dataset "$1" --structure complex --n3 "$3" \
    --penalty-frequency "$2" --members 3 --seed 1 --out model-small --record "$file" >/dev/null
}

large() { # graph, power, weight
  local file=large-$1-$2-$3.json
  [ -s "$file" ] || autoblm train --dataset "$1" --structure complex --dim 128 --epochs 12 \
    --lr 0.1 --cooldown 0 --validate-every 3 --patience 0 --n3 "$3" --penalty-frequency "$2" \
    --seed 1 --no-eval --out model-large --record "$file" >/dev/null
}

hubs() { # power, weight
  local name=debian-$1-$2
  [ -d "$name" ] || autoblm train --dataset debian --structure complex --dim 128 --batch 512 \
    --epochs 10 --cooldown 0 --sampled-softmax 256 --validate-every 0 --no-eval --seed 1 \
    --n3 "$2" --penalty-frequency "$1" --out "$name" --record "$name.json" >/dev/null
  for band in all 0 1-9 10-99 100-299 300; do
    [ -s "$name-$band.json" ] || autoblm eval --model "$name" --dataset "bands/$band" \
      --json >"$name-$band.json"
  done
}

for graph in umls kinship nations world; do
  for power in 0 0.5 1; do
    for weight in 0.02 0.05 0.1; do small $graph $power $weight; done
  done
done
for power in 0 0.5; do
  small family $power 0.02
  for graph in map packages1000 packages; do small $graph $power 0.1; done
  for weight in 0.05 0.1; do
    for graph in wn18rr fb15k-237; do large $graph $power $weight; done
  done
  large wn18rr $power 0.2
done
bands
for setting in "0 0.1" "0.25 0.1" "0.5 0.1" "0.75 0.1" "1 0.1" "0.5 0.05" "0.5 0.2" "1 0.3" "1 0.02"; do
  hubs $setting
done
jq -s '{command: "notebooks/results/penalties.sh", date: .[-1].date, machine: .[-1].machine,
  result: map({settings: (.command | capture("(?<s>--n3 [^ ]+ --penalty-frequency [^ ]+)").s),
    command, dataset: .result.dataset, valid: (if .result.members then [.result.members[].valid.both.mrr]
      else [.result.validations | map(.mrr) | max] end)})}' {small,large}-*.json >penalties.json
for file in debian-*-all.json; do
  name=${file%-all.json}
  jq -s --slurpfile training "$name.json" '{command: $training[0].command, date: $training[0].date,
    machine: $training[0].machine,
    setting: ($training[0].command | capture("--n3 (?<n3>[^ ]+) --penalty-frequency (?<power>[^ ]+)")),
    mrr: .[0].test.both.mrr, tails: map(.test.tail.mrr)[1:],
    triples: map(.test.triples)}' "$name"-{all,0,1-9,10-99,100-299,300}.json
done | jq -s '{command: "notebooks/results/penalties.sh", date: .[-1].date, machine: .[-1].machine, result: .}' >hubs.json
