package probetest

import (
	"context"
	"errors"
	"strings"
	"testing/fstest"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// Machine is a Linux machine with the given variables and files, of which the
// paths are absolute. There is no nvidia-smi on it.
func Machine(variables map[string]string, files map[string][]byte) probe.Machine {
	all := fstest.MapFS{}
	for path, content := range files {
		all[strings.TrimPrefix(path, "/")] = &fstest.MapFile{Data: content, Mode: 0o644}
	}
	return probe.Machine{
		System: "linux", Processor: "amd64", Files: all,
		Env: func(name string) (string, bool) {
			value, set := variables[name]
			return value, set
		},
		AskGPUs: func(context.Context, ...string) ([]byte, error) { return nil, errors.New("no nvidia-smi") },
	}
}
