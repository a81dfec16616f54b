package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/table"
)

type ensembleCommand struct {
	Models   []string                    `arg:"" name:"model" brief:"The folders of models to choose among." help:"The folders of the models to choose among; that of an ensemble stands for its members."`
	Dataset  string                      `required:"" placeholder:"NAME|DIR" brief:"The graph that they were trained on." help:"The graph that they were trained on: a name of dataset list, or a folder."`
	All      bool                        `brief:"Take all models, without a choice." help:"Take all models, without a choice; --size and --folds count for nothing then."`
	Settings completion.EnsembleSettings `embed:""`
	Out      string                      `placeholder:"DIR" brief:"The folder for the ensemble." help:"The folder for the ensemble; one below autoblm-out for its data when left out."`
	computeFlags
}

func newEnsembleCommand() ensembleCommand {
	return ensembleCommand{Settings: completion.DefaultEnsemble()}
}

// ensembleSummary is the JSON of ensemble.
type ensembleSummary struct {
	Dataset    string             `json:"dataset"`
	Candidates int                `json:"candidates"`
	Precision  kge.Precision      `json:"precision"`
	Engine     string             `json:"engine"`
	Backend    string             `json:"backend"`
	Seconds    kge.Timing         `json:"seconds"`
	Choice     *completion.Choice `json:"choice"` // null with all
	// Members are in the order of choice, or as they were given.
	Members []ensembleMember `json:"members"`
	// Best is the member that is best by validation, null where there is none.
	Best *ensembleMember `json:"best"`
	// HeldOut is the validation MRR of what was chosen without the triples that it is of.
	HeldOut *float64               `json:"held_out"`
	Valid   *completion.Evaluation `json:"valid"`
	Test    *completion.Evaluation `json:"test"`
	Out     string                 `json:"out"`
}

// ensembleMember is a member of an ensemble with what it reaches alone.
type ensembleMember struct {
	Folder    string               `json:"folder"`
	Model     form.Form            `json:"model,omitzero"` // left out where it is bilinear
	Structure *structure.Structure `json:"structure"`
	K         int                  `json:"k"`
	Dim       int                  `json:"dim"`
	Valid     *float64             `json:"valid_mrr"`
	Test      *float64             `json:"test_mrr"`
}

// Run makes an ensemble.
func (c *ensembleCommand) Run(ctx context.Context, o *output) error {
	if c.Out != "" {
		if err := c.checkOut(); err != nil {
			return err
		}
	}
	g, err := read(ctx, o, datasets.Open, c.Dataset)
	if err != nil {
		return err
	}
	warn(o, g.Warnings("valid", "test"))
	if c.Out == "" {
		c.Out = filepath.Join(outFolder, "ensemble-"+g.Name)
		if err := c.checkOut(); err != nil {
			return err
		}
	}
	models, folders, err := c.candidates(ctx, o)
	if err != nil {
		return err
	}
	if g, err = completion.Align(models[0], g); err != nil {
		return err
	}
	engine, err := c.open(anyForm(models))
	if err != nil {
		return err
	}
	defer engine.Close()
	s := ensembleSummary{Dataset: g.Name, Candidates: len(models), Precision: kge.Float32, Engine: engine.Name(), Backend: engine.Backend(kge.Float32), Out: c.Out}
	stop := s.Seconds.MeasureEvaluation(engine)
	var made *completion.Ensemble
	if c.All {
		made, err = completion.NewEnsemble(models)
	} else {
		made, err = completion.ChooseEnsemble(ctx, engine, models, g, c.Settings)
	}
	if err != nil {
		return err
	}
	evaluated, err := made.Evaluate(ctx, engine, g)
	if err != nil {
		return err
	}
	s.Choice, s.HeldOut, s.Valid, s.Test = made.Choice, made.Choice.Unseen(), evaluated.Valid, evaluated.Test
	if err := s.tellOfMembers(ctx, engine, g, made, models, folders); err != nil {
		return err
	}
	stop()
	if err := made.Save(c.Out); err != nil {
		return err
	}
	o.Saved("the ensemble is in %s", c.Out)
	return o.Result(s, s.print)
}

// checkOut says whether the ensemble can be written, before it is chosen. It is no model's place,
// nor above or below one of those to choose among, which might be replaced.
func (c *ensembleCommand) checkOut() error {
	out, err := realPath(c.Out)
	if err != nil {
		return err
	}
	for _, model := range c.Models {
		path, err := realPath(model)
		if err != nil {
			return err
		}
		within, err := filepath.Rel(out, path)
		if err == nil && filepath.IsLocal(within) {
			return fmt.Errorf("%s is for the ensemble, and %s, which might be replaced, is there: name another folder for the ensemble", c.Out, model)
		}
	}
	if _, err := os.Stat(out); err != nil {
		return outfile.CheckFolder(c.Out)
	}
	if _, err := os.Stat(filepath.Join(out, modelfolder.Description)); err == nil && !completion.IsEnsemble(out) {
		return fmt.Errorf("%s has a model that is no ensemble, and not replaced by one: name another folder for the ensemble", c.Out)
	}
	return modelfolder.Prepare(c.Out)
}

