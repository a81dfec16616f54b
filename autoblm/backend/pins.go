package backend

import (
	_ "embed"
	"encoding/json"
	"runtime"
)

// wheel is a file of a package for Python, which the Python Package Index has, or any mirror.
type wheel struct {
	Package string `json:"package"`
	Version string `json:"version"`
	File    string `json:"file"`
	SHA256  string `json:"sha256"`
}

// release is an archive that go-xla's project publishes. Its digest is "" where none is known.
type release struct {
	URL    string `json:"url"`
	SHA256 string `json:"sha256"`
}

// source is where a plugin comes from: all of the wheels, or the release where no index can be
// asked for them or has them. Either may be missing.
type source struct {
	wheels  []wheel
	release release
}

// pins are all that can be installed, with the digests without which nothing is.
type pins struct {
	// Wheels are by plugin: "cuda12", "cuda13", and "cpu_" with a system and a processor.
	Wheels map[string][]wheel `json:"wheels"`
	// Releases are of plugins for the CPU, by system and processor.
	Releases map[string]release `json:"releases"`
}

// pinsJSON is what the command in folder pin has looked up.
//
//go:embed pins.json
var pinsJSON []byte

func pinned() pins {
	var all pins
	if err := json.Unmarshal(pinsJSON, &all); err != nil {
		panic(err) // it is embedded
	}
	return all
}

// source is that of a plugin for this system.
func (p pins) source(plugin string) source {
	if plugin != "cpu" {
		return source{wheels: p.Wheels[plugin]}
	}
	system := runtime.GOOS + "_" + runtime.GOARCH
	return source{p.Wheels["cpu_"+system], p.Releases[system]}
}
