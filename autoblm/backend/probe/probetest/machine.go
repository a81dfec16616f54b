package probetest

import (
	"context"
	"errors"
	"strings"
	"testing/fstest"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// Machine returns a Linux machine with variables and files but without nvidia-smi. The
// keys of files are absolute paths.
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
		RunSMI: func(context.Context, ...string) ([]byte, error) {
			return nil, errors.New("no nvidia-smi")
		},
	}
}
