package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// truthSummary is the part of evalSummary about probabilities and decisions.
type truthSummary struct {
	// Probabilities has the errors of the probabilities on test; nil without validation triples.
	Probabilities *completion.CalibrationError `json:"probabilities,omitempty"`
	// Classified has the metrics of --classify.
	Classified *completion.TruthEvaluation `json:"classified,omitempty"`
}

// checkClassify returns an error if --classify has no validation triples for its thresholds. g has
// the ids of the model.
func (c *evalCommand) checkClassify(g *datasets.Graph) error {
	if !c.Classify || len(g.Valid) > 0 {
		return nil
	}
	return cli.Usage(errors.New("--classify needs validation triples for its thresholds: " +
		"hold some out (autoblm dataset import) or leave out --classify"))
}

// rateTruth measures probabilities on test, and decisions with --classify. It first fits
// probabilities, unless the model has those of g. They are saved if g is the data that the model was
// trained on, or if that is unknown and the model has none.
func (c *evalCommand) rateTruth(
	ctx context.Context, o *output, p completion.Predictor, g *datasets.Graph, s *evalSummary,
) (err error) {
	engine, kept, m := cpu.New(c.Threads), completion.CalibrationOf(p), p.Models()[0]
	if kept == nil || !kept.IsOf(m, g) {
		saves := kept == nil // of some imported models
		if len(m.TrainedOn) > 0 {
			saves = m.TrainedOn[0].Fingerprint == g.Fingerprint()
		}
		folder := ""
		if saves && !c.FoldIn && s.Unknown == nil {
			folder = modelfolder.Find(c.Model)
		}
		p, err = calibrate(ctx, o, completion.WithCalibration(p, nil), engine, g, folder)
		if err != nil {
			return err
		}
		if kept != nil && folder == "" && completion.CalibrationOf(p) != nil {
			o.Message("autoblm: the probabilities in the model's folder belong to other data and stay; "+
				"those measured here are fitted to %s", g.Name)
		}
	}
	if completion.CalibrationOf(p) != nil && c.Split == "test" {
		s.Probabilities, err = completion.MeasureCalibration(ctx, p, engine, g)
		if err != nil && !errors.Is(err, completion.ErrNoQueries) {
			return err
		}
		err = nil
	}
	if c.Classify {
		s.Classified, err = completion.ClassifyTriples(ctx, p, engine, g, c.Split, c.Sample, c.Seed)
	}
	return err
}

// addRows adds the rows to the output of eval.
func (s truthSummary) addRows(b *cli.Block) {
	if e := s.Probabilities; e != nil {
		b.Add("probabilities", fmt.Sprintf("error %.3f, Brier score %.3f on %s",
			e.ECE, e.Brier, format.Count(e.Queries, "query")))
		b.Add("", fmt.Sprintf("Brier score %.3f with a constant probability", e.Constant))
	}
	if e := s.Classified; e != nil {
		b.Add("true or false", fmt.Sprintf("accuracy %.3f  F1 %.3f  precision %.3f  recall %.3f",
			e.Accuracy, e.F1, e.Precision, e.Recall))
		b.Add("", fmt.Sprintf("AP %.3f  ROC AUC %.3f  of %s true and %s false triples",
			e.AveragePrecision, e.AUC, format.Int(e.True), format.Int(e.False)))
	}
}
