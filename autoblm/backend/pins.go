package backend

import (
	_ "embed"
	"encoding/json"
)

// wheel is a file of a Python package.
type wheel struct {
	Package string `json:"package"`
	Version string `json:"version"`
	File    string `json:"file"`
	SHA256  string `json:"sha256"`
}

//go:embed pins.json
var pinsJSON []byte

// pinned returns the wheels that pins.sh wrote, by plugin, system and processor, such as
// "cpu_linux_amd64". The first wheel has the plugin.
func pinned() map[string][]wheel {
	var all map[string][]wheel
	if err := json.Unmarshal(pinsJSON, &all); err != nil {
		panic(err) // the file is embedded
	}
	return all
}

// wheels returns the wheels of a plugin for this machine.
func (f finder) wheels(plugin string) []wheel {
	return pinned()[plugin+"_"+f.machine.System+"_"+f.machine.Processor]
}
