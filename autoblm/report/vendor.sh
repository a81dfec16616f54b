#!/bin/sh
# Fetches the chart library that the page embeds, and its license, from npm into chartjs/.
set -eu
cd "$(dirname "$0")"
version=4.6.1
sum=87364cc2b2a76a6684929e7d6b80b18a897794db38400caff1fcf1791c6925d2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm pack --silent --pack-destination "$folder" "chart.js@$version"
tar -xzf "$folder/chart.js-$version.tgz" -C "$folder"
echo "$sum  $folder/package/dist/chart.umd.min.js" | sha256sum --check --quiet
cp "$folder/package/dist/chart.umd.min.js" "$folder/package/LICENSE.md" chartjs/
