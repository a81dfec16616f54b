package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// recordIn keeps results in a file, if one is named, with what they were measured by. Many
// results name their engine and backend.
func recordIn(o *output, parsed *kong.Context, file string) error {
	if file == "" {
		return nil
	}
	o.Record = func(value any) error {
		by := record.Setup{Command: commandOf(withoutRecord(o.Arguments)), Program: cli.Version()}
		by.Threads, _ = flags.Given[int](parsed, "threads")
		var on struct{ Engine, Backend string }
		if text, err := json.Marshal(value); err == nil && json.Unmarshal(text, &on) == nil {
			by.Engine, by.Backend = on.Engine, on.Backend
		}
		err := record.New(context.Background(), by, value).Write(file)
		if err == nil {
			o.Saved("the record is %s", file)
		}
		return err
	}
	return o.CheckFile(file, outfile.Record)
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
