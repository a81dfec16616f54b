package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/exchange"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
)

// startFlags name embeddings with which a training begins.
type startFlags struct {
	From     string       `xor:"start" placeholder:"DIR" brief:"Model to continue from." help:"Model to continue from, with its structure, dimension and settings, for --epochs more. New labels begin at random."`
	InitFrom []string     `xor:"start" sep:"none" placeholder:"FILE" minor:"" brief:"Embeddings to begin with, matched by label." help:"Embeddings to begin with, matched by label: a model, .txt or .vec of word2vec, .npy with labels in .txt, or .safetensors of model export. Repeat for relations."`
	model    *kge.Model   // of From
	models   []*kge.Model // that give the embeddings
	start    *kge.Start
}

// readStart reads the model or the embeddings, before the data.
func (f *startFlags) readStart() (err error) {
	var tables []kge.LabelledTable
	epochs := 0
	if f.From != "" {
		if f.model, err = loadModel(f.From); err != nil { // that of an ensemble names a member
			return err
		}
		f.models, tables = []*kge.Model{f.model}, f.model.LabelledTables()
		if f.model.Position != nil {
			epochs = f.model.Position.Epoch
		}
	}
	for _, path := range f.InitFrom {
		if isFolder(path) {
			m, err := loadModel(path)
			if err != nil {
				return fmt.Errorf("--init-from: %w", err)
			}
			f.models, tables = append(f.models, m), append(tables, m.LabelledTables()...)
			continue
		}
		read, err := exchange.ReadTables(path)
		if err != nil {
			return fmt.Errorf("--init-from: %w", err)
		}
		tables = append(tables, read...)
	}
	if tables != nil {
		f.start = kge.NewStart(tables, epochs)
		for _, m := range f.models {
			f.start.TrainedOn = append(f.start.TrainedOn, m.TrainedOn...)
		}
	}
	return nil
}

// fromLayer returns the layer that trains like the model to continue from.
func (c *trainCommand) fromLayer() func() {
	return func() {
		m := c.model
		if m == nil {
			return
		}
		if t := m.Training; t != nil && c.Recipe == "" {
			c.recipeName = "of " + c.From
			c.Settings = withAutoPrecision(kge.Recipe{
				Training: t.Settings, LearningRate: t.Member.LearningRate, Weights: t.Member.Weights,
			})
		}
		c.Model, c.Structure.Structure = m.Form.WithoutNorm(), m.Structure
		c.Settings.Training.Translate = m.Form == form.Translated
		c.Settings.Training.BatchNorm = m.Form.HasNorm()
		if m.Form.HasStructure() {
			c.Model = form.Bilinear
		}
		c.Settings.Training.Dim, c.Settings.Training.Reciprocal = m.Dim, m.Reciprocal
	}
}

// reportStart prints how many labels begin with an embedding, and returns the numbers, or nil
// without any.
func (f *startFlags) reportStart(o *output, job kge.Job) (*kge.Matched, error) {
	if f.start == nil {
		return nil, nil
	}
	matched, err := f.start.Match(job.Data, job.Settings, job.Members[0])
	if err != nil {
		return nil, cli.Usage(err)
	}
	others := ", the others at random"
	if matched.Entities == matched.AllEntities && matched.Relations == matched.AllRelations {
		others = ""
		if f.model != nil && len(job.Members) > 1 && !drawsAtRandom(job, f.model) {
			return nil, cli.Usage(errors.New("--from begins all members with the same embeddings, and their " +
				"training draws nothing at random, so they stay equal: leave out --members, or set --dropout"))
		}
	}
	o.Message("autoblm: %s of %s and %s of %s begin with an embedding%s",
		format.Int(matched.Entities), format.Count(matched.AllEntities, "entity"),
		format.Int(matched.Relations), format.Count(matched.AllRelations, "relation"), others)
	return &matched, nil
}

// drawsAtRandom reports whether the seeds of members that begin with all embeddings of a model have an
// effect: in a step, or on the parameters of another form.
func drawsAtRandom(job kge.Job, from *kge.Model) bool {
	s := job.Settings
	return s.Dropout > 0 || s.InputDropout > 0 || s.FeatureDropout > 0 || s.SampledSoftmax > 0 ||
		s.Negatives > 0 || s.WalkHops > 0 ||
		s.FormOf(job.Members[0]) != from.Form || s.Reciprocal != from.Reciprocal
}

// foldIn returns a predictor that also has the labels of g that a model lacks.
func foldIn(
	ctx context.Context, o *output, engine kge.Engine, p completion.Predictor, g *datasets.Graph,
) (completion.Predictor, error) {
	if g == nil {
		return nil, cli.Usage(errors.New("--fold-in needs the data with new labels: give --dataset"))
	}
	bar := newBar(o, "learning new labels", barUnits, time.Hour, time.Time{})
	folded, err := completion.FoldIn(ctx, engine, p, g, func(share float64) {
		bar.Set(int64(share*barUnits), 0)
	})
	bar.Finish()
	if err != nil {
		return nil, err
	}
	before, after := p.Models()[0], folded.Models()[0]
	if before == after {
		o.Message("autoblm: --fold-in has nothing to learn: the training triples of %s have no new labels; "+
			"name data with --dataset", g.Name)
		return p, nil
	}
	o.Message("autoblm: learned %s and %s that are new to the model",
		format.Count(len(after.EntityLabels)-len(before.EntityLabels), "entity"),
		format.Count(len(after.RelationLabels)-len(before.RelationLabels), "relation"))
	return folded, nil
}
