//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/textproto"
	"regexp"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/pip"
	"github.com/gomlx/go-xla/installer"
)

// wheel is a file of a package for Python.
type wheel struct {
	Package string `json:"package"`
	Version string `json:"version"`
	File    string `json:"file"`
	SHA256  string `json:"sha256"`
}

// pinner looks up pins.
type pinner struct{ client *pip.Client }

// platforms are the ends of wheels for Linux by processor.
var platforms = map[string]*regexp.Regexp{
	"amd64": regexp.MustCompile(`-manylinux[^-]*_x86_64\.whl$`),
	"arm64": regexp.MustCompile(`-manylinux[^-]*_aarch64\.whl$`),
}

// stable is a version that is no candidate, which has letters.
var stable = regexp.MustCompile(`^\d+(\.\d+)*$`)

// version is the wheel of a version of a package for a processor.
func (p pinner) version(ctx context.Context, name, version, processor string) (wheel, error) {
	return p.one(ctx, name, processor, func(v string) bool { return v == version })
}

// latest is the wheel for amd64 of the newest stable version that a dependency allows.
func (p pinner) latest(ctx context.Context, d installer.PipDependency) (wheel, error) {
	return p.one(ctx, d.Package, "amd64", func(v string) bool { return stable.MatchString(v) && d.IsValid(v) })
}

func (p pinner) one(ctx context.Context, name, processor string, fits func(version string) bool) (wheel, error) {
	files, err := p.client.Files(ctx, name)
	if len(files) == 0 && err != nil {
		return wheel{}, err
	}
	var best wheel
	for _, f := range files {
		version := versionOf(f)
		if fits(version) && platforms[processor].MatchString(f.Name) && (best.File == "" || installer.PipCompareVersion(version, best.Version) > 0) {
			best = wheel{name, version, f.Name, f.SHA256}
		}
	}
	if best.SHA256 == "" {
		return wheel{}, fmt.Errorf("no index has a version of %s that fits, for %s, and its digest (%v)", name, processor, err)
	}
	return best, nil
}

// versionOf is the second part of a wheel's name, or "".
func versionOf(f pip.File) string {
	parts := strings.Split(f.Name, "-")
	if len(parts) < 5 || !strings.HasSuffix(f.Name, ".whl") {
		return ""
	}
	return parts[1]
}

// cuda are Jax's plugin, and then NVIDIA's libraries that it needs.
func (p pinner) cuda(ctx context.Context, cuda string) ([]wheel, error) {
	plugin, err := p.latest(ctx, installer.PipDependency{Package: "jax-" + cuda + "-pjrt"})
	if err != nil {
		return nil, err
	}
	all := []wheel{plugin}
	needs, err := p.needs(ctx, "jax-"+cuda+"-plugin", plugin.Version)
	if err != nil {
		return nil, err
	}
	for _, d := range needs {
		if strings.HasPrefix(d.Package, "nvidia-") {
			w, err := p.latest(ctx, d)
			if err != nil {
				return nil, err
			}
			all = append(all, w)
		}
	}
	return all, nil
}

// needs is what a version of a package asks for, as its wheel tells.
func (p pinner) needs(ctx context.Context, name, version string) ([]installer.PipDependency, error) {
	files, err := p.client.Files(ctx, name)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if versionOf(f) != version || !platforms["amd64"].MatchString(f.Name) {
			continue
		}
		about, err := p.metadata(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		header, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(about))).ReadMIMEHeader()
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: its metadata: %w", f.Name, err)
		}
		var info installer.PipPackageInfo
		info.Info.RequiresDist = header["Requires-Dist"]
		return info.ParseDependencies()
	}
	return nil, fmt.Errorf("no index has %s %s", name, version)
}

// metadata is the file METADATA of a wheel, which many indexes have beside it.
func (p pinner) metadata(ctx context.Context, f pip.File) ([]byte, error) {
	address := f.URL
	if f.Metadata {
		address += ".metadata"
	}
	response, err := p.client.Get(ctx, address, "")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || f.Metadata {
		return content, err
	}
	packed, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	for _, inside := range packed.File {
		if strings.HasSuffix(inside.Name, ".dist-info/METADATA") {
			file, err := inside.Open()
			if err != nil {
				return nil, err
			}
			defer file.Close()
			return io.ReadAll(file)
		}
	}
	return nil, fmt.Errorf("it has no METADATA")
}
