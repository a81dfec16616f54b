package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/tasks"
	"github.com/autoblm/autoblm-go/internal/completions"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// newParser returns a parser of command lines into c, whose values are the defaults.
func newParser(c any, options ...kong.Option) (*kong.Kong, error) {
	var algorithms, names, purposes []string
	for _, algorithm := range strategy.All() {
		algorithms = append(algorithms, algorithm.Name())
	}
	for _, t := range tasks.All {
		names = append(names, t.Name)
		purposes = append(purposes, fmt.Sprintf("%s (%s)", t.Name, t.Purpose))
	}
	return flags.Parser(c, append(options,
		kong.Name(name),
		kong.Description("Finds the bilinear scoring function that best completes a knowledge graph."),
		kong.Help(examples.PrintHelp), kong.Bind(examples), kong.Vars{
			"algorithm":  autoblm.DefaultSearch().Algorithm,
			"algorithms": strings.Join(algorithms, ","),
			"strategies": format.List(algorithms, "or"),
			"shells":     strings.Join(completions.Shells, ","),
			"forms":      format.List(form.Names()[1:], "or"),
			"path_forms": format.List(form.AlgebraicNames()[1:], "or"),
			"task":       tasks.All[0].Name,
			"tasks":      strings.Join(names, ","),
			"purposes":   format.List(purposes, "or"),
		})...)
}
