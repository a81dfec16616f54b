package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/settings"
	"github.com/autoblm/autoblm-go/internal/table"
)

type recipeCommands struct {
	List recipeListCommand `cmd:"" help:"List the settings that others published, and what they reached by them, and those for any graph."`
	Show recipeShowCommand `cmd:"" help:"Tell all of a recipe, as flags too."`
}

type recipeListCommand struct {
	Dataset string `help:"Only those for this benchmark, or for any other graph."`
}

// Run lists recipes.
func (c *recipeListCommand) Run(o *output) error {
	recipes := recipe.All()
	if c.Dataset != "" {
		recipes = recipe.Available(c.Dataset)
	}
	return o.Result(map[string]any{"recipes": orEmpty(recipes)}, func(w io.Writer) {
		t := table.New("recipe", "data set", "d", "batch", "epochs", "learning rate", "weights", "published", "test MRR", "H@1", "H@10")
		for _, r := range recipes {
			s := r.Training
			cells := []any{r.Name, graphOf(r), s.Dim, s.Batch, s.Epochs, fmt.Sprintf("%.3g", r.LearningRate), settings.Set(r.Weights), "", nil, nil, nil}
			if p := r.Published; p != nil {
				cells = append(cells[:7], p.Model, p.MRR, p.Hits1, p.Hits10)
			}
			t.Add(cells...)
		}
		t.Print(w)
		fmt.Fprintln(w)
		told := map[string]string{}
		for _, r := range recipes {
			switch before, is := told[r.Name]; {
			case !is:
				fmt.Fprintf(w, "%s: %s; from %s\n", r.Name, r.About, r.Source)
			case before != r.About:
				fmt.Fprintf(w, "%s for %s: %s; from %s\n", r.Name, graphOf(r), r.About, r.Source)
			}
			told[r.Name] = r.About
		}
		fmt.Fprintf(w, "\nautoblm recipe show tells the rest.\n")
	})
}

// graphOf tells what a recipe is for.
func graphOf(r recipe.Recipe) string { return cmp.Or(r.Dataset, "any graph") }

type recipeShowCommand struct {
	Name    string `arg:"" help:"A name of recipe list."`
	Dataset string `arg:"" optional:"" help:"A benchmark, or any other graph."`
}

// shownRecipe is the JSON of recipe show.
type shownRecipe struct {
	recipe.Recipe
	// Command trains by it.
	Command string `json:"command"`
}

// Run tells all of a recipe.
func (c *recipeShowCommand) Run(o *output) error {
	r, err := recipe.Named(c.Name, c.Dataset)
	if err != nil {
		return cli.Usage(err)
	}
	line, err := recipeLine(r, cmp.Or(r.Dataset, c.Dataset, datasets.World().Name))
	if err != nil {
		return err
	}
	return o.Result(shownRecipe{r, line}, func(w io.Writer) {
		fmt.Fprintf(w, "%s for %s: %s\nfrom %s\n", r.Name, graphOf(r), r.About, r.Source)
		if r.Note != "" {
			fmt.Fprintln(w, r.Note)
		}
		if p := r.Published; p != nil {
			fmt.Fprintf(w, "published: %s, test MRR %.3f, H@1 %.3f, H@10 %.3f (%s)\n", p.Model, p.MRR, p.Hits1, p.Hits10, p.Source)
		}
		switch {
		case r.Form != form.Bilinear:
			fmt.Fprintf(w, "\nmodel: %v\n", r.Form)
		case r.Structure.K() > 0:
			fmt.Fprintf(w, "\n%s\n%s\n", r.Structure.Title(), o.Drawing(r.Structure.Draw))
		}
		fmt.Fprintf(w, "\nThe same by its own flags:\n%s\n", line)
	})
}
