package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// structures draws the best ones found and the human-designed ones.
func (o *outcome) structures() (section, error) {
	s := section{ID: "structures", Title: "The structures"}
	if len(o.found)+len(o.named) == 0 {
		return s, nil
	}
	s.Parts = append(s.Parts, part{Text: o.howToRead() + " Hatched blocks count negatively."})
	for _, group := range []struct {
		heading string
		trials  []task.Trial
	}{{"Found", o.found[:min(len(o.found), mostDrawn)]}, {"Designed by people", o.named}} {
		if len(group.trials) == 0 {
			continue
		}
		cards, err := o.drawn(group.trials)
		if err != nil {
			return s, err
		}
		s.Parts = append(s.Parts, part{Heading: group.heading}, part{Cards: cards})
	}
	s.Parts = append(s.Parts, part{Table: o.ranking()})
	return s, nil
}

// howToRead says what the rows and columns of a structure are.
func (o *outcome) howToRead() string {
	switch o.task {
	case queries:
		return "A structure says which chunks of the entity before (rows), the relation (coloured blocks) and the entity behind (columns) multiply in the score of a hop; the matrices of the relations of a path are multiplied."
	case classes:
		return "A structure says which chunks of the tail (columns) and the relation (coloured blocks) multiply in a message, and to which chunks of the head (rows) it goes."
	}
	return "A structure says which chunks of the head (rows), the relation (coloured blocks) and the tail (columns) multiply in the score."
}

// formula is what a structure computes, and of what that is.
func (o *outcome) formula(s structure.Structure) (what, formula string) {
	if o.task == classes {
		return "messages are", subscripts.Replace(messages(s))
	}
	return "score is", subscripts.Replace(s.Formula())
}

// messages are what the chunks of a head get from those of a tail.
func messages(s structure.Structure) string {
	chunks := make([]string, s.K())
	for i := range chunks {
		var sum strings.Builder
		for j := range s.K() {
			value := s.At(i, j)
			switch {
			case value == 0:
				continue
			case value < 0:
				sum.WriteString(" -\u00a0") // which keeps a sign and its product together
			default:
				sum.WriteString(" +\u00a0")
			}
			fmt.Fprintf(&sum, "r%d∘t%d", max(value, -value), j+1)
		}
		text := strings.TrimPrefix(sum.String(), " +\u00a0")
		if rest, negative := strings.CutPrefix(text, " -\u00a0"); negative {
			text = "-" + rest
		}
		chunks[i] = fmt.Sprintf("h%d\u00a0←\u00a0%s", i+1, cmp.Or(text, "0"))
	}
	return strings.Join(chunks, "; ")
}

func (o *outcome) drawn(trials []task.Trial) ([]card, error) {
	cards := make([]card, len(trials))
	for i, t := range trials {
		name := title(t.Name)
		if name == "" {
			name = fmt.Sprintf("Found %d", i+1)
		}
		what, formula := o.formula(t.Structure)
		picture, err := inline(plot.Structure(t.Structure, ""), fmt.Sprintf("%s as a matrix; its %s %s", name, what, formula))
		if err != nil {
			return nil, err
		}
		cards[i] = card{
			Picture: picture, Name: name, Tag: guise(t), ValidTag: o.validTag, Valid: score(t), Test: testScore(t), Formula: formula,
		}
		if o.task == "" {
			cards[i].Models = kinds(t.Structure.Patterns())
		}
		if t.State == task.Failed {
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
	caption := "The best %s found, by " + o.valid
	if len(o.named) > 0 {
		caption = "The best %s found and the human-designed ones, by " + o.valid
	}
	t := &table{
		Caption: fmt.Sprintf(caption, count(min(len(o.found), o.About.Settings.I), "structure")),
		Columns: append(texts("structure"), append(numbers(o.rankingColumns()...), texts("as text")...)...),
	}
	names := map[int]string{}
	var all []task.Trial
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
		cells := []any{names[trial.Number]}
		if o.task == classes {
			cells = append(cells, score(trial), testScore(trial))
		} else {
			both := completion.EvaluationsOf(trial.Details)
			cells = append(append(cells, metrics(both.Valid)...), metrics(both.Test)...)
		}
		t.add(append(cells, trial.Structure.Nonzeros(), code(trial.Structure.String()))...).Chosen = trial.Name == ""
	}
	return t
}

// rankingColumns are those of the ranking's numbers.
func (o *outcome) rankingColumns() []string {
	if o.task == classes {
		return []string{o.validColumn, o.testColumn, "nonzeros"}
	}
	return []string{o.validColumn, "H@1", "H@10", o.testColumn, "H@1", "H@10", "nonzeros"}
}
