package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/measured"
)

// session is a run of the program that measures.
type session struct {
	flags
	w        io.Writer // for people to read
	began    time.Time
	gpu      gpu
	document document
	graphs   map[string]*datasets.Graph
	started  bool // something was
	failed   []string
}

func newSession(ctx context.Context, f flags, w io.Writer) *session {
	s := &session{flags: f, w: w, began: time.Now(), graphs: map[string]*datasets.Graph{}}
	here := probe.This()
	var gpus []probe.GPU
	if probe.IsCUDA(f.Backend) {
		s.gpu.ask = here.AskGPUs
		gpus = here.GPUs(ctx)
	}
	s.document = document{
		Command: measured.HidePaths(commandLine(invocation(), f.arguments())), Date: s.began.Format(time.DateOnly),
		Machine: measured.Machine(gpus), Versions: measured.Versions(ctx, f.Backend, gpus),
	}
	s.document.Result = result{Threads: runtime.GOMAXPROCS(0), Engine: s.compute().Engine, Backend: measured.HidePaths(f.Backend)}
	return s
}

// onGoMLX says that the engine is not the native one.
func (s *session) onGoMLX() bool { return s.Backend != "" }

func (s *session) compute() autoblm.Compute {
	if !s.onGoMLX() {
		return autoblm.Compute{Engine: "cpu", Threads: s.Threads}
	}
	return autoblm.Compute{Engine: "gomlx", Backend: s.Backend, Note: s.note}
}

// note keeps what the engine has to say.
func (s *session) note(text string) {
	text = measured.HidePaths(text)
	fmt.Fprintln(os.Stderr, "bench:", text)
	if !slices.Contains(s.document.Result.Notes, text) {
		s.document.Result.Notes = append(s.document.Result.Notes, text)
	}
}

// left is how much time there is for what is not begun.
func (s *session) left() time.Duration {
	return time.Duration(s.Minutes*float64(time.Minute)) - time.Since(s.began)
}

// run measures case by case. One that fails does not keep the others from being
// measured.
func (s *session) run(ctx context.Context, chosen suite) error {
	into := &s.document.Result
	if len(chosen.timed) > 0 {
		printHeader(s.w)
	}
	for _, p := range pairs(chosen.timed) {
		s.do(ctx, suite{timed: p}.ids(), p[0].Dataset, func(g *datasets.Graph) error {
			timings, err := s.time(ctx, g, p)
			into.Cases = append(into.Cases, timings...)
			for _, t := range timings {
				t.print(s.w)
			}
			return err
		})
	}
	for _, c := range chosen.precisions {
		s.do(ctx, []string{c.ID}, c.Dataset, func(g *datasets.Graph) error {
			r, err := s.compare(ctx, g, c)
			if len(r.Outcomes) > 0 {
				into.Precisions = append(into.Precisions, r)
				r.print(s.w)
			}
			return err
		})
	}
	for _, c := range chosen.searches {
		s.do(ctx, []string{c.ID}, c.Dataset, func(g *datasets.Graph) error {
			r, err := s.search(ctx, g, c)
			if err == nil {
				into.Searches = append(into.Searches, r)
				r.print(s.w)
			}
			return err
		})
	}
	switch {
	case len(s.failed) > 0:
		return fmt.Errorf("these failed: %s", strings.Join(s.failed, ", "))
	case len(into.Cases)+len(into.Precisions)+len(into.Searches) == 0:
		return errors.New("nothing was measured")
	}
	return nil
}

// do measures once and writes what there is so far, unless the time is over or the
// data are missing. The first measurement has all the time it needs.
func (s *session) do(ctx context.Context, ids []string, dataset string, measure func(g *datasets.Graph) error) {
	name := strings.Join(ids, " and ")
	defer s.write()
	if s.Minutes > 0 && s.left() <= 0 && s.started {
		s.leaveOut(name, fmt.Errorf("%v minutes are over", s.Minutes))
		return
	}
	s.started = true
	g, err := s.graph(dataset)
	missing := errors.Is(err, fs.ErrNotExist)
	if err == nil {
		err = measure(g)
	}
	if err == nil {
		err = ctx.Err() // an interrupted search is no error by itself
	}
	if err != nil {
		s.leaveOut(name, err)
	}
	if err != nil && !missing {
		s.failed = append(s.failed, name)
	}
}

func (s *session) leaveOut(name string, why error) {
	text := measured.HidePaths(fmt.Sprintf("%s: %v", name, why))
	fmt.Fprintln(os.Stderr, "bench: left out:", text)
	s.document.Result.LeftOut = append(s.document.Result.LeftOut, text)
}

func (s *session) write() {
	if s.Out == "" {
		return
	}
	if err := s.document.Write(s.Out); err != nil {
		fmt.Fprintln(os.Stderr, "bench: the result is not written:", err)
		s.failed = append(s.failed, s.Out)
	}
}

// graph reads a graph once.
func (s *session) graph(dataset string) (*datasets.Graph, error) {
	if g, read := s.graphs[dataset]; read {
		return g, nil
	}
	folder := filepath.Join(s.Data, dataset)
	if _, err := os.Stat(folder); err != nil {
		return nil, err
	}
	g, err := datasets.ReadFolder(folder)
	if err == nil {
		s.graphs[dataset] = g
	}
	return g, err
}
