package task

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/task/page"
)

// Measured is a [Task] that tells more of a study than its trials do.
type Measured interface {
	// Measure tells of the data, and of what the best trial has left if there is that.
	Measure(ctx context.Context, o Outcome) (Measures, error)
}

// Outcome is what a study has come to.
type Outcome struct {
	// Dataset is what the data were called.
	Dataset string
	// Best is the best trial, and Artifact what it has left; nil where that is nothing.
	Best     Named
	Artifact Artifact
}

// Measures are what only the data tell of a study.
type Measures struct {
	// Data tell of the data.
	Data []page.Part
	// Best tells of the best trial by parts of the data; see Words.Breakdown.
	Best []page.Part
}
