package main

import (
	"fmt"
	"io"
	"os"
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
	Shell string `arg:"" enum:"${shells}" help:"bash, zsh or fish. The first lines of its script say where it belongs."`
}

// Run prints a script for a shell.
func (c *completionCommand) Run(o *output) error {
	script, err := completions.Script(c.Shell, name, "complete")
	if err != nil {
		return err
	}
	return o.Result(map[string]string{"shell": c.Shell, "script": script}, func(w io.Writer) { fmt.Fprint(w, script) })
}

// completeCommand is what the scripts ask.
type completeCommand struct {
	Words []string `arg:"" optional:"" help:"The words of the command line, the last of which may go on."`
}

// Run prints how the last word may go on.
func (c *completeCommand) Run(parsed *kong.Context, o *output) error {
	line := c.Words
	if len(line) > 1 && line[0] == "help" {
		line = line[1:]
	}
	completions.Print(o.Stdout, completions.Suggest(parsed.Model, line, namesFor))
	return nil
}

// namesFor are the names that a flag or an argument takes, where its type does not tell.
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

// graphsFor are the names of data that a command takes.
func graphsFor(path string) (all []string) {
	anyTask := strings.Contains(path, " search") || strings.Contains(path, " report") || strings.Contains(path, " study")
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
		entries, _ := os.ReadDir(os.Getenv("AUTOBLM_DATA"))
		for _, e := range entries {
			if query.CanOpen(e.Name()) {
				all = append(all, e.Name())
			}
		}
	}
	return all
}
