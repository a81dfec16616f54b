#!/usr/bin/env bash
# Prints pins.json: the files that "autoblm backend install" downloads, with their digests.
# It needs pip and jq. pip selects the latest of Jax's plugins and of NVIDIA's libraries.
#
#   autoblm/backend/pins.sh > pins.json && mv pins.json autoblm/backend/pins.json
set -euo pipefail

# wheels PROCESSOR REQUIREMENT: the wheels for Linux that pip would install.
wheels() {
    local platforms=()
    for tag in manylinux_2_28 manylinux_2_27 manylinux_2_25 manylinux2014; do
        platforms+=(--platform "${tag}_$1")
    done
    pip install --quiet --dry-run --ignore-installed --target /nonexistent --report - \
        --only-binary :all: --python-version 3.12 "${platforms[@]}" "$2" |
        jq '[.install[] | {
            package: (.metadata.name | gsub("_"; "-")),
            version: .metadata.version,
            file: (.download_info.url | split("/") | last),
            sha256: .download_info.archive_info.hashes.sha256
        } | select(.package | test("^(xla-cpu|jax-cuda..|nvidia)-.*") and (endswith("-plugin") | not))
        ] | sort_by(.package | startswith("nvidia"))'
}

jq --null-input \
    --argjson cpu_linux_amd64 "$(wheels x86_64 xla-cpu-pjrt==0.0.1)" \
    --argjson cpu_linux_arm64 "$(wheels aarch64 xla-cpu-pjrt==0.0.1)" \
    --argjson cuda12_linux_amd64 "$(wheels x86_64 'jax-cuda12-plugin[with-cuda]')" \
    --argjson cuda13_linux_amd64 "$(wheels x86_64 'jax-cuda13-plugin[with-cuda]')" \
    '$ARGS.named'
