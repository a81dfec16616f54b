package show

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/search/ablation"
)

// Outcomes shows the results of an ablation: the mean over the seeds, with the standard deviation
// if there are several.
func Outcomes(title string, outcomes []ablation.Outcome) {
	var rows [][]string
	for _, o := range outcomes {
		rows = append(rows, []string{
			o.Variant,
			spread(o, func(r ablation.Run) float64 { return r.TopMRR }),
			spread(o, func(r ablation.Run) float64 { return r.BestMRR }),
			spread(o, func(r ablation.Run) float64 { return r.TestMRR }),
		})
	}
	eight := fmt.Sprintf("mean of %d best", ablation.Top)
	Table([]string{title, eight, "best", "its test MRR"}, rows)
}

// spread formats the mean over the seeds, with the standard deviation if there are several.
func spread(o ablation.Outcome, value func(ablation.Run) float64) string {
	mean, deviation := o.Mean(value)
	if len(o.Runs) == 1 {
		return fmt.Sprintf("%.3f", mean)
	}
	return fmt.Sprintf("%.3f ± %.3f", mean, deviation)
}
