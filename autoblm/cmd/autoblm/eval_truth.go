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

// rateTruth measures probabilities on test, and decisions with --classify. It first fits and saves
// probabilities that the model lacks, if g has validation triples.
func (c *evalCommand) rateTruth(
	ctx context.Context, o *output, p completion.Predictor, g *datasets.Graph, s *evalSummary,
) (err error) {
	engine := cpu.New(c.Threads)
	if completion.CalibrationOf(p) == nil {
		folder := ""
		if !c.FoldIn {
			folder = modelfolder.Find(c.Model)
		}
		if p, err = calibrate(ctx, o, p, engine, g, folder); err != nil {
			return err
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
		b.Add("probabilities", fmt.Sprintf("error %.3f, Brier score %.3f (%.3f without a model)",
			e.ECE, e.Brier, e.Constant))
	}
	if e := s.Classified; e != nil {
		b.Add("true or false", fmt.Sprintf("accuracy %.3f  F1 %.3f  precision %.3f  recall %.3f",
			e.Accuracy, e.F1, e.Precision, e.Recall))
		b.Add("", fmt.Sprintf("AP %.3f  ROC AUC %.3f  of %s true and %s false triples",
			e.AveragePrecision, e.AUC, format.Int(e.True), format.Int(e.False)))
	}
}
