package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
	"github.com/autoblm/autoblm-go/internal/table"
)

type recipeCommands struct {
	List recipeListCommand `cmd:"" help:"List training settings by name, with published results."`
	Show recipeShowCommand `cmd:"" help:"Show all settings of a recipe, with its source."`
}

type recipeListCommand struct {
	Dataset string `placeholder:"NAME" brief:"Only recipes for this data set." help:"Only recipes for this data set, and those for any graph."`
}

func (c *recipeListCommand) Run(o *output) error {
	recipes := recipe.All()
	if c.Dataset != "" {
		recipes = recipe.Available(c.Dataset)
		if !slices.ContainsFunc(recipes, func(r recipe.Recipe) bool { return r.Dataset != "" }) {
			o.Message("autoblm: no recipe is for %s alone; these are for any graph",
				format.Escape(c.Dataset))
		}
	}
	return o.Result(map[string]any{"recipes": orEmpty(recipes)}, func(w io.Writer) {
		t := table.New("recipe", "data set", "d", "batch", "epochs", "lr", "published MRR or settings")
		for _, r := range recipes {
			s := r.Training
			last := differences(r)
			if p := r.Published; p != nil {
				last = p.Model + " " + format.Cell(p.MRR)
			}
			t.Add(r.Name, scopeOf(r), s.Dim, s.Batch, s.Epochs, fmt.Sprintf("%.3g", r.LearningRate), last)
		}
		t.Print(w)
		if o.Verbose {
			printSources(w, recipes)
		}
		o.Show(cli.Block{Next: []string{"autoblm recipe show NAME DATASET",
			"autoblm train --dataset DATASET --recipe NAME"}})
	})
}

// differences describes the settings in which recipes without published metrics differ.
func differences(r recipe.Recipe) string {
	var parts []string
	if r.N3 > 0 {
		parts = append(parts, fmt.Sprintf("n3 %.3g", r.N3))
	}
	if r.HasIVR() || r.Form != form.Bilinear {
		parts = append(parts, r.Form.Title(r.Structure))
	}
	if r.HasIVR() {
		parts = append(parts, fmt.Sprintf("ivr %.3g", r.IVR))
	}
	if n := r.Training.SampledSoftmax; n > 0 {
		parts = append(parts, format.Int(n)+" sampled")
	}
	if n := r.Training.Negatives; n > 0 {
		parts = append(parts, format.Int(n)+" negatives")
	}
	if n := r.Training.AnswersPerQuery; n > 0 {
		parts = append(parts, fmt.Sprintf("%d answers", n))
	}
	return strings.Join(parts, ", ")
}

// printSources prints the weights, the purpose and the source of each recipe.
func printSources(w io.Writer, recipes []recipe.Recipe) {
	described := map[string]string{}
	fmt.Fprintln(w)
	for _, r := range recipes {
		if described[r.Name] == r.About {
			continue
		}
		described[r.Name] = r.About
		fmt.Fprintf(w, "%s for %s: %s; %s; from %s\n", r.Name, scopeOf(r), r.About,
			settings.Set(r.Weights), r.Source)
	}
}

// scopeOf returns what data a recipe is for.
func scopeOf(r recipe.Recipe) string { return cmp.Or(r.Dataset, "any graph") }

type recipeShowCommand struct {
	Name    string `arg:"" help:"Name from recipe list."`
	Dataset string `arg:"" optional:"" help:"Data set."`
}

// recipeDetails is the JSON of recipe show.
type recipeDetails struct {
	recipe.Recipe
	// Command trains or searches with the recipe.
	Command string `json:"command"`
}

func (c *recipeShowCommand) Run(o *output) error {
	r, err := recipe.Named(c.Name, c.Dataset)
	if err != nil {
		return cli.Usage(err)
	}
	if c.Dataset != "" && r.Dataset == "" && !datasets.CanOpen(c.Dataset) {
		var known []string
		for _, l := range datasets.List() {
			known = append(known, l.Name)
		}
		return cli.Usage(enum.Unknown("data set", c.Dataset, known))
	}
	command := "train"
	if r.Searches() {
		command = "search"
	}
	dataset := cmp.Or(r.Dataset, c.Dataset, datasets.World().Name)
	line := shellCommand([]string{command, "--dataset", dataset, "--recipe", r.Name})
	return o.Result(recipeDetails{r, line}, func(w io.Writer) {
		fmt.Fprintf(w, "%s for %s: %s\nfrom %s\n", r.Name, scopeOf(r), r.About, r.Source)
		if r.Note != "" {
			fmt.Fprintln(w, r.Note)
		}
		if p := r.Published; p != nil {
			hits := ""
			if p.HasHits() {
				hits = fmt.Sprintf(", H@1 %.3f, H@10 %.3f", p.Hits1, p.Hits10)
			}
			fmt.Fprintf(w, "published: %s, test MRR %.3f%s (%s)\n", p.Model, p.MRR, hits, p.Source)
		}
		switch {
		case r.Form != form.Bilinear:
			fmt.Fprintf(w, "\nmodel: %v\n", r.Form)
		case r.Structure.K() > 0:
			fmt.Fprintf(w, "\n%s\n%s\n", r.Structure.Title(), o.Drawing(r.Structure.Draw))
		}
		fmt.Fprintln(w)
		t := table.New("setting", "value")
		for _, s := range settings.Of(r.Recipe) {
			if !s.Omitted {
				t.Add(strings.TrimPrefix(s.Name, "training "), s.Text())
			}
		}
		t.Print(w)
		fmt.Fprintf(w, "\n%s\n", line)
	})
}
