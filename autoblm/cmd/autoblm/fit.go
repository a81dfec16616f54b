package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// fit resolves the settings for a graph and an engine. With a deadline the dimension follows the
// measured pace, unless it is given.
func (c *trainCommand) fit(
	ctx context.Context, line *kong.Context, o *output, engine kge.Engine, g *datasets.Graph,
	began time.Time,
) error {
	size := recipe.SizeOf(g)
	if err := c.resolve(line, &size); err != nil || c.Recipe != "" || c.Model != form.Bilinear {
		return err
	}
	job, err := c.job(g)
	if err != nil {
		return err
	}
	if engine.Supports(job.Data, job.Settings, job.Members) != nil {
		size.Full = true
		if err := c.resolve(line, &size); err != nil {
			return err
		}
	}
	dim := c.Settings.Training.Dim
	if c.Minutes > 0 && !flags.IsGiven(line, "dim") {
		if c.Settings.Training.Dim, err = c.fitDim(ctx, engine, g, began); err != nil {
			return err
		}
	}
	t := c.Settings.Training
	followsSize := []string{recipe.Dense, recipe.Large, recipe.Huge}
	if t.Dim < dim || slices.Contains(followsSize, c.recipeName) {
		o.Message("autoblm: recipe %s for %s: d %d, batch %d, %s", c.recipeName,
			format.Count(size.Entities, "entity"), t.Dim, t.Batch, format.Count(t.Epochs, "epoch"))
		if o.Verbose {
			o.Message("autoblm: %s", describe(t, size))
		}
	}
	return nil
}

// fitDim returns the dimension that the pace and the deadline allow. A training to resume keeps its
// own.
func (c *trainCommand) fitDim(
	ctx context.Context, engine kge.Engine, g *datasets.Graph, began time.Time,
) (int, error) {
	job, err := c.job(g)
	if err != nil {
		return 0, err
	}
	if dim := c.resumedDim(engine, job); dim > 0 {
		return dim, nil
	}
	const trainingShare = 0.8 // the rest is for validations, ranking and saving
	left := (minutes(c.Minutes) - time.Since(began)).Seconds()
	return kge.FitDim(ctx, engine, job, trainingShare*left)
}

// resumedDim returns the dimension of an interrupted training; 0 without one.
func (c *trainCommand) resumedDim(engine kge.Engine, job kge.Job) int {
	folders := cmp.Or(c.Out, filepath.Join(outFolder, "*"))
	for dim := job.Settings.Dim; dim > 0; dim /= 2 {
		job.Settings.Dim = dim
		key, err := job.Name(engine)
		if err != nil {
			return 0
		}
		found, _ := filepath.Glob(filepath.Join(folders, checkpointPrefix+key))
		if len(found) > 0 {
			return dim
		}
	}
	return 0
}

// job returns the training with the resolved settings.
func (c *trainCommand) job(g *datasets.Graph) (kge.Job, error) {
	members, err := c.members()
	return kge.Job{Data: completion.Data(g), Settings: c.Settings.Training, Members: members}, err
}

// describe names the settings that depend on the size of a graph.
func describe(t kge.Settings, s recipe.Size) string {
	parts := []string{format.Count(s.Train, "triple")}
	if t.SampledSoftmax > 0 {
		parts = append(parts, format.Count(t.SampledSoftmax, "entity")+" sampled per step")
	}
	if t.AnswersPerQuery > 0 {
		parts = append(parts, fmt.Sprintf("up to %d answers per query", t.AnswersPerQuery))
	}
	if t.SparseGradients > 0 {
		parts = append(parts, "sparse gradients")
	}
	if t.ValidateEvery > 0 && t.ValidateSample > 0 {
		parts = append(parts, "validated"+format.Sample(t.ValidateSample, s.Valid))
	}
	return strings.Join(parts, ", ")
}