// realPath is a path without links, as far as it is there.
func realPath(path string) (string, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(whole); err == nil {
		return real, nil
	}
	return whole, nil
}

// candidates are the models, each once, with their folders.
func (c *ensembleCommand) candidates(ctx context.Context, o *output) (models []*kge.Model, folders map[*kge.Model]string, err error) {
	var all []*kge.Model
	var from []string
	for _, folder := range c.Models {
		l, err := read(ctx, o, load, folder)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range l.models() {
			if len(all) > 0 {
				if err := completion.CheckSameGraph(all[0], m); err != nil {
					return nil, nil, fmt.Errorf("%s and %s: %w", from[0], folder, err)
				}
			}
			all, from = append(all, m), append(from, folder)
		}
	}
	distinct, of, err := completion.Deduplicate(all)
	if err != nil {
		return nil, nil, err
	}
	folders = map[*kge.Model]string{}
	for i, place := range of {
		m := distinct[place]
		if first, there := folders[m]; there {
			o.Message("autoblm: %s has the model of %s again, which counts once", from[i], first)
			continue
		}
		folders[m] = from[i]
		models = append(models, m)
	}
	if len(models) < 2 {
		return nil, nil, cli.Usage(errors.New("an ensemble is made of two models or more: name the folders of several"))
	}
	return models, folders, nil
}

// tellOfMembers ranks by each member alone.
func (s *ensembleSummary) tellOfMembers(ctx context.Context, engine kge.Engine, g *datasets.Graph, made *completion.Ensemble, models []*kge.Model, folders map[*kge.Model]string) error {
	if made.Choice != nil {
		models = nil
		for _, place := range made.Choice.Order {
			models = append(models, made.Members[place])
		}
	}
	for _, m := range models {
		alone := *m // which keeps what it said of itself
		evaluations, err := completion.EvaluateAll(ctx, engine, []*kge.Model{&alone}, g)
		if err != nil {
			return err
		}
		member := ensembleMember{Folder: folders[m], Model: m.Form, Structure: structureOf(m.Form, m.Structure), K: m.Structure.K(), Dim: m.Dim}
		member.Valid, member.Test = evaluations[0].Scores()
		s.Members = append(s.Members, member)
	}
	for i, m := range s.Members {
		if m.Valid != nil && (s.Best == nil || *m.Valid > *s.Best.Valid) {
			s.Best = &s.Members[i]
		}
	}
	return nil
}

func (s ensembleSummary) print(w io.Writer) {
	how := "all that were given"
	if s.Choice != nil {
		how = fmt.Sprintf("chosen among %d by validation", s.Candidates)
	}
	fmt.Fprintf(w, "%s, an ensemble of %s, %s\n\n", s.Dataset, format.Count(len(s.Members), "model"), how)
	t := table.New("member", "", "d", "valid MRR", "test MRR")
	for _, m := range s.Members {
		t.Add(m.Folder, titleOf(m.Model, m.Structure), m.Dim, m.Valid, m.Test)
	}
	t.Print(w)
	fmt.Fprintln(w)
	t = table.New("", "held out", "valid MRR", "test MRR")
	if s.Best != nil {
		var heldOut *float64
		if s.HeldOut != nil {
			heldOut = &s.Choice.HeldOut[0]
		}
		t.Add("best alone", heldOut, s.Best.Valid, s.Best.Test)
	}
	valid, test := completion.Evaluations{Valid: s.Valid, Test: s.Test}.Scores()
	t.Add("the ensemble", s.HeldOut, valid, test)
	t.Print(w)
	switch {
	case s.Choice == nil:
	case len(s.Members) == 1:
		fmt.Fprintln(w, "(no other model raises what the best alone has on triples that have no part in the choice)")
	case s.HeldOut == nil:
		fmt.Fprintln(w, "(the valid MRR is of the triples that the members were chosen by: it is too high)")
	default:
		fmt.Fprintf(w, "(the valid MRR is of the triples that the members were chosen by; held out is what choosing in the same way without each of %s comes to on it)\n", format.Count(min(s.Choice.Folds, s.Valid.Triples), "part"))
	}
	fmt.Fprintf(w, "\nThe ensemble is in %s\n", s.Out)
}

// loaded is what a model's folder has: a model, or an ensemble of some.
type loaded struct {
	model    *kge.Model           // nil for an ensemble
	ensemble *completion.Ensemble // nil for a model
}

func load(path string) (l loaded, err error) {
	dir, err := modelIn(path)
	switch {
	case err != nil:
	case completion.IsEnsemble(dir):
		l.ensemble, err = completion.LoadEnsemble(dir)
	default:
		l.model, err = kge.Load(dir)
	}
	return l, err
}

// models are the members, or the one model.
func (l loaded) models() []*kge.Model {
	if l.ensemble != nil {
		return l.ensemble.Members
	}
	return []*kge.Model{l.model}
}

// anyForm is the form of a model that is not bilinear, if there is one, for which an engine
// is opened.
func anyForm(models []*kge.Model) (f form.Form) {
	for _, m := range models {
		if m.Form != form.Bilinear {
			f = m.Form
		}
	}
	return f
}
