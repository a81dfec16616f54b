//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

// Command pin looks up what `autoblm backend install` downloads, and the digests that it must
// have: wheels from the package index that pip's settings name, for CUDA the latest of Jax's
// plugin with NVIDIA's libraries, and for the CPU the release that this go-xla was tested with,
// from GitHub. It prints ../pins.json, in which the digest of a release that cannot be had is "".
//
//	go run ./autoblm/backend/pin > pins.json && mv pins.json autoblm/backend/pins.json
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/pip"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
)

// The plugin for the CPU: a package that has one shared library, and its version.
const (
	cpuPackage = "xla-cpu-pjrt"
	cpuVersion = "0.0.1"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	pins, err := lookUp(ctx)
	if err == nil {
		_, err = os.Stdout.Write(pins)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pin:", err)
		os.Exit(1)
	}
}

func lookUp(ctx context.Context) ([]byte, error) {
	settings, err := pip.SettingsOf(probe.This())
	if err != nil {
		return nil, err
	}
	client, err := pip.NewClient(settings)
	if err != nil {
		return nil, err
	}
	p := pinner{client}
	wheels := map[string][]wheel{}
	for _, processor := range []string{"amd64", "arm64"} {
		w, err := p.version(ctx, cpuPackage, cpuVersion, processor)
		if err != nil {
			return nil, err
		}
		wheels["cpu_linux_"+processor] = []wheel{w}
	}
	for _, cuda := range []string{"cuda12", "cuda13"} {
		if wheels[cuda], err = p.cuda(ctx, cuda); err != nil {
			return nil, err
		}
	}
	releases := map[string]release{}
	for _, system := range []string{"linux_amd64", "linux_arm64", "darwin_arm64"} {
		releases[system] = p.release(ctx, system)
	}
	return write(wheels, releases), nil
}

// write is the JSON of all, with a line for each pin.
func write(wheels map[string][]wheel, releases map[string]release) []byte {
	line := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // they are texts
		}
		return strings.NewReplacer(`","`, `", "`, `":"`, `": "`).Replace(string(text))
	}
	var all bytes.Buffer
	all.WriteString("{\n  \"wheels\": {\n")
	for i, plugin := range slices.Sorted(maps.Keys(wheels)) {
		var lines []string
		for _, w := range wheels[plugin] {
			lines = append(lines, "      "+line(w))
		}
		fmt.Fprintf(&all, "%s    %q: [\n%s\n    ]", separator(i), plugin, strings.Join(lines, ",\n"))
	}
	all.WriteString("\n  },\n  \"releases\": {\n")
	for i, system := range slices.Sorted(maps.Keys(releases)) {
		fmt.Fprintf(&all, "%s    %q: %s", separator(i), system, line(releases[system]))
	}
	all.WriteString("\n  }\n}\n")
	return all.Bytes()
}

func separator(i int) string {
	if i == 0 {
		return ""
	}
	return ",\n"
}

// release is an archive that go-xla's project publishes.
type release struct {
	URL    string `json:"url"`
	SHA256 string `json:"sha256"`
}

// release is the plugin for the CPU of a system.
func (p pinner) release(ctx context.Context, system string) release {
	const repository = installer.BinaryCPUReleasesRepo
	r := release{URL: fmt.Sprintf("https://github.com/%s/releases/download/%s/pjrt_cpu_%s.tar.gz", repository, pjrt.DefaultCPUVersion, system)}
	var known struct {
		Assets []struct {
			URL    string `json:"browser_download_url"`
			Digest string `json:"digest"`
		} `json:"assets"`
	}
	response, err := p.client.Get(ctx, fmt.Sprintf("https://api.github.com/repos/%s/releases/tags/%s", repository, pjrt.DefaultCPUVersion), "")
	if err == nil {
		defer response.Body.Close()
		err = json.NewDecoder(response.Body).Decode(&known)
	}
	for _, a := range known.Assets {
		if a.URL == r.URL {
			r.SHA256, _ = strings.CutPrefix(a.Digest, "sha256:")
		}
	}
	if r.SHA256 == "" {
		fmt.Fprintf(os.Stderr, "pin: there is no digest of %s (%v)\n", r.URL, err)
	}
	return r
}
