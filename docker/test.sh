#!/usr/bin/env bash
# docker/test.sh [cli] [notebook] [cuda] builds images (default: cli) with docker, podman or
# buildah, whichever works, and tests them without a network:
#
#   cli       two builds have the same digest; runs a search; serves its model on this machine
#   notebook  runs kernels doctor and the first notebook
#   cuda      reports the missing GPU, and rehearses the benchmarks
#
# If the base images of the Dockerfile cannot be fetched, debootstrap (as root) and this
# machine's Go make replacements with the same names. AUTOBLM_BUILDER selects a builder.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { printf 'FAILED: %s\n' "$1" >&2; exit 1; }
step() { printf '\n-- %s (at %d s)\n' "$1" $SECONDS; }

targets=("$@")
[ $# -gt 0 ] || targets=(cli)
for target in "${targets[@]}"; do
  case $target in cli | notebook | cuda) ;; *) fail "unknown image $target; use cli, notebook or cuda" ;; esac
done

# Buildah needs no container engine. Without overlayfs it copies whole layers.
buildah=(buildah)
works() {
  case $1 in
    docker | podman) "$1" info >/dev/null 2>&1 ;;
    buildah)
      command -v buildah >/dev/null || return 1
      buildah info >/dev/null 2>&1 || buildah=(buildah --storage-driver vfs)
      "${buildah[@]}" info >/dev/null 2>&1 && export BUILDAH_ISOLATION="${BUILDAH_ISOLATION:-chroot}"
      ;;
    *) return 1 ;;
  esac
}
builder=
for one in ${AUTOBLM_BUILDER:-docker podman buildah}; do
  if works "$one"; then builder=$one && break; fi
done
[ -n "$builder" ] || fail "${AUTOBLM_BUILDER:-docker, podman and buildah} do not work; \
apt-get install buildah debootstrap, which need no container engine"
case $builder in
  buildah) tool=("${buildah[@]}") version=$(buildah --version | cut -d' ' -f3) ;;
  *) tool=("$builder") version=$("$builder" version --format '{{.Client.Version}}') ;;
esac
echo "builder: ${tool[*]} $version"

