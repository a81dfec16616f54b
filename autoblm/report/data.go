package report

import (
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/datasets"
)

// Data is what a report tells of: a study and what was measured beside it. Only
// the study's About and Trials are needed.
type Data struct {
	study.Contents

	// Statistics and Breakdown need the graph; see [Data.Measure]. Where they or
	// Sizes are missing, NoGraph says why in a sentence.
	Statistics *datasets.Statistics
	Breakdown  *Breakdown
	NoGraph    string

	// Sizes are of the data of another task than completion, which has Statistics; see
	// [Data.MeasureQueries] and [Data.MeasureClasses].
	Sizes *Sizes

	// Date is when the study was last written; the zero time is left out.
	Date time.Time
	// Program is what made the report and on what machine.
	Program string
	// Commands are what a reader may want to run, the one that makes the study
	// again first.
	Commands []Command
}

// Command is a line for a shell, or of a program, and what it is good for.
type Command struct{ Purpose, Line string }
