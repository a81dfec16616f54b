package ablation

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/table"
)

// Result is what a comparison came to. It has one of the last three lists.
type Result struct {
	Ablation string `json:"ablation"`
	Dataset  string `json:"dataset"`
	Seeds    int    `json:"seeds"`
	Budget   int    `json:"budget"`
	Dim      int    `json:"dim"`
	Epochs   int    `json:"epochs"`
	// Precision is what the asked one came to on the graph: all searches have it.
	Precision   kge.Precision `json:"precision"`
	Out         string        `json:"out"`
	Outcomes    []Outcome     `json:"outcomes,omitempty"`
	Correlated  []Correlated  `json:"correlated,omitempty"`
	Transferred *Transferred  `json:"transferred,omitempty"`

	// Table and Note tell it.
	Table    *table.Table            `json:"-"`
	Note     string                  `json:"-"`
	pictures map[string]plot.Picture // by the name of their files
}

// Ask makes the comparison of a name: one of [Ablations], or "sharing", by so many shared
// epochs, "dimension", with another one, or "transfer", to the other graphs.
func Ask(ctx context.Context, p Plan, name string, sharedEpochs, otherDim int, others []*datasets.Graph) (*Result, error) {
	var err error
	if p.Settings, err = search.Settle(&completion.Task{Graph: p.Graph, Engine: p.Engine}, p.Settings); err != nil {
		return nil, err
	}
	r := &Result{
		Ablation: name, Dataset: p.Graph.Name, Seeds: p.Seeds, Budget: p.Settings.Budget, Dim: p.Settings.Training.Dim, Epochs: p.Settings.Training.Epochs, Precision: p.Settings.Training.Precision,
	}
	switch name {
	case "sharing":
		if r.Correlated, err = Sharing(ctx, p, sharedEpochs); err == nil {
			r.tellCorrelations("Do shared embeddings judge structures as their own training does?")
		}
	case "dimension":
		if r.Correlated, err = Dimensions(ctx, p, otherDim); err == nil {
			r.tellCorrelations("Does a small dimension judge structures as a larger one does?")
		}
	case "transfer":
		if r.Transferred, err = Transfer(ctx, p, append([]*datasets.Graph{p.Graph}, others...)); err == nil {
			r.tellTransfer()
		}
	default:
		a, unknown := ByName(name)
		if unknown != nil {
			return nil, unknown
		}
		if r.Outcomes, err = Compare(ctx, p, a); err == nil {
			r.tellOutcomes(a)
		}
	}
	return r, err
}

func (r *Result) tellOutcomes(a Ablation) {
	r.Table = table.New("", "MRR of the 8 best", "±", "best", "its test MRR", "structures", "repeats", "seconds", "guessed ρ")
	for _, o := range r.Outcomes {
		mean := func(value func(Run) float64) float64 { m, _ := o.Mean(value); return m }
		top, deviation := o.Mean(func(r Run) float64 { return r.TopMRR })
		guessed, guesses := 0.0, 0
		for _, r := range o.Runs {
			if r.Guessed != nil {
				guessed += *r.Guessed
				guesses++
			}
		}
		rho := format.Missing
		if guesses > 0 {
			rho = fmt.Sprintf("%.2f", guessed/float64(guesses))
		}
		r.Table.Add(o.Variant, top, deviation,
			mean(func(r Run) float64 { return r.BestMRR }),
			mean(func(r Run) float64 { return r.TestMRR }),
			fmt.Sprintf("%.0f", mean(func(r Run) float64 { return float64(r.Trained) })),
			fmt.Sprintf("%.0f", mean(func(r Run) float64 { return float64(r.Repeats) })),
			fmt.Sprintf("%.1f", mean(func(r Run) float64 { return r.Seconds })), rho)
	}
	r.Note = a.Question + " Means over the seeds of validation MRR, with the standard deviation; ρ is Spearman's correlation of the predictor's guesses with what came of them."
	title := fmt.Sprintf("%s on %s", a.Name, r.Dataset)
	r.pictures = map[string]plot.Picture{"structures": ByStructures(title, r.Outcomes).Picture(), "seconds": BySeconds(title, r.Outcomes).Picture()}
}

func (r *Result) tellCorrelations(question string) {
	first := r.Correlated[0]
	r.Table = table.New("seed", "structures", "Spearman's ρ")
	scatter := plot.Scatter{Title: fmt.Sprintf("%s on %s", r.Ablation, r.Dataset), X: "validation MRR, " + first.X, Y: "validation MRR, " + first.Y}
	for _, c := range r.Correlated {
		r.Table.Add(c.Seed, len(c.Structures), c.Spearman)
		cloud := plot.Cloud{Name: fmt.Sprintf("seed %d, ρ = %.2f", c.Seed, c.Spearman)}
		for _, j := range c.Structures {
			cloud.Points = append(cloud.Points, plot.Point{X: j.X, Y: j.Y})
		}
		scatter.Clouds = append(scatter.Clouds, cloud)
	}
	r.Note = fmt.Sprintf("%s Rank correlation of validation MRRs: %s against %s.", question, first.X, first.Y)
	r.pictures = map[string]plot.Picture{"scatter": scatter.Picture()}
}

func (r *Result) tellTransfer() {
	t := r.Transferred
	r.Table = table.New(append([]string{"found on"}, t.Graphs...)...)
	for source, name := range t.Graphs {
		row := []any{name}
		for target := range t.Graphs {
			row = append(row, fmt.Sprintf("%.3f ± %.3f", t.TestMRR[source][target], t.Deviation[source][target]))
		}
		r.Table.Add(row...)
	}
	r.Note = "Test MRR of the best structure found on one graph (row) when it is trained on another (column): mean and standard deviation over the seeds."
}

// Save writes the table as JSON and CSV, and the pictures, into the folder Out.
func (r *Result) Save() error {
	named := func(extension string) string { return filepath.Join(r.Out, r.Ablation+extension) }
	if err := os.MkdirAll(r.Out, 0o777); err != nil {
		return fmt.Errorf("cannot make the folder of the comparison: %w", err)
	}
	var rows strings.Builder
	if err := csv.NewWriter(&rows).WriteAll(append([][]string{r.Table.Header}, r.Table.Rows...)); err != nil {
		return err
	}
	object, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := errors.Join(outfile.Write(named(".csv"), outfile.Table("such a comparison", r.Table.Header[0]), []byte(rows.String())), outfile.Write(named(".json"), outfile.Comparison, append(object, '\n'))); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.pictures)) {
		for _, extension := range []string{".png", ".svg"} {
			if err := r.pictures[name].Save(named("-" + name + extension)); err != nil {
				return err
			}
		}
	}
	return nil
}
