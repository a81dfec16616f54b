package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/record"
)

// recordIn writes the result of a command to a file too, if one is named, with the command, the
// machine and the number of threads. Many results name their engine and backend.
func recordIn(o *output, file string, threads int) error {
	if file == "" {
		return nil
	}
	o.Record = func(value any) error {
		command := shellCommand(withoutRecord(o.Arguments))
		by := record.Setup{Command: command, Program: cli.Version(), Threads: threads}
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

// withoutRecord removes --record from arguments, because it does not affect the result.
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
