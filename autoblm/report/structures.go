package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/format"
)

// structures draws the best structures found and the baselines.
func (a *analysis) structures() []Part {
	if len(a.found)+len(a.baselines) == 0 {
		return nil
	}
	parts := []Part{{Text: a.Presentation.HowToRead + " Outlined blocks have a minus sign."}}
	if len(a.found) > 0 {
		parts = append(parts, Part{Heading: "Found", Cards: a.cards(a.bestFound(mostDrawn))})
	}
	if len(a.baselines) > 0 {
		parts = append(parts, Part{Heading: "Baselines", Cards: a.cards(a.labeledBaselines())})
	}
	return append(parts, Part{Table: a.ranking()})
}

// bestFound returns at most n of the best structures found.
func (a *analysis) bestFound(n int) []task.LabeledTrial {
	var best []task.LabeledTrial
	for i, t := range a.found[:min(len(a.found), n)] {
		best = append(best, task.LabeledTrial{Label: fmt.Sprintf("found %d", i+1), Trial: t})
	}
	return best
}

func (a *analysis) labeledBaselines() []task.LabeledTrial {
	var all []task.LabeledTrial
	for _, t := range a.baselines {
		all = append(all, task.LabeledTrial{Label: structure.TitleOf(t.Name), Trial: t})
	}
	return all
}

func (a *analysis) cards(trials []task.LabeledTrial) []Card {
	p := a.Presentation
	formula := structure.Structure.Formula
	if p.Formula != nil {
		formula = p.Formula
	}
	trials = slices.DeleteFunc(slices.Clone(trials), func(t task.LabeledTrial) bool {
		return t.Structure.K() == 0 // a baseline with dense blocks
	})
	cards := make([]Card, len(trials))
	for i, t := range trials {
		cards[i] = Card{
			Structure: t.Structure,
			Name:      capital(t.Label),
			Tag:       messageOr(t.Trial, equivalence(t.Trial)),
			Scores:    []Cell{{p.Valid, format.Cell(t.Score)}},
			Formula:   subscripts.Replace(formula(t.Structure)),
		}
		if t.TestScore != nil {
			cards[i].Scores = append(cards[i].Scores, Cell{p.Test, format.Cell(t.TestScore)})
		}
		if p.Models != nil {
			cards[i].Models = p.Models(t.Structure)
		}
		if t.HasFailed() {
			cards[i].Tag = string(t.State)
		}
	}
	return cards
}

// subscripts replaces chunk numbers by subscripts.
var subscripts = strings.NewReplacer("1", "₁", "2", "₂", "3", "₃", "4", "₄", "5", "₅", "6", "₆",
	"7", "₇", "8", "₈", "-", "−")

// ranking returns a table of the best structures found and the baselines, best first.
func (a *analysis) ranking() *page.Table {
	var ranked []task.Trial
	byNumber := map[int]string{}
	for _, t := range a.bestFound(a.About.Settings.Parents) {
		label := capital(t.Label) + ", " + equivalence(t.Trial)
		byNumber[t.Number] = strings.TrimSuffix(label, ", ")
		ranked = append(ranked, t.Trial)
	}
	caption := "The best " + format.Count(len(ranked), "structure") + " found"
	switch {
	case len(ranked) == 0:
		caption = "The baselines"
	case len(a.baselines) > 0:
		caption += " and the baselines"
	}
	for _, t := range a.labeledBaselines() {
		if label, found := byNumber[t.Number]; found {
			byNumber[t.Number] = label + ", is " + t.Label
			continue
		}
		byNumber[t.Number] = t.Label
		ranked = append(ranked, t.Trial)
	}
	ranked = task.BestFirst(ranked)
	columns := []column{labels("structure", byNumber)}
	for _, c := range a.Presentation.ScoreColumns() {
		value := func(t task.Trial) any { return c.Value(t) }
		columns = append(columns, page.Number(c.Name, value))
	}
	columns = append(columns,
		page.Number("nonzeros", func(t task.Trial) any {
			if t.Structure.K() == 0 { // a baseline with dense blocks
				return page.Cell{}
			}
			return t.Structure.Nonzeros()
		}),
		structureColumn("as text"))
	table := page.NewTable(caption+", by "+a.Presentation.Validation, ranked, columns...)
	for i, t := range ranked {
		table.Rows[i].Chosen = t.Name == ""
	}
	return table
}
