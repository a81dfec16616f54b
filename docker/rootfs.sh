#!/bin/sh
# rootfs.sh OUT COMMIT SECONDS builds autoblm without cgo and makes, in OUT/root, all
# files of an image without a system, and in OUT/work the folder that is worked in.
# Everything is of one time, in seconds since 1970.
set -eu
out=$1 commit=$2 seconds=$3
bin=$out/root/usr/local/bin sbom=$out/root/usr/share/sbom
mkdir -p "$bin" "$sbom" "$out/root/etc/ssl/certs" "$out/root/tmp" "$out/work"
chmod 1777 "$out/root/tmp"

CGO_ENABLED=0 GOTOOLCHAIN=local docker/online go build -trimpath -buildvcs=false -o "$bin/autoblm" \
  -ldflags "-s -w -X github.com/autoblm/autoblm-go/internal/cli.commit=$commit" ./autoblm/cmd/autoblm
cp /etc/ssl/certs/ca-certificates.crt "$out/root/etc/ssl/certs/"
echo 'autoblm:x:65532:65532::/work:' >"$out/root/etc/passwd"
echo 'autoblm:x:65532:' >"$out/root/etc/group"

go version -m "$bin/autoblm" | sed "s|^$out/root||" >"$sbom/go.txt"
dpkg-query -W ca-certificates >"$sbom/debian.txt" # the only files that are Debian's

find "$out" -exec touch --no-dereference --date="@$seconds" {} +
