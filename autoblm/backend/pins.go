package backend

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
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
	SHA256 string `json:"sha256"` // "" if unknown
}

// source holds the files of a plugin: wheels, or a release if there are none.
type source struct {
	wheels  []wheel
	release release
}

// pins holds the files of all plugins with their digests.
type pins struct {
	// Wheels has the keys "cuda12", "cuda13" and "cpu_" with the system and processor.
	Wheels map[string][]wheel `json:"wheels"`
	// Releases has plugins for the CPU by system and processor.
	Releases map[string]release `json:"releases"`
}

//go:embed pins.json
var pinsJSON []byte

// pinned returns the pins that the command in the folder pin wrote.
func pinned() pins {
	var all pins
	if err := json.Unmarshal(pinsJSON, &all); err != nil {
		panic(err) // the file is embedded
	}
	return all
}

// source returns the source of a plugin for this system. A digest that differs from the
// wheel's digest selects the release.
func (p pins) source(plugin, digest string) (source, error) {
	s := source{wheels: p.Wheels[plugin]}
	if plugin == "cpu" {
		system := runtime.GOOS + "_" + runtime.GOARCH
		s = source{p.Wheels["cpu_"+system], p.Releases[system]}
	}
	return s.withDigest(digest)
}

func (s source) withDigest(digest string) (source, error) {
	given := strings.ToLower(strings.TrimPrefix(digest, "sha256:"))
	if given == "" {
		return s, nil
	}
	if content, err := hex.DecodeString(given); err != nil || len(content) != sha256.Size {
		return source{}, fmt.Errorf("%q is not a SHA-256 digest of %d hexadecimal digits",
			digest, 2*sha256.Size)
	}
	if len(s.wheels) == 1 && s.wheels[0].SHA256 == given {
		return s, nil
	}
	if s.release.URL == "" || s.release.SHA256 != "" && s.release.SHA256 != given {
		return source{}, errors.New("its digests are pinned; leave out the other digest")
	}
	return source{release: release{s.release.URL, given}}, nil
}
