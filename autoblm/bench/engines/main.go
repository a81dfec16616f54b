package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/record"
)

type flags struct {
	Data     string   `env:"AUTOBLM_DATA" help:"The folder that holds umls, wn18rr, fb15k-237, aifb and mutag, or some of them."`
	Backends []string `default:"go,xla:cpu" help:"What GoMLX runs on, beside the native engine."`
	Cases    string   `default:"." help:"What to measure: a regular expression for names. One that no name matches shows all."`
	Repeat   int      `default:"3" help:"How often each is timed."`
	Out      string   `help:"Write the result into this file, as JSON, after each case. What it has of other cases stays."`
}

// result is what was measured.
type result struct {
	Cases []timing `json:"cases"`
}

// timing is what became of a case.
type timing struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Dataset string `json:"dataset"`
	// Seconds are those of each engine, in the order they were taken, and Compiling the median
	// of what was compiled beside that.
	Seconds   map[string][]float64 `json:"seconds"`
	Compiling map[string]float64   `json:"compiling"`
	// Command and Date are those by which the case was measured.
	Command string `json:"command"`
	Date    string `json:"date"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("engines"), kong.Description("Times what GoMLX does on the CPU beside the native engine."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	err := f.run(ctx, cases(), os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "engines:", err)
		os.Exit(1)
	}
}

// native is the name of the native engine in results.
const native = "native"

// engines are those that take turns, the native one first.
func (f flags) engines() (names []string, computes map[string]autoblm.Compute, err error) {
	names, computes = []string{native}, map[string]autoblm.Compute{native: {Engine: "cpu"}}
	for _, name := range f.Backends {
		if name == backend.Auto {
			return nil, nil, errors.New("--backends has auto: name those to measure")
		}
		if err := backend.Check(name); err != nil {
			return nil, nil, err
		}
		names = append(names, name)
		computes[name] = autoblm.Compute{Engine: "gomlx", Backend: name}
	}
	return names, computes, nil
}

func (f flags) run(ctx context.Context, all []timed, w io.Writer) error {
	if f.Data == "" {
		return errors.New("no data: --data or AUTOBLM_DATA names the folder that holds umls, wn18rr, fb15k-237, aifb and mutag (autoblm dataset fetch)")
	}
	if f.Repeat < 1 {
		return fmt.Errorf("repeat is %d: at least 1 is needed", f.Repeat)
	}
	names, computes, err := f.engines()
	if err != nil {
		return err
	}
	chosen, err := record.Choose("--cases", there(all, f.Data), func(c timed) string { return c.id }, f.Cases)
	if err != nil {
		return err
	}
	command := append([]string{"go", "run", "./autoblm/bench/engines"}, os.Args[1:]...)
	d := record.New(ctx, record.Setup{Command: record.CommandLine(command...)}, result{})
	if f.Out != "" {
		switch before, err := record.Read[result](f.Out); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case before.Machine != d.Machine:
			return fmt.Errorf("%s was measured on %s, and this is %s: name another file", f.Out, before.Machine, d.Machine)
		default:
			d.Result = before.Result
		}
	}
	for _, c := range chosen {
		t := timing{ID: c.id, Name: c.name, Dataset: c.dataset, Seconds: map[string][]float64{}, Compiling: map[string]float64{}, Command: d.Command, Date: d.Date}
		compiling := map[string][]float64{}
		for range f.Repeat {
			for _, name := range names {
				once, err := c.once(ctx, filepath.Join(f.Data, c.dataset), computes[name])
				if err != nil {
					return fmt.Errorf("%s on %s: %w", c.name, name, err)
				}
				t.Seconds[name], compiling[name] = append(t.Seconds[name], once.each), append(compiling[name], once.compiling)
			}
		}
		fmt.Fprintln(w, c.name)
		for _, name := range names {
			t.Compiling[name] = record.Median(compiling[name])
			fmt.Fprintf(w, "  %-10s %10s, %s compiling\n", name, format.Milliseconds(record.Median(t.Seconds[name])), format.Milliseconds(t.Compiling[name]))
		}
		d.Result.Cases = inOrder(all, append(slices.DeleteFunc(d.Result.Cases, func(b timing) bool { return b.ID == c.id }), t))
		if f.Out != "" {
			if err := d.Write(f.Out); err != nil {
				return err
			}
		}
	}
	return nil
}

// inOrder puts what was measured into the order of the cases.
func inOrder(all []timed, done []timing) []timing {
	place := func(t timing) int { return slices.IndexFunc(all, func(c timed) bool { return c.id == t.ID }) }
	slices.SortStableFunc(done, func(a, b timing) int { return place(a) - place(b) })
	return done
}
