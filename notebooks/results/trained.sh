# shellcheck shell=bash
# Sourced by the scripts here that train on the paper's benchmarks.

# trained NAME GRAPH FLAG... trains, by THREADS threads if that is set, and keeps the result as
# NAME.json. What is there already is not trained again, and an interrupted training resumes.
trained() {
  [ -e "$1.json" ] && return
  autoblm reproduce "$2" --stage final "${@:3}" ${THREADS:+--threads "$THREADS"} --out "$1" >/dev/null
  cp "$1/result.json" "$1.json"
}
