package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/autoblm/autoblm-go/internal/measured"
	"github.com/autoblm/autoblm-go/internal/program"
)

// recordIn keeps results in a file with what they were measured by; nil keeps nothing. Many
// results name their engine and backend.
func recordIn(file string, arguments []string) func(value any) error {
	if file == "" {
		return nil
	}
	return func(value any) error {
		by := measured.By{Command: commandOf(withoutRecord(arguments)), Program: program.Version()}
		var on struct{ Engine, Backend string }
		if text, err := json.Marshal(value); err == nil && json.Unmarshal(text, &on) == nil {
			by.Engine, by.Backend = on.Engine, on.Backend
		}
		return measured.Now(context.Background(), by, value).Write(file)
	}
}

// withoutRecord leaves out where a record goes, which changes nothing in it.
func withoutRecord(arguments []string) (rest []string) {
	const flag = "--record"
	for i := 0; i < len(arguments); i++ {
		switch {
		case arguments[i] == flag:
			i++
		case !strings.HasPrefix(arguments[i], flag+"="):
			rest = append(rest, arguments[i])
		}
	}
	return rest
}
