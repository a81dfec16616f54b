//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

// Command pin looks up what `autoblm backend install` downloads, and the digests that it must
// have: for CUDA the latest of Jax's plugin with NVIDIA's libraries, from the Python Package
// Index; for the CPU the release that this go-xla was tested with, from GitHub. It prints
// ../pins.json, in which a digest that cannot be had is "".
//
//	go run ./autoblm/backend/pin > pins.json && mv pins.json autoblm/backend/pins.json
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
)

// file is one to download.
type file struct {
	URL    string `json:"url"`
	SHA256 string `json:"sha256"`
}

func main() {
	pins := map[string][]file{}
	var err error
	for _, platform := range []string{"linux_amd64", "linux_arm64", "darwin_arm64"} {
		pins["cpu_"+platform] = []file{release(platform)}
	}
	for _, cuda := range []string{"cuda12", "cuda13"} {
		if pins[cuda], err = wheels(cuda); err != nil {
			fmt.Fprintln(os.Stderr, "pin:", err)
			os.Exit(1)
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(pins); err != nil {
		fmt.Fprintln(os.Stderr, "pin:", err)
		os.Exit(1)
	}
}

// release is the plugin for the CPU of a platform.
func release(platform string) file {
	const repository = installer.BinaryCPUReleasesRepo
	f := file{URL: fmt.Sprintf("https://github.com/%s/releases/download/%s/pjrt_cpu_%s.tar.gz", repository, pjrt.DefaultCPUVersion, platform)}
	var known struct {
		Assets []struct {
			URL    string `json:"browser_download_url"`
			Digest string `json:"digest"`
		} `json:"assets"`
	}
	response, err := http.Get(fmt.Sprintf("https://api.github.com/repos/%s/releases/tags/%s", repository, pjrt.DefaultCPUVersion))
	if err == nil {
		defer response.Body.Close()
		err = json.NewDecoder(response.Body).Decode(&known)
	}
	for _, a := range known.Assets {
		if a.URL == f.URL {
			f.SHA256, _ = strings.CutPrefix(a.Digest, "sha256:")
		}
	}
	if f.SHA256 == "" {
		fmt.Fprintf(os.Stderr, "pin: there is no digest of %s (%v)\n", f.URL, err)
	}
	return f
}

// wheels are Jax's plugin, and then NVIDIA's libraries that it needs.
func wheels(cuda string) ([]file, error) {
	plugin, err := latest(installer.PipDependency{Package: "jax-" + cuda + "-pjrt"})
	if err != nil {
		return nil, err
	}
	all := []file{plugin}
	needs, err := installer.GetPipInfo("jax-" + cuda + "-plugin")
	if err != nil {
		return nil, err
	}
	dependencies, err := needs.ParseDependencies()
	if err != nil {
		return nil, err
	}
	for _, d := range dependencies {
		if strings.HasPrefix(d.Package, "nvidia-") {
			f, err := latest(d)
			if err != nil {
				return nil, err
			}
			all = append(all, f)
		}
	}
	return all, nil
}

// latest is the wheel of the latest stable version.
func latest(d installer.PipDependency) (file, error) {
	info, err := installer.GetPipInfo(d.Package)
	if err != nil {
		return file{}, err
	}
	version := info.Info.Version
	if !d.IsValid(version) {
		return file{}, fmt.Errorf("%s %s, the latest, is not what Jax asks for: %+v", d.Package, version, d)
	}
	wheel, err := installer.PipSelectRelease(info.Releases[version], installer.PipPackageLinuxAMD64(), false)
	if err != nil {
		return file{}, fmt.Errorf("%s %s: %w", d.Package, version, err)
	}
	at := wheel.Digests["blake2b_256"] // where the index keeps the file
	return file{fmt.Sprintf("https://files.pythonhosted.org/packages/%s/%s/%s/%s", at[:2], at[2:4], at[4:], wheel.Filename), wheel.Digests["sha256"]}, nil
}
