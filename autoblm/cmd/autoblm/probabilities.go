package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// calibrate returns the predictor with probabilities from the validation triples of g, and saves
// them into its folder, unless that is "". Without validation triples it returns the predictor.
func calibrate(
	ctx context.Context, o *output, p completion.Predictor, engine kge.Engine, g *datasets.Graph,
	folder string,
) (completion.Predictor, error) {
	if g == nil || len(g.Valid) == 0 {
		return p, nil
	}
	defer showActivity(o, "calibrating")()
	c, err := completion.Calibrate(ctx, p, engine, g)
	switch {
	case errors.Is(err, completion.ErrNoQueries):
		return p, nil
	case errors.Is(err, context.Canceled):
		return nil, errors.New("interrupted while calibrating probabilities")
	case err != nil:
		return nil, fmt.Errorf("calibrate probabilities: %w", err)
	}
	p = completion.WithCalibration(p, c)
	if folder != "" {
		if err := completion.SaveCalibration(p, folder); err != nil {
			o.Message("autoblm: the probabilities are not kept: %s", format.OneLine(err))
		}
	}
	return p, nil
}

// calibrateNew calibrates a new model in its folder until a deadline, which may be zero. A failure is
// a message, because the model and its results are complete without probabilities; an interruption
// is an error.
func calibrateNew(
	ctx context.Context, o *output, p completion.Predictor, engine kge.Engine, g *datasets.Graph,
	folder string, end time.Time,
) error {
	calibrating, stop := ctx, func() {}
	if !end.IsZero() {
		calibrating, stop = context.WithDeadline(ctx, end)
	}
	defer stop()
	_, err := calibrate(calibrating, o, p, engine, g, folder)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%w; autoblm eval adds them", err)
	case calibrating.Err() != nil:
		o.Message("autoblm: no time was left for probabilities; autoblm eval adds them")
		return nil
	default:
		o.Message("autoblm: %s; autoblm eval tries again", format.OneLine(err))
		return nil
	}
}

// calibrate adds probabilities to the model of a search for completion, until a deadline.
func (s searchRun) calibrate(
	ctx context.Context, o *output, r *search.Result, end time.Time,
) error {
	t, completes := s.Task.(*completion.Task)
	if !completes || r.Artifact == nil || ctx.Err() != nil {
		return nil
	}
	p, err := completion.PredictorOf(r.Artifact)
	if err != nil {
		return err
	}
	engine, folder := cpu.New(s.settings.Compute.Threads), filepath.Join(s.out, modelfolder.InSearch)
	return calibrateNew(ctx, o, p, engine, t.Graph, folder, end)
}

// warnCalibration warns if the probabilities of answers were fitted to other data.
func warnCalibration(o *output, a *completion.Answerer, options completion.PredictOptions) {
	if a.HasOtherCalibration(options) {
		warn(o, []string{"the probabilities were fitted to other data than " + a.Graph().Name +
			", so they may not hold here; train --from fits them again"})
	}
}

// probabilityText returns a probability with two digits, "" for none.
func probabilityText(p *float64) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%.2g", *p)
}
