//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gomlx/go-xla/installer"
	"github.com/google/go-cmp/cmp"
)

// TestEncode checks that the embedded file has the form that this command prints.
func TestEncode(t *testing.T) {
	text, err := os.ReadFile("../pins.json")
	if err != nil {
		t.Fatal(err)
	}
	var pins struct {
		Wheels   map[string][]wheel
		Releases map[string]release
	}
	if err := json.Unmarshal(text, &pins); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(encode(pins.Wheels, pins.Releases))); diff != "" {
		t.Error(diff)
	}
	for _, processor := range []string{"amd64", "arm64"} {
		w := pins.Wheels["cpu_linux_"+processor]
		if len(w) != 1 || w[0].Package != cpuPackage || w[0].Version != cpuVersion {
			t.Errorf("pinned is %v, want %s %s", w, cpuPackage, cpuVersion)
		}
	}
}

// TestCUDA checks that pins are the latest stable versions for the processor that satisfy
// the requirements of Jax's plugin.
func TestCUDA(t *testing.T) {
	const amd64 = "manylinux2014_x86_64.manylinux_2_17_x86_64"
	const arm64 = "manylinux_2_27_aarch64"
	file := func(name, version, platform string) string {
		name = strings.ReplaceAll(name, "-", "_")
		return fmt.Sprintf("%s-%s-py3-none-%s.whl", name, version, platform)
	}
	p := pinner{func(name string) (*installer.PipPackageInfo, error) {
		info := &installer.PipPackageInfo{Releases: map[string][]installer.PipReleaseInfo{}}
		add := func(version, platform string) {
			info.Releases[version] = append(info.Releases[version], installer.PipReleaseInfo{
				Filename: file(name, version, platform),
				Digests:  map[string]string{"sha256": version + "-" + platform},
			})
		}
		switch name {
		case "jax-cuda13-plugin":
			info.Info.RequiresDist = []string{
				`nvidia-cublas<14,>=13.1; extra == "with-cuda"`,
				"jax-cuda13-pjrt==0.12", "nvidia-nccl-cu13", "numpy>=2",
			}
		case "jax-cuda13-pjrt":
			add("0.9", amd64)
			add("0.12", arm64)
			add("0.12", amd64)
			add("0.13rc1", amd64)
			add("0.14", "win_amd64")
		case "nvidia-cublas":
			add("13.0", amd64)
			add("13.10", amd64)
			add("13.9", amd64)
			add("13.11", "win_amd64")
			add("14.1", amd64)
		case "nvidia-nccl-cu13":
			add("2", amd64)
		default:
			t.Errorf("the package %s is requested", name)
		}
		return info, nil
	}}
	var want []wheel
	for _, w := range [][2]string{
		{"jax-cuda13-pjrt", "0.12"}, {"nvidia-cublas", "13.10"}, {"nvidia-nccl-cu13", "2"},
	} {
		want = append(want, wheel{w[0], w[1], file(w[0], w[1], amd64), w[1] + "-" + amd64})
	}
	got, err := p.cuda("cuda13")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
	arm := installer.PipDependency{Package: "jax-cuda13-pjrt", Exact: "0.12"}
	if got, err := p.latest(arm, "arm64"); err != nil || !strings.Contains(got.File, arm64) {
		t.Errorf("arm64: %v, %v", got, err)
	}
	arm.Exact = "0.9"
	if got, err := p.latest(arm, "arm64"); err == nil {
		t.Errorf("a missing wheel: %v", got)
	}
}
