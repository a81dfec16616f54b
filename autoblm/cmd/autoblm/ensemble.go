package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/table"
)

type ensembleCommand struct {
	Models   []string                    `arg:"" name:"model" brief:"Folders of the candidate models." help:"Folders of the candidate models. An ensemble stands for its members."`
	Dataset  string                      `required:"" placeholder:"NAME|DIR" brief:"Graph that they were trained on." help:"Graph that they were trained on: a name of dataset list, or a folder."`
	All      bool                        `brief:"Use all models, without selection." help:"Use all models, without selection; --size has no effect, and --folds only with --by relation."`
	By       string                      `default:"" enum:",relation" placeholder:"KIND" brief:"Weights of the models by relation." help:"relation: weights of the models for each relation, learned from the validation triples. They are kept if that improves the MRR of folds that are left out."`
	Settings completion.EnsembleSettings `embed:""`
	Out      string                      `placeholder:"DIR" brief:"Folder for the ensemble." help:"Folder for the ensemble. The default is a new one below autoblm-out."`
	computeFlags
}

// newEnsembleCommand returns the command with its defaults.
func newEnsembleCommand() ensembleCommand {
	return ensembleCommand{Settings: completion.DefaultEnsemble()}
}

// ensembleSummary is the JSON of ensemble.
type ensembleSummary struct {
	Dataset    string        `json:"dataset"`
	Candidates int           `json:"candidates"`
	Precision  kge.Precision `json:"precision"`
	Engine     string        `json:"engine"`
	Backend    string        `json:"backend"`
	Seconds    kge.Timing    `json:"seconds"`
	// Choice is null with --all, and where weights by relation replace it.
	Choice *completion.Choice `json:"choice"`
	// Weights describes the weights by relation, in the order of the members; null without --by.
	Weights *completion.RelationWeights `json:"weights"`
	// Members are in the order of selection or of the weights, or as given.
	Members []ensembleMember `json:"members"`
	// Best is the best member by validation, or null.
	Best *ensembleMember `json:"best"`
	// HeldOut is the validation MRR on triples that were not used for selection or weights.
	HeldOut *float64               `json:"held_out"`
	Valid   *completion.Evaluation `json:"valid"`
	Test    *completion.Evaluation `json:"test"`
	Out     string                 `json:"out"`

	elsewhere bool // the models were trained on other data
}

// ensembleMember describes a member and its metrics alone.
type ensembleMember struct {
	modelSummary
	Folder string   `json:"folder"`
	Valid  *float64 `json:"valid_mrr"`
	Test   *float64 `json:"test_mrr"`
}

// Run selects and saves an ensemble.
func (c *ensembleCommand) Run(ctx context.Context, o *output) error {
	if err := c.checkOut(); err != nil {
		return err
	}
	g, err := read(ctx, o, datasets.Open, c.Dataset)
	if err != nil {
		return err
	}
	warn(o, g.Warnings("valid", "test"))
	source := g
	models, folders, err := c.candidates(ctx, o)
	if err != nil {
		return err
	}
	warnTrainedOn(ctx, o, models, g, false, "valid", "test")
	if g, err = completion.Align(models[0], g); err != nil {
		return err
	}
	engine, err := c.open()
	if err != nil {
		return err
	}
	defer engine.Close()
	s := ensembleSummary{
		Dataset: g.Name, Candidates: len(models), Precision: kge.Float32, Engine: engine.Name(),
		Backend: engine.Backend(kge.Float32), elsewhere: isTrainedElsewhere(o, models, source),
	}
	stop := s.Seconds.MeasureEvaluation(engine)
	var ensemble *completion.Ensemble
	if c.All {
		ensemble, err = completion.NewEnsemble(models)
	} else {
		ensemble, err = completion.ChooseEnsemble(ctx, engine, models, g, c.Settings)
		if err != nil && len(g.Valid) == 0 {
			err = fmt.Errorf("%w (--all uses all models without selection)", err)
		}
	}
	if err != nil {
		return err
	}
	if c.By == "relation" {
		ensemble, s.Weights, err = completion.WeighByRelation(ctx, engine, ensemble, models, g, c.Settings)
		if err != nil {
			return err
		}
	}
	if err := c.checkSame(ensemble); err != nil {
		return err
	}
	evaluated, err := ensemble.Evaluate(ctx, engine, g, completion.FinalLimits(g))
	if err != nil {
		return err
	}
	s.Choice, s.HeldOut = ensemble.Choice, ensemble.Choice.Unseen()
	s.Valid, s.Test = evaluated.Valid, evaluated.Test
	if ensemble.Choice != nil || ensemble.Weights != nil {
		models = ensemble.Models()
	}
	if ensemble.Weights != nil {
		s.HeldOut = &s.Weights.HeldOut
	}
	if err := s.addMembers(ctx, engine, g, models, folders); err != nil {
		return err
	}
	stop()
	if s.Out, err = c.save(o, ensemble, g.Name); err != nil {
		return err
	}
	interrupted := calibrateNew(ctx, o, ensemble, cpu.New(c.Threads), source, s.Out, time.Time{})
	printed := o.Result(s, func(w io.Writer) {
		o.Show(s.block(g, c.Dataset))
		if o.Verbose {
			s.printDetails(w)
		}
	})
	return errors.Join(printed, interrupted)
}

