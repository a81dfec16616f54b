package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/autoblm/autoblm-go/internal/measured"
)

// record writes a result with what it was measured by. Many results name their engine
// and backend.
func (o *output) record(value any) error {
	by := measured.By{Command: commandOf(withoutRecord(o.arguments)), Program: version()}
	var on struct{ Engine, Backend string }
	if text, err := json.Marshal(value); err == nil && json.Unmarshal(text, &on) == nil {
		by.Engine, by.Backend = on.Engine, on.Backend
	}
	d := measured.Now(context.Background(), by, value)
	if err := d.Write(o.recordFile); err != nil {
		return fmt.Errorf("cannot write the record: %w", err)
	}
	return nil
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
