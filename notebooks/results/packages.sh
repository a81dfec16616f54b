#!/usr/bin/env bash
# Makes a graph of Debian's packages from what apt knows of them, in the folder that is named:
# which of the most needed ones depends on, recommends, suggests, provides, enhances or
# excludes which other, and the section that it is in. On the same snapshot of Debian it is
# the same graph.
set -euo pipefail
export LC_ALL=C
out=${1:?the folder for the graph}
packages=${2:-4000} # the most needed ones

facts=$(mktemp -d)
trap 'rm -r "$facts"' EXIT
apt-cache dumpavail | awk '
  function tell(   n, i, others) {
    if (field == "Package") package = value
    else if (field == "Section") print package "\tsection\tsection:" value
    else if (field ~ /^(Pre-Depends|Depends|Recommends|Suggests|Enhances|Provides|Breaks|Conflicts|Replaces)$/) {
      n = split(value, others, /[,|]/)
      for (i = 1; i <= n; i++) {
        gsub(/\(.*|:.*|[ \t]/, "", others[i]) # versions and architectures
        if (others[i] != "" && others[i] != package) print package "\t" tolower(field) "\t" others[i]
      }
    }
    field = ""
  }
  /^[ \t]/ { value = value $0; next }
  { tell(); field = value = $0; sub(/:.*/, "", field); sub(/^[^:]*: */, "", value) }
  END { tell() }' | sort -u >"$facts/all"
awk -F'\t' '$2 ~ /depends|recommends|suggests/ { needed[$3]++ } END { for (p in needed) print needed[p] "\t" p }' "$facts/all" |
  sort -k1,1nr -k2 | awk -v most="$packages" 'NR <= most { print $2 }' >"$facts/most"
awk -F'\t' 'NR == FNR { most[$1]; next } $1 in most && ($3 in most || $2 == "section")' "$facts/most" "$facts/all" >"$facts/packages.tsv"
autoblm dataset import "$facts/packages.tsv" --out "$out"
