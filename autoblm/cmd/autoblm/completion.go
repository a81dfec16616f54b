package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/completions"
)

type completionCommand struct {
	Shell string `arg:"" enum:"${shells}" help:"bash, zsh or fish. The first lines of the script say where to install it."`
}

func (c *completionCommand) Run(o *output) error {
	script, err := completions.Script(c.Shell, name, "complete")
	if err != nil {
		return err
	}
	result := map[string]string{"shell": c.Shell, "script": script}
	o.Stdout.Keep(script)
	return o.Result(result, func(w io.Writer) { fmt.Fprint(w, script) })
}

// completeCommand completes a command line for the scripts.
type completeCommand struct {
	Words []string `arg:"" optional:"" help:"Words of the command line. The last one is completed."`
}

// Run prints the completions of the last word.
func (c *completeCommand) Run(parsed *kong.Context, o *output) error {
	completions.Print(o.Stdout, completions.Suggest(parsed.Model, c.Words, namesFor))
	return nil
}

// namesFor returns the names that a flag or an argument accepts, unless they follow from its type.
func namesFor(command *kong.Node, v *kong.Value) []string {
	path := command.FullPath()
	switch v.Name {
	case "backend":
		return []string{backend.Auto, backend.Go, backend.CPU, backend.CUDA}
	case "recipe":
		return recipe.Names()
	case "name":
		if strings.Contains(path, " recipe") {
			return recipe.Names()
		}
	case "to":
		return graphsFor(path)
	case "dataset":
		if strings.Contains(path, " recipe") || strings.Contains(path, " reproduce") {
			return recipe.Datasets()
		}
		return graphsFor(path)
	}
	return nil
}

// graphsFor returns the names of data that a command accepts.
func graphsFor(path string) (all []string) {
	contains := func(command string) bool { return strings.Contains(path, command) }
	anyTask := slices.ContainsFunc([]string{" search", " report", " study"}, contains)
	if classes := strings.Contains(path, " classify"); !classes || anyTask {
		for _, d := range datasets.List() {
			all = append(all, d.Name)
		}
	}
	if strings.Contains(path, " classify") || anyTask {
		for _, b := range rdf.Registry() {
			all = append(all, b.Name)
		}
	}
	if strings.Contains(path, " query") || anyTask {
		all = append(all, query.Names()...)
	}
	return all
}