// isTrainedElsewhere reports whether a model is not known to be trained on g, and says so if it was
// trained on other data.
func isTrainedElsewhere(o *output, models []*kge.Model, g *datasets.Graph) bool {
	fingerprint, elsewhere := g.Fingerprint(), false
	for _, m := range models {
		if len(m.TrainedOn) == 0 {
			elsewhere = true
		} else if of := m.TrainedOn[0]; of.Fingerprint != fingerprint {
			warn(o, []string{fmt.Sprintf("a model was trained on other data, %s: all metrics are those of %s",
				of.Source, g.Name)})
			return true
		}
	}
	return elsewhere
}

// save writes the ensemble to --out or a new folder, and returns the folder.
func (c *ensembleCommand) save(
	o *output, e *completion.Ensemble, dataset string,
) (folder string, err error) {
	folder = c.Out
	if folder == "" {
		if folder, err = newFolder("ensemble-" + dataset); err != nil {
			return "", err
		}
	}
	if err := e.Save(folder); err != nil {
		return "", err
	}
	o.Saved("the ensemble is in %s", folder)
	linkLatest(o, folder)
	return folder, nil
}

// checkOut returns an error if the ensemble cannot be written to --out or to a new folder: saving
// must not replace a candidate or another model.
func (c *ensembleCommand) checkOut() error {
	if c.Out == "" {
		return outfile.CheckFolder(outFolder)
	}
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
			return fmt.Errorf("write the ensemble to %s: it contains the candidate %s; "+
				"use another --out", c.Out, model)
		}
	}
	if _, err := os.Stat(out); err != nil {
		return outfile.CheckFolder(c.Out)
	}
	if !completion.IsEnsemble(out) || hasData(out) {
		if err := checkFree(c.Out, "the ensemble"); err != nil {
			return err
		}
	}
	return modelfolder.Prepare(c.Out)
}

// checkSame returns an error if --out has an ensemble of other members or with other weights.
func (c *ensembleCommand) checkSame(e *completion.Ensemble) error {
	if !completion.IsEnsemble(c.Out) {
		return nil
	}
	if before, err := completion.Load(c.Out); err == nil {
		old := before.Models()
		all, _, err := completion.Deduplicate(slices.Concat(old, e.Members))
		sameMembers := err == nil && len(all) == len(old) && len(all) == len(e.Members)
		if b, ok := before.(*completion.Ensemble); ok && sameMembers && sameWeights(b.Weights, e.Weights) {
			return nil
		}
	}
	return checkFree(c.Out, "the ensemble")
}

// sameWeights reports whether weights by relation are the same; nil for none.
func sameWeights(a, b *completion.RelationWeights) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.Shared, b.Shared) && maps.EqualFunc(a.ByRelation, b.ByRelation, slices.Equal)
}

// realPath returns an absolute path, without links if it exists.
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