# base prints a base image: the value of the variable, or the default of the Dockerfile.
base() { printf '%s' "${!1:-$(sed -n "s/^ARG $1=//p" docker/Dockerfile)}"; }
GO_IMAGE=$(base GO_IMAGE) DEBIAN_IMAGE=$(base DEBIAN_IMAGE)

present() { "${tool[@]}" inspect --type image "$1" >/dev/null 2>&1; }
# import FOLDER TAG PATH makes an image of a folder.
import() {
  if [ "$builder" = buildah ]; then
    local container
    container=$("${tool[@]}" from scratch)
    "${tool[@]}" copy -q "$container" "$1" / >/dev/null
    "${tool[@]}" config --env "PATH=$3" --label org.opencontainers.image.source=debootstrap "$container"
    "${tool[@]}" commit -q --rm "$container" "$2" >/dev/null
  else
    local label="LABEL org.opencontainers.image.source=debootstrap"
    tar -C "$1" -c . |
      "${tool[@]}" import --change "ENV PATH=$3" --change "$label" - "$2" >/dev/null
  fi
}
debian=
# bootstrap makes Debian's files for both base images, once.
bootstrap() {
  [ -z "$debian" ] || return 0
  command -v debootstrap >/dev/null || fail "no base image: check the network, set GO_IMAGE \
and DEBIAN_IMAGE to images of a mirror, or install debootstrap"
  debian=$scratch/debian
  debootstrap --variant=minbase --include=ca-certificates bookworm "$debian" \
    "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$scratch/log" 2>&1 ||
    { tail "$scratch/log"; fail "debootstrap"; }
  rm -rf "$debian"/var/cache/apt/* "$debian"/var/lib/apt/lists/* "$debian"/var/log/*
}
# fetch pulls an image unless it is present. It fails early if the registry is unreachable.
fetch() {
  present "$1" && return
  local registry=${1%%/*}
  [ "$registry" != docker.io ] || registry=registry-1.docker.io
  ! command -v curl >/dev/null ||
    curl --silent --max-time 15 --output /dev/null "https://$registry/v2/" || return 1
  timeout 600 "${tool[@]}" pull -q "$1" >/dev/null 2>&1
}
path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
debian_base() {
  fetch "$DEBIAN_IMAGE" && return
  echo "cannot fetch $DEBIAN_IMAGE: making it with debootstrap"
  bootstrap
  import "$debian" "$DEBIAN_IMAGE" "$path"
}
go_base() {
  fetch "$GO_IMAGE" && return
  echo "cannot fetch $GO_IMAGE: making it with debootstrap and the same Go"
  bootstrap
  local go=${GO_IMAGE##*:} root
  root=$(GOTOOLCHAIN=go${go%%-*} go env GOROOT) # downloads this version of Go if needed
  mkdir -p "$debian/usr/local/go"
  cp -a "$root/." "$debian/usr/local/go"
  import "$debian" "$GO_IMAGE" "/usr/local/go/bin:$path"
  rm -rf "$debian/usr/local/go"
}
step "bases"
go_base
case " ${targets[*]} " in *notebook* | *cuda*) debian_base ;; esac

# The network settings of this machine are passed as secrets.
for name in GOPROXY GOSUMDB GONOSUMDB GOPRIVATE GONOPROXY GOINSECURE; do
  value=$(go env "$name" 2>/dev/null || true)
  [ -z "$value" ] || printf '%s=%q\n' "$name" "$value"
done >"$scratch/settings"
for name in HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy \
  PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_TRUSTED_HOST PIP_PROXY; do
  [ -z "${!name:-}" ] || printf '%s=%q\n' "$name" "${!name}"
done >>"$scratch/settings"
cp "${SSL_CERT_FILE:-/dev/null}" "$scratch/ca"
secrets=(--secret "id=settings,src=$scratch/settings" --secret "id=ca,src=$scratch/ca")

# autoblm version shows whether the sources differ from the commit.
commit=$(git rev-parse HEAD)
[ -z "$(git status --porcelain)" ] || commit="$commit-modified"
epoch=$(git log -1 --format=%ct)

# build TARGET TAG [FLAG...] builds an image.
build() {
  local target=$1 tag=$2
  shift 2
  local flags=(-f docker/Dockerfile --target "$target" -t "$tag" "${secrets[@]}"
    --build-arg "GO_IMAGE=$GO_IMAGE" --build-arg "DEBIAN_IMAGE=$DEBIAN_IMAGE"
    --build-arg "COMMIT=$commit" --build-arg "SOURCE_DATE_EPOCH=$epoch")
  [ -z "${CUDA:-}" ] || flags+=(--build-arg "CUDA=$CUDA")
  case $builder in
    docker)
      SOURCE_DATE_EPOCH=$epoch docker buildx build --quiet \
        --output type=docker,rewrite-timestamp=true "${flags[@]}" "$@" .
      ;;
    *) # docker's format has health checks, but also random names of containers
      local format=(--format docker --layers)
      [ "$target" != cli ] || format=(--format oci --layers=false)
      "${tool[@]}" build "${format[@]}" --pull=false --timestamp "$epoch" \
        --ignorefile docker/Dockerfile.dockerignore "${flags[@]}" "$@" .
      ;;
  esac >"$scratch/log" 2>&1 || {
    tail -n 40 "$scratch/log"
    fail "build of $target with $builder; AUTOBLM_BUILDER selects another builder"
  }
}
id='{{.Id}}'
[ "$builder" != buildah ] || id='{{.FromImageID}}'
digest() { "${tool[@]}" inspect --type image --format "$id" "$1"; }
config=.Config
[ "$builder" != buildah ] || config=.Docker.Config
# field TAG TEMPLATE prints values from the configuration of an image.
field() {
  "${tool[@]}" inspect --type image --format "{{with $config}}$2{{end}}" "$1"
}

# inside TAG FOLDER COMMAND... runs a command in an image as its user and without a network.
# FOLDER is mounted as its volume; with the image cli everything else is read-only. Buildah
# cannot run images, so Linux namespaces replace an engine. network=host uses that of this machine.
network=none
running=autoblm-test-$$ # name of the container with network=host
inside() {
  local tag=$1 folder=$2
  shift 2
  local user at
  user=$(field "$tag" '{{.User}}') at=$(field "$tag" '{{.WorkingDir}}')
  if [ -n "$folder" ]; then
    at=$(field "$tag" '{{range $at, $_ := .Volumes}}{{$at}}{{end}}')
    chown "$user" "$folder"
  fi
  local only=()
  case $tag in *cli) [ -z "$folder" ] || only=(--read-only) ;; esac
  if [ "$builder" != buildah ]; then
    [ $network = none ] || only+=(--name "$running")
    "${tool[@]}" run --rm --network $network "${only[@]}" ${folder:+-v "$folder:$at"} -w "$at" \
      --entrypoint "" "$tag" "$@"
    return
  fi
  local container root variables=() status=0
  container=$("${tool[@]}" from --pull-never "$tag")
  root=$("${tool[@]}" mount "$container")
  mkdir -p "$root/proc" "$root/dev"
  while read -r line; do
    [ -z "$line" ] || variables+=("$line")
  done < <(field "$tag" '{{range .Env}}{{println .}}{{end}}')
  if ! printf '%s\n' "${variables[@]}" | grep -q '^HOME='; then
    variables+=("HOME=$(awk -F: -v id="${user%%:*}" '$3 == id { print $6 }' "$root/etc/passwd")")
  fi
  export inside_root=$root inside_folder=$folder inside_at=$at inside_only=${only[*]}
  local net=(--net)
  [ $network = none ] || net=()
  unshare "${net[@]}" --mount --pid --fork bash -euc '
    ip link set lo up
    mount --bind "$inside_root" "$inside_root"
    [ -z "$inside_folder" ] || mount --bind "$inside_folder" "$inside_root$inside_at"
    [ -z "$inside_only" ] || mount -o remount,ro,bind "$inside_root"
    mount -t proc proc "$inside_root/proc"
    mount --bind /dev "$inside_root/dev"
    exec env -i "$@"' bash "${variables[@]}" \
    "$(command -v unshare)" --root="$root" --wd="$at" \
    --setgid="${user##*:}" --setuid="${user%%:*}" "$@" || status=$?
  "${tool[@]}" rm "$container" >/dev/null
  return $status
}

# serves TAG FOLDER MODEL asks a server in an image for an answer, with a token, and stops it.
serves() {
  local token=a-token-of-this-test url=http://127.0.0.1:18090 pid status=0
  echo "$token" >"$2/token"
  (network=host && inside "$1" "$2" /usr/local/bin/autoblm serve --model "$3" \
    --addr "${url#http://}" --token-file token) &
  pid=$!
  for _ in $(seq 300); do
    ! curl --silent --fail --output /dev/null --oauth2-bearer "$token" "$url/v1/models" || break
    sleep 0.2
  done
  local query='{"queries": [{"head": "Portugal", "relation": "borders"}]}'
  [ "$(curl --silent --output /dev/null --write-out '%{http_code}' "$url/v1/models")" = 401 ] ||
    fail "serve answers without a token"
  curl --silent --oauth2-bearer "$token" -H 'Content-Type: application/json' --data "$query" \
    "$url/v1/predict" | grep -q '"rank":1,' || fail "serve gives no answer"
  if [ "$builder" = buildah ]; then # the program is the child of unshare, the child of the function
    kill -TERM "$(pgrep -P "$(pgrep -P $pid -x unshare)")"
  else
    "${tool[@]}" stop "$running" >/dev/null
  fi
  wait $pid || status=$?
  [ $status = 0 ] || fail "serve ends with the status $status"
}

# bytes prints the size of an image.
bytes() {
  if [ "$builder" != buildah ]; then
    "${tool[@]}" image inspect --format '{{.Size}}' "$1"
    return
  fi
  local container
  container=$("${tool[@]}" from --pull-never "$1")
  du -s --bytes "$("${tool[@]}" mount "$container")" | cut -f1
  "${tool[@]}" rm "$container" >/dev/null
}

summary=
for target in "${targets[@]}"; do
  step "$target: build"
  tag=localhost/autoblm:$target
  [ "$builder" != docker ] || tag=autoblm:$target
  began=$SECONDS
  build "$target" "$tag"
  took=$((SECONDS - began))
  size=$(bytes "$tag")
  built="$((size / 1000000)) MB in $took s"
  echo "$built"
  user=$(field "$tag" '{{.User}}')
  case $user in "" | 0 | 0:* | root*) fail "$target runs as ${user:-root}" ;; esac
  [ "$target" = cli ] || [ "$(field "$tag" '{{if .Healthcheck}}yes{{end}}')" = yes ] ||
    fail "$target has no health check"

  case $target in
    cli)
      [ "$size" -lt 60000000 ] || fail "cli has $size bytes, the limit is 60 MB"
      step "cli: same digest again"
      first=$(digest "$tag")
      build "$target" "$tag" --no-cache
      [ "$(digest "$tag")" = "$first" ] || fail "digest is $(digest "$tag"), want $first"
      echo "$first"
      step "cli: a search"
      mkdir "$scratch/work"
      inside "$tag" "$scratch/work" /usr/local/bin/autoblm version
      inside "$tag" "$scratch/work" /usr/local/bin/autoblm search --minutes 0.5
      for file in model/model.json study.db best.png; do
        compgen -G "$scratch/work/autoblm-out/world-*/$file" >/dev/null ||
          fail "the search did not write $file"
      done
      step "cli: serve"
      serves "$tag" "$scratch/work" "$(cd "$scratch/work" && echo autoblm-out/world-*)"
      ;;
    notebook)
      step "notebook: doctor and first notebook"
      inside "$tag" "" jupyter lab --version
      inside "$tag" "" kernels doctor
      inside "$tag" "" python3 /opt/autoblm-go/kernels/execute.py --timeout 900 \
        notebooks/01_quickstart.ipynb
      ;;
    cuda)
      step "cuda: report of the missing GPU"
      mkdir "$scratch/volume"
      ! inside "$tag" "$scratch/volume" reproduce.sh results >"$scratch/log" 2>&1 ||
        fail "reproduce.sh succeeds without a GPU"
      cat "$scratch/log"
      for pattern in '^xla:cuda +no +no GPU +/.*cuda' '^xla:cuda: no NVIDIA GPU' \
        '^    .*--gpus all' '^reproduce.sh: needs xla:cuda'; do
        grep -qE "$pattern" "$scratch/log" || fail "the output lacks $pattern"
      done
      step "cuda: rehearsal of the benchmarks"
      inside "$tag" "$scratch/volume" reproduce.sh results --backend go --small \
        >"$scratch/log" 2>&1 || { tail -n 40 "$scratch/log"; fail "reproduce.sh"; }
      for file in device-step-wn18rr.json device-search/result.json; do
        [ -s "$scratch/volume/results/rehearsal/$file" ] || fail "the rehearsal did not write $file"
      done
      tail -n 1 "$scratch/log"
      ;;
  esac
  summary+="${summary:+; }$target $built"
done
echo
echo "images: $summary (by $builder $version)"
