// Command linear measures what the filter linear of a search wrongly drops: it runs
// an AutoBLM+ search with the exact filter, looks which of the structures trained
// there are earlier ones after a change of basis, as far as package
// structure/linear can tell, and compares their validation MRR.
//
//	go run ./autoblm/bench/linear [--dataset kinship] [--structures 256] [--seed 1] [--out result.json]
//
// The dataset is a folder, or a name as for autoblm train.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/wholefile"
)

type flags struct {
	Dataset    string `default:"kinship" help:"A name of dataset list, or a folder."`
	Structures int    `default:"256" help:"How many structures the search trains."`
	Seed       uint64 `default:"1" help:"Decides the proposals and the initial embeddings."`
	Out        string `help:"Write the result into this file, as JSON."`
}

// document is a result file, as the others in notebooks/results.
type document struct {
	Command string `json:"command"`
	Date    string `json:"date"`
	Machine string `json:"machine"`
	Result  result `json:"result"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Description("Measures what the filter linear of a search wrongly drops."))
	if err := f.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "linear:", err)
		os.Exit(1)
	}
}

func (f flags) run(ctx context.Context) error {
	g, err := datasets.Open(f.Dataset)
	if err != nil {
		return err
	}
	engine, err := autoblm.Compute{Engine: "cpu"}.Open()
	if err != nil {
		return err
	}
	defer engine.Close()
	r, err := measure(ctx, engine, g, f.Structures, f.Seed)
	if err != nil {
		return err
	}
	fmt.Print(r)
	if f.Out == "" {
		return nil
	}
	text, err := json.MarshalIndent(document{
		Command: fmt.Sprintf("go run ./autoblm/bench/linear --dataset %s --structures %d --seed %d", g.Name, f.Structures, f.Seed),
		Date:    time.Now().Format(time.DateOnly),
		Machine: strings.TrimSpace(fmt.Sprintf("%s/%s, %d cores, engine %s %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), engine.Name(), engine.Backend())),
		Result:  r,
	}, "", " ")
	if err != nil {
		return err
	}
	return wholefile.Write(f.Out, append(text, '\n'))
}