// candidates returns the distinct models and their folders.
func (c *ensembleCommand) candidates(
	ctx context.Context, o *output,
) (models []*kge.Model, folders map[*kge.Model]string, err error) {
	var all []*kge.Model
	var from []string
	for _, folder := range c.Models {
		p, err := read(ctx, o, load, folder)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range p.Models() {
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
	repeats := map[[2]string]int{} // by the folders of a model and of the first one like it
	var pairs [][2]string
	for i, place := range of {
		m := distinct[place]
		if first, there := folders[m]; there {
			pair := [2]string{from[i], first}
			if repeats[pair]++; repeats[pair] == 1 {
				pairs = append(pairs, pair)
			}
			continue
		}
		folders[m] = from[i]
		models = append(models, m)
	}
	for _, pair := range pairs {
		o.Message("autoblm: %s repeats %s of %s; each counts once",
			pair[0], format.Count(repeats[pair], "model"), pair[1])
	}
	if len(models) < 2 {
		return nil, nil, cli.Usage(errors.New("an ensemble needs two models: name more folders"))
	}
	return models, folders, nil
}

// addMembers ranks with each model alone.
func (s *ensembleSummary) addMembers(
	ctx context.Context, engine kge.Engine, g *datasets.Graph, models []*kge.Model,
	folders map[*kge.Model]string,
) error {
	for _, m := range models {
		alone := *m // because ranking stores metrics in the model
		evaluations, err := completion.EvaluateAll(ctx, engine, []*kge.Model{&alone}, g,
			eval.Options{Limits: completion.FinalLimits(g)})
		if err != nil {
			return err
		}
		member := ensembleMember{
			modelSummary: summarizeModel(m), Folder: folders[m],
		}
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

// block returns the final output, with commands for the graph.
func (s ensembleSummary) block(g *datasets.Graph, dataset string) cli.Block {
	how := "all models"
	switch {
	case s.isWeighed():
		how = "weights by relation"
	case s.Choice != nil:
		how = fmt.Sprintf("selected from %d", s.Candidates)
	}
	b := cli.Block{Title: []string{"ensemble of " + format.Int(len(s.Members)), s.Dataset, how}}
	valid, test := completion.Evaluations{Valid: s.Valid, Test: s.Test}.Scores()
	score := func(metric string, x *float64) string {
		if x == nil {
			return ""
		}
		return metric + " " + format.Cell(x)
	}
	add := func(label string, test, heldOut, valid *float64) {
		cells := []string{score("test MRR", test), score("held out", heldOut), score("valid", valid)}
		b.Add(label, slices.DeleteFunc(cells, func(cell string) bool { return cell == "" })...)
	}
	add("ensemble", test, s.HeldOut, valid)
	if s.Best != nil {
		var heldOut *float64
		if s.HeldOut != nil && s.Choice != nil {
			heldOut = &s.Choice.HeldOut[0]
		}
		add("best member", s.Best.Test, heldOut, s.Best.Valid)
	}
	b.Add("saved in", s.Out)
	if s.Weights != nil {
		b.Note(s.weightsNote())
	}
	switch {
	case s.Choice == nil:
	case len(s.Members) == 1 && len(s.Choice.HeldOut) > 1:
		b.Note("No other model improves the best one on held-out validation triples.")
	case s.HeldOut == nil:
		b.Note("The selection used valid, so its MRR is too high.")
	default:
		b.Note(s.heldOutNote())
	}
	var on []string // the data, unless those of the models
	if s.elsewhere {
		on = []string{"--dataset", dataset}
	}
	b.Next = []string{nextTail(s.Out, g, on...)}
	if len(g.Test) > 0 {
		b.Next = append(b.Next, shellCommand(append([]string{"eval", "--model", s.Out}, on...)))
	}
	if len(s.Members) > 1 {
		b.Next = append(b.Next, shellCommand([]string{"train", "--dataset", dataset, "--from-ensemble", s.Out}))
	}
	return b
}

// heldOutNote says how the held-out MRR was measured. A selection on a large graph takes a sample of
// the validation triples, whose MRR differs from that of all.
func (s ensembleSummary) heldOutNote() string {
	triples, sample := s.Valid.Triples, ""
	if s.Choice.Triples > 0 {
		triples = s.Choice.Triples
		sample = fmt.Sprintf(" of a sample of %s", format.Count(triples, "triple"))
	}
	return fmt.Sprintf("The selection used valid; held out is its MRR when each of %s%s is left out.",
		format.Count(min(s.Choice.Folds, triples), "part"), sample)
}

// isWeighed reports whether the ensemble has weights by relation.
func (s ensembleSummary) isWeighed() bool { return s.Weights != nil && s.Weights.Shared != nil }

// weightsNote compares weights by relation with equal weights.
func (s ensembleSummary) weightsNote() string {
	w := s.Weights
	compared := fmt.Sprintf("held-out MRR %s, MRR %s with equal weights", format.Cell(w.HeldOut),
		format.Cell(w.Equal))
	if !s.isWeighed() {
		return "Weights by relation are left out: " + compared + "."
	}
	if len(w.ByRelation) == 0 {
		return "Weights that all relations share, learned from valid: " + compared + "."
	}
	return fmt.Sprintf("Weights of %s and of all others, learned from valid: %s.",
		format.Count(len(w.ByRelation), "relation"), compared)
}

// printDetails prints the members, and their weights by relation.
func (s ensembleSummary) printDetails(w io.Writer) {
	t := table.New("member", "", "d", "valid MRR", "test MRR")
	for _, m := range s.Members {
		t.Add(m.Folder, m.title(), m.Dim, m.Valid, m.Test)
	}
	fmt.Fprintln(w)
	t.Print(w)
	if !s.isWeighed() {
		return
	}
	t = table.New("relation", "weights of the members")
	add := func(relation string, weights []float64) {
		var cells []string
		for _, weight := range weights {
			cells = append(cells, fmt.Sprintf("%.2f", weight))
		}
		t.Add(relation, strings.Join(cells, "  "))
	}
	for _, relation := range slices.Sorted(maps.Keys(s.Weights.ByRelation)) {
		add(relation, s.Weights.ByRelation[relation])
	}
	add("others", s.Weights.Shared)
	fmt.Fprintln(w)
	t.Print(w)
}
