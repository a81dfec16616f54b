package main

import (
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
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
	"github.com/dustin/go-humanize"
)

const (
	// fittedShare of the time is for training. The rest is for validations, ranking and saving.
	fittedShare = 0.8
	// calibrationShare of the time is for the probabilities, after the ranking.
	calibrationShare = 0.05
)

// fit resolves the settings for a graph and an engine, and checks that a teacher can teach.
// With a deadline the teacher answers first, and the dimension and the epochs follow the measured
// pace, unless they are given.
func (c *trainCommand) fit(
	ctx context.Context, line *kong.Context, o *output, engine kge.Engine, g *datasets.Graph,
	began time.Time,
) error {
	size := recipe.SizeOf(g)
	if err := c.resolve(line, &size); err != nil {
		return err
	}
	job, err := c.job(g)
	if err != nil {
		return cli.Usage(err)
	}
	isDefault := c.Recipe == "" && c.Model == form.Bilinear
	if isDefault && engine.Supports(job.Data, job.Settings, job.Members) != nil {
		size.Full = true
		if err := c.resolve(line, &size); err != nil {
			return err
		}
		if job, err = c.job(g); err != nil {
			return cli.Usage(err)
		}
	}
	if err := c.checkStudent(engine, job); err != nil {
		return err
	}
	if c.Minutes > 0 { // the pace is measured with the answers
		if err := c.answer(ctx, o, engine, job); err != nil {
			return err
		}
	}
	if !isDefault {
		return nil
	}
	before := c.Settings.Training
	if !flags.IsGiven(line, "dim") && c.start == nil {
		if note := memoryNote(size, before.Dim); note != "" {
			o.Message("autoblm: %s", note)
		}
	}
	if c.Minutes > 0 {
		follow := c.following(line)
		if follow.Epochs {
			c.mostEpochs = before.Epochs
		}
		if c.Settings.Training, err = c.fitTime(ctx, engine, g, began, follow); err != nil {
			return err
		}
	}
	t := c.Settings.Training
	followsSize := []string{recipe.Dense, recipe.Large, recipe.Huge, recipe.Vast}
	if t != before || slices.Contains(followsSize, c.recipeName) {
		limit := ""
		if c.mostEpochs > 0 && t.Cooldown > 0 {
			limit = "up to "
		}
		o.Message("autoblm: recipe %s for %s: d %d, batch %d, %s%s", c.recipeName,
			format.Count(size.Entities, "entity"), t.Dim, t.Batch, limit,
			format.Count(t.Epochs, "epoch"))
		if o.Verbose {
			o.Message("autoblm: %s", describe(t, size))
		}
	}
	return nil
}

// memoryNote says that memory made a default dimension smaller, "" if it did not.
func memoryNote(size recipe.Size, dim int) string {
	free := size.Memory
	size.Memory = 0
	most := recipe.Default(size).Training.Dim
	if dim >= most {
		return ""
	}
	return fmt.Sprintf("d %d, because d %d needs more than half of the free memory, %s; "+
		"--dim sets it", dim, most, humanize.IBytes(uint64(free)))
}

// following returns the settings that follow a deadline: those of a default recipe that are not
// given.
func (c *trainCommand) following(line *kong.Context) kge.Fit {
	if c.Minutes == 0 || c.Recipe != "" || c.Model != form.Bilinear {
		return kge.Fit{}
	}
	return kge.Fit{
		Dim:    !flags.IsGiven(line, "dim") && c.start == nil,
		Epochs: !flags.IsGiven(line, "epochs"),
	}
}

// fitTime returns the settings that the pace and the deadline allow. A training to resume keeps its
// own.
func (c *trainCommand) fitTime(
	ctx context.Context, engine kge.Engine, g *datasets.Graph, began time.Time, follow kge.Fit,
) (kge.Settings, error) {
	job, err := c.job(g)
	if err != nil {
		return kge.Settings{}, err
	}
	if resumed, found := c.resumed(engine, job, follow); found {
		return resumed, nil
	}
	left := (minutes(c.Minutes) - time.Since(began)).Seconds()
	return kge.FitTime(ctx, engine, job, fittedShare*left, kge.Fit{Dim: follow.Dim})
}

// resumed returns the settings of an interrupted training of a job, false without one.
func (c *trainCommand) resumed(
	engine kge.Engine, job kge.Job, follow kge.Fit,
) (kge.Settings, bool) {
	key, err := followingKey(engine, job, follow)
	if err != nil {
		return job.Settings, false
	}
	files := []string{filepath.Join(c.Out, checkpointPrefix+key)}
	if c.Out == "" {
		files, _ = filepath.Glob(filepath.Join(outFolder, "*", checkpointPrefix+key))
	}
	for _, file := range slices.Backward(files) { // the newest first, as in holdUnfinished
		if filepath.Base(filepath.Dir(file)) == latestName && c.Out == "" {
			continue
		}
		saved, err := kge.SavedSettings(file)
		if err != nil { // a missing or damaged file
			continue
		}
		if follow.Dim {
			job.Settings.Dim = saved.Dim
		}
		if follow.Epochs {
			job.Settings.Epochs = saved.Epochs
		}
		return job.Settings, true
	}
	return job.Settings, false
}

// job returns the training with the resolved settings.
func (c *trainCommand) job(g *datasets.Graph) (kge.Job, error) {
	members, err := c.members()
	data := completion.Data(g)
	if c.teacher != nil {
		data.Teacher, data.TeacherTrainedOn = c.teacher.Distribution, c.teacher.TrainedOn()
	}
	return kge.Job{
		Data: data, Settings: c.Settings.Training, Members: members, Start: c.start,
	}, err
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
