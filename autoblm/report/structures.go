package report

import (
	"fmt"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// structures draws the best ones found and the human-designed ones.
func (o *outcome) structures() (section, error) {
	s := section{ID: "structures", Title: "The structures"}
	if len(o.found)+len(o.named) == 0 {
		return s, nil
	}
	s.Parts = append(s.Parts, part{Text: "A structure says which chunks of the head (rows), the relation (coloured blocks) and the tail (columns) multiply in the score. Hatched blocks count negatively."})
	for _, group := range []struct {
		heading string
		trials  []search.Trial
	}{{"Found", o.found[:min(len(o.found), mostDrawn)]}, {"Designed by people", o.named}} {
		if len(group.trials) == 0 {
			continue
		}
		cards, err := drawn(group.trials)
		if err != nil {
			return s, err
		}
		s.Parts = append(s.Parts, part{Heading: group.heading}, part{Cards: cards})
	}
	s.Parts = append(s.Parts, part{Table: o.ranking()})
	return s, nil
}

func drawn(trials []search.Trial) ([]card, error) {
	cards := make([]card, len(trials))
	for i, t := range trials {
		name := title(t.Name)
		if name == "" {
			name = fmt.Sprintf("Found %d", i+1)
		}
		formula := subscripts.Replace(t.Structure.Formula())
		picture, err := inline(plot.Structure(t.Structure, ""), fmt.Sprintf("%s as a matrix; its score is %s", name, formula))
		if err != nil {
			return nil, err
		}
		cards[i] = card{
			Picture: picture, Name: name, Tag: guise(t), Valid: mrr(t.Valid), Test: mrr(t.Test),
			Models: kinds(t.Structure.Patterns()), Formula: formula,
		}
		if t.State == search.Failed {
			cards[i].Tag = "diverged"
		}
	}
	return cards, nil
}

// subscripts sets the numbers of chunks as papers do.
var subscripts = strings.NewReplacer("1", "₁", "2", "₂", "3", "₃", "4", "₄", "5", "₅", "6", "₆", "7", "₇", "8", "₈", "-", "−")

// kinds are the relation patterns that a structure can model.
func kinds(p structure.Patterns) string {
	var kinds []string
	for _, kind := range []struct {
		name    string
		witness []int
	}{{"symmetric", p.Symmetric}, {"anti-symmetric", p.AntiSymmetric}, {"general", p.General}, {"inverse", p.Inverse}} {
		if kind.witness != nil {
			kinds = append(kinds, kind.name)
		}
	}
	if len(kinds) == 0 {
		return "models no relation pattern"
	}
	return "models " + list(kinds) + " relations"
}

// ranking has the best structures found and the human-designed ones, best first.
func (o *outcome) ranking() *table {
	caption := "The best %s found, by validation MRR"
	if len(o.named) > 0 {
		caption = "The best %s found and the human-designed ones, by validation MRR"
	}
	t := &table{
		Caption: fmt.Sprintf(caption, count(min(len(o.found), o.About.Settings.I), "structure")),
		Columns: append(texts("structure"), append(numbers("valid MRR", "H@1", "H@10", "test MRR", "H@1", "H@10", "nonzeros"), texts("as text")...)...),
	}
	names := map[int]string{}
	var all []search.Trial
	for i, trial := range o.found[:min(len(o.found), o.About.Settings.I)] {
		names[trial.Number] = strings.TrimSuffix(fmt.Sprintf("Found %d, %s", i+1, guise(trial)), ", ")
		all = append(all, trial)
	}
	for _, trial := range o.named {
		if found, both := names[trial.Number]; both {
			names[trial.Number] = found + ", is " + title(trial.Name)
			continue
		}
		names[trial.Number] = title(trial.Name)
		all = append(all, trial)
	}
	for _, trial := range bestFirst(all) {
		cells := append([]any{names[trial.Number]}, metrics(trial.Valid)...)
		cells = append(cells, metrics(trial.Test)...)
		t.add(append(cells, trial.Structure.Nonzeros(), code(trial.Structure.String()))...).Chosen = trial.Name == ""
	}
	return t
}
