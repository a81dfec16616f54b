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
	Data     string   `env:"AUTOBLM_DATA" help:"Folder with umls, wn18rr, fb15k-237, aifb and mutag, or some of them."`
	Backends []string `default:"go,xla:cpu" help:"Backends of GoMLX to compare with the native engine."`
	Cases    string   `default:"." help:"Regular expression for the names of cases. One without a match lists all."`
	Repeat   int      `default:"3" help:"Number of timings of each case."`
	Out      string   `help:"Write the results into this JSON file after each case. Its other cases are kept."`
}

// result holds the measurements.
type result struct {
	Cases []timing `json:"cases"`
}

// timing holds the measurements of a case.
type timing struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Dataset string `json:"dataset"`
	// Seconds has the times by engine in the order of measurement, and Compiling the median
	// compile times.
	Seconds   map[string][]float64 `json:"seconds"`
	Compiling map[string]float64   `json:"compiling"`
	// Command and Date identify the measurement. The cases of a file may differ in both.
	Command string `json:"command"`
	Date    string `json:"date"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("engines"),
		kong.Description("Compares GoMLX with the native engine on the CPU."))
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

// engines returns the engines, the native one first.
func (f flags) engines() (names []string, computes map[string]autoblm.Compute, err error) {
	names, computes = []string{native}, map[string]autoblm.Compute{native: {Engine: "cpu"}}
	for _, name := range f.Backends {
		if name == backend.Auto {
			return nil, nil, errors.New("--backends has auto: name the backends")
		}
		if err := backend.Check(name); err != nil {
			return nil, nil, err
		}
		names = append(names, name)
		computes[name] = autoblm.Compute{Engine: "gomlx", Backend: name}
	}
	return names, computes, nil
}

func (f flags) run(ctx context.Context, all []benchCase, w io.Writer) error {
	if f.Data == "" {
		return errors.New("no data: set --data or AUTOBLM_DATA to the folder with umls, wn18rr, " +
			"fb15k-237, aifb and mutag (autoblm dataset fetch)")
	}
	if f.Repeat < 1 {
		return fmt.Errorf("--repeat %d: use at least 1", f.Repeat)
	}
	names, computes, err := f.engines()
	if err != nil {
		return err
	}
	id := func(c benchCase) string { return c.id }
	chosen, err := record.Choose("--cases", available(all, f.Data), id, f.Cases)
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
			return fmt.Errorf("%s has measurements on %s, not %s: use another file for --out",
				f.Out, before.Machine, d.Machine)
		default:
			d.Result = before.Result
		}
	}
	for _, c := range chosen {
		t := timing{
			ID: c.id, Name: c.name, Dataset: c.dataset,
			Seconds: map[string][]float64{}, Compiling: map[string]float64{},
			Command: d.Command, Date: d.Date,
		}
		compiling := map[string][]float64{}
		for range f.Repeat {
			for _, name := range names {
				took, err := c.run(ctx, filepath.Join(f.Data, c.dataset), computes[name])
				if err != nil {
					return fmt.Errorf("%s on %s: %w", c.name, name, err)
				}
				t.Seconds[name] = append(t.Seconds[name], took.each)
				compiling[name] = append(compiling[name], took.compiling)
			}
		}
		fmt.Fprintln(w, c.name)
		for _, name := range names {
			t.Compiling[name] = record.Median(compiling[name])
			fmt.Fprintf(w, "  %-10s %10s, %s compiling\n", name,
				format.Milliseconds(record.Median(t.Seconds[name])),
				format.Milliseconds(t.Compiling[name]))
		}
		others := slices.DeleteFunc(d.Result.Cases, func(b timing) bool { return b.ID == c.id })
		d.Result.Cases = inOrder(all, append(others, t))
		if f.Out != "" {
			if err := d.Write(f.Out); err != nil {
				return err
			}
		}
	}
	return nil
}

// inOrder sorts timings in the order of the cases.
func inOrder(all []benchCase, done []timing) []timing {
	place := func(t timing) int {
		return slices.IndexFunc(all, func(c benchCase) bool { return c.id == t.ID })
	}
	slices.SortStableFunc(done, func(a, b timing) int { return place(a) - place(b) })
	return done
}
