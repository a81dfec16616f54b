package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/format"
)

// structures draws the best ones found and the human-designed ones.
func (o *outcome) structures() []part {
	if len(o.found)+len(o.named) == 0 {
		return nil
	}
	parts := []part{{Text: o.Words.HowToRead + " Hatched blocks count negatively."}}
	if len(o.found) > 0 {
		parts = append(parts, part{Heading: "Found", Cards: o.cards(o.bestFound(mostDrawn))})
	}
	if len(o.named) > 0 {
		parts = append(parts, part{Heading: "Designed by people", Cards: o.cards(o.designed())})
	}
	return append(parts, part{Table: o.ranking()})
}

// bestFound are the most best ones.
func (o *outcome) bestFound(most int) []task.LabeledTrial {
	var best []task.LabeledTrial
	for i, t := range o.found[:min(len(o.found), most)] {
		best = append(best, task.LabeledTrial{Label: fmt.Sprintf("found %d", i+1), Trial: t})
	}
	return best
}

// designed are the human-designed ones.
func (o *outcome) designed() []task.LabeledTrial {
	var all []task.LabeledTrial
	for _, t := range o.named {
		all = append(all, task.LabeledTrial{Label: title(t.Name), Trial: t})
	}
	return all
}

func (o *outcome) cards(trials []task.LabeledTrial) []card {
	formula, computes := structure.Structure.Formula, cmp.Or(o.Words.Computes, "score is")
	if o.Words.Formula != nil {
		formula = o.Words.Formula
	}
	cards := make([]card, len(trials))
	for i, t := range trials {
		name, text := capital(t.Label), subscripts.Replace(formula(t.Structure))
		cards[i] = card{
			Picture: o.inline(plot.Structure(t.Structure, ""), fmt.Sprintf("%s as a matrix; its %s %s", name, computes, text)),
			Name:    name, Tag: guise(t.Trial), Formula: text,
			ValidTag: strings.TrimSuffix(o.Words.Valid, " "+o.Words.Metric), Valid: format.Cell(t.Score), Test: format.Cell(t.TestScore),
		}
		if o.Words.Models != nil {
			cards[i].Models = o.Words.Models(t.Structure)
		}
		if t.State == task.Failed {
			cards[i].Tag = "diverged"
		}
	}
	return cards
}

// subscripts sets the numbers of chunks as papers do.
var subscripts = strings.NewReplacer("1", "₁", "2", "₂", "3", "₃", "4", "₄", "5", "₅", "6", "₆", "7", "₇", "8", "₈", "-", "−")

// ranking has the best structures found and the human-designed ones, best first.
func (o *outcome) ranking() *page.Table {
	var ranked []task.Trial
	names := map[int]string{}
	for _, t := range o.bestFound(o.About.Settings.I) {
		names[t.Number] = strings.TrimSuffix(capital(t.Name)+", "+guise(t.Trial), ", ")
		ranked = append(ranked, t.Trial)
	}
	caption := "The best " + format.Count(len(ranked), "structure") + " found"
	if len(o.named) > 0 {
		caption += " and the human-designed ones"
	}
	for _, t := range o.designed() {
		if name, found := names[t.Number]; found {
			names[t.Number] = name + ", is " + t.Name
			continue
		}
		names[t.Number] = t.Name
		ranked = append(ranked, t.Trial)
	}
	ranked = bestFirst(ranked)
	columns := []column{named("structure", names)}
	for _, c := range o.Words.ScoreColumns() {
		columns = append(columns, page.Number(c.Name, func(t task.Trial) any { return c.Value(t) }))
	}
	columns = append(columns,
		page.Number("nonzeros", func(t task.Trial) any { return t.Structure.Nonzeros() }),
		structureAs("as text"))
	table := page.NewTable(caption+", by "+o.Words.Validation, ranked, columns...)
	for i, t := range ranked {
		table.Rows[i].Chosen = t.Name == ""
	}
	return table
}
