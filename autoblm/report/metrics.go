package report

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
)

// metrics are those of the best, by parts of the data where these are at hand.
func (o *outcome) metrics() []part {
	if o.best == nil || o.Words.Metrics == nil {
		return nil
	}
	var compared []task.LabeledTrial
	if len(o.found) > 0 {
		compared = append(compared, task.LabeledTrial{Label: "Best found", Trial: o.found[0]})
	}
	if len(o.final) > 0 {
		compared = append(compared, task.LabeledTrial{Label: "Best of the last stage", Trial: o.final[0]})
	}
	if o.bestNamed != nil {
		compared = append(compared, task.LabeledTrial{Label: title(o.bestNamed.Name), Trial: *o.bestNamed})
	}
	parts := laidOut(o.Words.Metrics(compared))
	switch {
	case o.Measures != nil:
		parts = append(parts, laidOut(o.Measures.Best)...)
	case o.NoData != "" && o.Words.Breakdown != "":
		parts = append(parts, part{Text: fmt.Sprintf("By %s: %s", o.Words.Breakdown, o.NoData)})
	}
	return parts
}

// data tell of the data.
func (o *outcome) data() []part {
	switch {
	case o.Measures != nil:
		return laidOut(o.Measures.Data)
	case o.NoData != "":
		return []part{{Text: fmt.Sprintf("Of %s nothing more can be said: %s", o.About.Dataset, o.NoData)}}
	}
	return nil
}

// laidOut are the parts that a task gives.
func laidOut(parts []page.Part) []part {
	all := make([]part, len(parts))
	for i, p := range parts {
		all[i] = part{Heading: p.Heading, Text: p.Text, Table: p.Table}
	}
	return all
}
