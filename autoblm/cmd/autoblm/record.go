package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/internal/measured"
)

// record writes a result with what it was measured by.
func (o *output) record(value any) error {
	versions := measured.Versions(context.Background(), "", nil)
	versions["autoblm"] = cmp.Or(versions["autoblm"], version())
	d := measured.Document[any]{
		Command: measured.HidePaths(commandOf(withoutRecord(o.arguments))), Date: time.Now().Format(time.DateOnly),
		Machine:  fmt.Sprintf("%s, %d of them used", measured.Machine(nil), runtime.GOMAXPROCS(0)),
		Versions: versions, Result: value,
	}
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
