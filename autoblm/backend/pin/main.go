//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

// Command pin prints the file pins.json of package backend: the files that
// `autoblm backend install` downloads, with their digests. It takes the latest of Jax's
// plugins and of NVIDIA's libraries from pypi.org, and go-xla's releases from GitHub.
// The digest of a release that GitHub does not provide is "".
//
//	go run ./autoblm/backend/pin > pins.json && mv pins.json autoblm/backend/pins.json
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
)

// The package with the plugin for the CPU, and its version.
const (
	cpuPackage = "xla-cpu-pjrt"
	cpuVersion = "0.0.1"
)

// wheel is a file of a Python package.
type wheel struct {
	Package string `json:"package"`
	Version string `json:"version"`
	File    string `json:"file"`
	SHA256  string `json:"sha256"`
}

// release is an archive that go-xla publishes.
type release struct {
	URL    string `json:"url"`
	SHA256 string `json:"sha256"`
}

func main() {
	pins, err := collect()
	if err == nil {
		_, err = os.Stdout.Write(pins)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pin:", err)
		os.Exit(1)
	}
}

// collect returns the content of pins.json.
func collect() ([]byte, error) {
	p := pinner{installer.GetPipInfo}
	wheels := map[string][]wheel{}
	for _, processor := range []string{"amd64", "arm64"} {
		cpu := installer.PipDependency{Package: cpuPackage, Exact: cpuVersion}
		w, err := p.latest(cpu, processor)
		if err != nil {
			return nil, err
		}
		wheels["cpu_linux_"+processor] = []wheel{w}
	}
	var err error
	for _, cuda := range []string{"cuda12", "cuda13"} {
		if wheels[cuda], err = p.cuda(cuda); err != nil {
			return nil, err
		}
	}
	releases := map[string]release{}
	for _, system := range []string{"linux_amd64", "linux_arm64", "darwin_arm64"} {
		releases[system] = findRelease(system)
	}
	return encode(wheels, releases), nil
}

// pinner selects wheels.
type pinner struct {
	// info returns the versions of a package.
	info func(name string) (*installer.PipPackageInfo, error)
}

var (
	// platforms has patterns of wheels for Linux by processor.
	platforms = map[string]*regexp.Regexp{
		"amd64": regexp.MustCompile(`-manylinux[^-]*_x86_64\.whl$`),
		"arm64": regexp.MustCompile(`-manylinux[^-]*_aarch64\.whl$`),
	}
	// stable matches versions without letters; others are release candidates.
	stable = regexp.MustCompile(`^\d+(\.\d+)*$`)
)

// cuda returns the wheel of Jax's plugin and those of NVIDIA's libraries that it requires.
func (p pinner) cuda(cuda string) ([]wheel, error) {
	info, err := p.info("jax-" + cuda + "-plugin")
	if err != nil {
		return nil, err
	}
	dependencies, err := info.ParseDependencies()
	if err != nil {
		return nil, err
	}
	plugin := "jax-" + cuda + "-pjrt"
	var wheels []wheel
	for _, d := range dependencies {
		if d.Package != plugin && !strings.HasPrefix(d.Package, "nvidia-") {
			continue
		}
		w, err := p.latest(d, "amd64")
		if err != nil {
			return nil, err
		}
		if d.Package == plugin { // first, as package backend expects
			wheels = slices.Insert(wheels, 0, w)
		} else {
			wheels = append(wheels, w)
		}
	}
	return wheels, nil
}

// latest returns the wheel of the latest stable version that satisfies a dependency.
func (p pinner) latest(d installer.PipDependency, processor string) (wheel, error) {
	info, err := p.info(d.Package)
	if err != nil {
		return wheel{}, err
	}
	var best wheel
	for version, files := range info.Releases {
		if !stable.MatchString(version) || !d.IsValid(version) {
			continue
		}
		file, err := installer.PipSelectRelease(files, platforms[processor], true)
		if err != nil { // this version has no wheel for the platform
			continue
		}
		if best.File == "" || installer.PipCompareVersion(version, best.Version) > 0 {
			best = wheel{d.Package, version, file.Filename, file.Digests["sha256"]}
		}
	}
	if best.SHA256 == "" {
		return wheel{}, fmt.Errorf("no version of %s satisfies %+v on %s", d.Package, d, processor)
	}
	return best, nil
}

// findRelease returns the release of the plugin for the CPU of a system, in the version
// that go-xla was tested with.
func findRelease(system string) release {
	const repository = installer.BinaryCPUReleasesRepo
	r := release{URL: fmt.Sprintf("https://github.com/%s/releases/download/%s/pjrt_cpu_%s.tar.gz",
		repository, pjrt.DefaultCPUVersion, system)}
	var published struct {
		Assets []struct {
			URL    string `json:"browser_download_url"`
			Digest string `json:"digest"`
		} `json:"assets"`
	}
	response, err := http.Get(fmt.Sprintf("https://api.github.com/repos/%s/releases/tags/%s",
		repository, pjrt.DefaultCPUVersion))
	if err == nil {
		defer response.Body.Close()
		err = json.NewDecoder(response.Body).Decode(&published)
	}
	for _, a := range published.Assets {
		if a.URL == r.URL {
			r.SHA256 = strings.TrimPrefix(a.Digest, "sha256:")
		}
	}
	if r.SHA256 == "" {
		fmt.Fprintf(os.Stderr, "pin: no digest for %s (%v)\n", r.URL, err)
	}
	return r
}

// encode returns the pins as JSON with one line for each file.
func encode(wheels map[string][]wheel, releases map[string]release) []byte {
	line := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // the fields are strings
		}
		return strings.NewReplacer(`","`, `", "`, `":"`, `": "`).Replace(string(text))
	}
	var plugins []string
	for _, plugin := range slices.Sorted(maps.Keys(wheels)) {
		var lines []string
		for _, w := range wheels[plugin] {
			lines = append(lines, "      "+line(w))
		}
		plugins = append(plugins, fmt.Sprintf("    %q: [\n%s\n    ]", plugin, strings.Join(lines, ",\n")))
	}
	var systems []string
	for _, system := range slices.Sorted(maps.Keys(releases)) {
		systems = append(systems, fmt.Sprintf("    %q: %s", system, line(releases[system])))
	}
	var all bytes.Buffer
	fmt.Fprintf(&all, "{\n  \"wheels\": {\n%s\n  },\n  \"releases\": {\n%s\n  }\n}\n",
		strings.Join(plugins, ",\n"), strings.Join(systems, ",\n"))
	return all.Bytes()
}
