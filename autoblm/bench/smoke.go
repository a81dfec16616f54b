package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/measured"
)

// rehearse runs all commands of the plan with this very program, small, on GoMLX's
// own backend and the peer on the processor, and looks at what they wrote. What
// would fail on the device is an error, as far as it can be seen here.
func (f flags) rehearse(ctx context.Context, w io.Writer) error {
	began := time.Now()
	say := func(format string, values ...any) { fmt.Fprintf(w, format+"\n", values...) }
	if err := f.checkXLA(say); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	small := usualFlags()
	small.Data, small.To, small.Backend, small.Small = filepath.Join(folder, "data"), folder, backend.Go, true
	if err := f.writeSmallData(small.Data, say); err != nil {
		return err
	}
	if small.Peer, err = f.peerHere(ctx, say); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	var before document
	for _, c := range small.commands() {
		at := time.Now()
		if err := c.try(ctx, program); err != nil {
			return fmt.Errorf("%s: %w", c.about, err)
		}
		after, err := c.written(before)
		if err != nil {
			return fmt.Errorf("%s: %w", c.about, err)
		}
		before = after
		say("%5.1f s  %s", time.Since(at).Seconds(), c.about)
	}
	say("%5.1f s  in all: what --plan prints runs, as far as can be told without a GPU", time.Since(began).Seconds())
	return nil
}

// checkXLA says whether this program could use the backend that is planned for.
func (f flags) checkXLA(say func(string, ...any)) error {
	if err := backend.Check(f.Backend); err != nil {
		return err
	}
	if info, ok := debug.ReadBuildInfo(); ok && slices.ContainsFunc(info.Deps, func(m *debug.Module) bool { return m.Path == "github.com/gomlx/go-xla" }) {
		return nil
	}
	const lacks = "this program was built without XLA, so it can use no GPU: build it with cgo"
	if strings.HasPrefix(f.Backend, "xla") {
		return errors.New(lacks)
	}
	say("%s", lacks)
	return nil
}

// The triples that a rehearsal takes of a graph.
const (
	smallTrain = 500
	smallSplit = 40
)

// writeSmallData reads the real data, as the device will, and writes a little of
// each graph. Without data the embedded graph takes their place.
func (f flags) writeSmallData(folder string, say func(string, ...any)) error {
	if f.Data == "" {
		say("no --data and no AUTOBLM_DATA: the embedded graph takes the place of %s", strings.Join(deviceGraphs, " and "))
	}
	for _, name := range deviceGraphs {
		g := datasets.World()
		if f.Data != "" {
			var err error
			if g, err = datasets.ReadFolder(filepath.Join(f.Data, name)); err != nil {
				return fmt.Errorf("the data for the device: %w", err)
			}
		}
		if err := datasets.WriteFolder(cut(g), filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// cut is a little of a graph.
func cut(g *datasets.Graph) *datasets.Graph {
	first := func(triples []datasets.Triple, n int) []datasets.Triple { return triples[:min(n, len(triples))] }
	return &datasets.Graph{
		Name: g.Name, Entities: g.Entities, Relations: g.Relations,
		Train: first(g.Train, smallTrain), Valid: first(g.Valid, smallSplit), Test: first(g.Test, smallSplit),
	}
}

// peerHere is the peer, or "" where it is absent, which is said. A peer that fails
// for another reason would fail on the device, too.
func (f flags) peerHere(ctx context.Context, say func(string, ...any)) (string, error) {
	words := strings.Fields(f.Peer)
	if len(words) == 0 {
		say("no --peer: ours is rehearsed alone")
		return "", nil
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		say("no peer here: %v; ours is rehearsed alone", err)
		return "", nil
	}
	_, err := exec.CommandContext(ctx, words[0], append(words[1:], "--help")...).Output()
	why := lastWords(err)
	switch {
	case err == nil:
		return f.Peer, nil
	case strings.Contains(why, "ModuleNotFoundError"): // PyTorch, most likely
		say("no peer here%s; ours is rehearsed alone", why)
		return "", nil
	}
	return "", fmt.Errorf("the peer: %w%s", err, why)
}

// try runs a command.
func (c command) try(ctx context.Context, program string) error {
	var output bytes.Buffer
	run := exec.CommandContext(ctx, program, c.arguments()...)
	run.Stdout, run.Stderr = &output, &output
	if err := run.Run(); err != nil {
		return fmt.Errorf("%w\n%s\n%s", err, commandLine(program, c.arguments()), output.String())
	}
	return nil
}

// written reads what a command wrote. before is what the one before wrote.
func (c command) written(before document) (document, error) {
	after, err := measured.Read[result](c.Out)
	if err != nil {
		return after, err
	}
	chosen, err := c.suite().choose(c.Cases)
	if err != nil {
		return after, err
	}
	if err := lacks(after, chosen, c.Peer != ""); err != nil {
		return after, err
	}
	return after, wentOn(before.Result.Searches, after.Result.Searches)
}

// wentOn says what is wrong with a search in pieces: each one begins where the last
// ended.
func wentOn(before, after []searched) error {
	for i, now := range after {
		switch {
		case i >= len(before) && now.Stopped != search.TimeUp:
			return fmt.Errorf("the search did not stop when its minutes were over: %+v", now)
		case i < len(before) && (now.Stopped != search.BudgetSpent || now.Resumed != before[i].Trained):
			return fmt.Errorf("the search did not go on: %+v, then %+v", before[i], now)
		}
	}
	return nil
}
