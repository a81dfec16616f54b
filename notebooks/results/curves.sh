#!/usr/bin/env bash
# Trains ComplEx on the paper's benchmarks as searched.sh does, at d 128, but for one part, and writes
# the results to the current folder as benchmark-GRAPH-PART-VALUE-1.json. The parts are
#   batch       how large it is
#   softmax     among how many entities answers are learnt
#   together    how many answers of a question are learnt together
#   moved       how many entities are moved by each question, by 8 answers together in float32
#   decay       the factor by which the rate falls each epoch, as 256 moved
#   cooldown    over how many epochs the rate falls at the end, as 256 moved
#   rate        the learning rate, as a cooldown of 5
#   cooling     over how many epochs the rate falls at the end, as a rate of 0.8
#   prediction  the weight of relation prediction, among 1,024 entities
# GRAPHS, BATCHES, SAMPLES, TOGETHERS, MOVED, DECAYS, COOLDOWNS, RATES, COOLINGS and PREDICTIONS choose
# what is trained, THREADS by how many threads. AUTOBLM_DATA names the benchmarks.
# What is there already is not trained again, and an interrupted training resumes.
set -euo pipefail
. "$(dirname "$0")/trained.sh"

for graph in ${GRAPHS:-wn18rr fb15k-237 wn18 fb15k}; do
  predictions="" togethers=8 among="" moved="" decays="" cooldowns="" rates="" coolings=""
  case $graph in # searched.sh has 250 on WN18RR and 500 on the others, and all entities
  wn18rr) batch=250 batches="100 500 1000" samples="2048" among="--sampled-softmax 2048" how="--recipe n3 --n3-block 1 --n3 0.1 --epochs 20" ;;
  fb15k-237) batch=500 batches="250 1000" samples="512 1024 2048 4096" predictions="0.5 1 2" moved="all 256" decays="0.85" cooldowns="5" rates="0.2 0.4 0.8" coolings="10" how="--recipe rp --n3-block 1 --epochs 20" ;;
  wn18) batch=500 batches="250 1000" samples="2048" among="--sampled-softmax 2048" how="--recipe n3 --n3-block 1 --epochs 20" ;;
  fb15k) batch=500 batches="250 1000" samples="2048" moved="all 256" how="--recipe n3 --n3-block 1 --lr 0.1 --n3 0.02 --epochs 10 --validate-every 5" ;;
  *)
    echo "curves.sh: there is nothing for $graph" >&2
    exit 2
    ;;
  esac
  train() { # PART VALUE FLAG...
    # shellcheck disable=SC2086 # flags
    trained "benchmark-$graph-$1-$2-1" "$graph" --dim 128 $how "${@:3}" --structure complex --seed 1
  }
  moving() { # PART VALUE ENTITIES FLAG...
    train "$1" "$2" --batch $batch --answers-per-query 8 --precision float32 --sparse-gradients "${@:3}"
  }
  for other in ${BATCHES-$batches}; do
    train batch "$other" --batch "$other"
  done
  for sample in ${SAMPLES-$samples}; do
    train softmax "$sample" --batch $batch --sampled-softmax "$sample"
  done
  for together in ${TOGETHERS-$togethers}; do
    # shellcheck disable=SC2086 # flags, of graphs that lose nothing by it
    train together "$together" --batch $batch $among --answers-per-query "$together"
  done
  for entities in ${MOVED-$moved}; do
    moving moved "$entities" "${entities/all/0}"
  done
  for decay in ${DECAYS-$decays}; do
    moving decay "$decay" 256 --decay "$decay"
  done
  for cooldown in ${COOLDOWNS-$cooldowns}; do
    moving cooldown "$cooldown" 256 --cooldown "$cooldown"
  done
  for rate in ${RATES-$rates}; do
    moving rate "$rate" 256 --cooldown 5 --lr "$rate"
  done
  for cooldown in ${COOLINGS-$coolings}; do
    moving cooling "$cooldown" 256 --cooldown "$cooldown" --lr 0.8
  done
  for weight in ${PREDICTIONS-$predictions}; do
    train prediction "$weight" --batch $batch --sampled-softmax 1024 --relation-prediction "$weight"
  done
done
