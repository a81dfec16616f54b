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

// Result holds the results of a comparison: Outcomes, Correlated or Transferred.
type Result struct {
	Ablation    string        `json:"ablation"`
	Dataset     string        `json:"dataset"`
	Seeds       int           `json:"seeds"`
	Budget      int           `json:"budget"`
	Dim         int           `json:"dim"`
	Epochs      int           `json:"epochs"`
	Precision   kge.Precision `json:"precision"` // of all searches, as resolved
	Out         string        `json:"out"`
	Outcomes    []Outcome     `json:"outcomes,omitempty"`
	Correlated  []Correlated  `json:"correlated,omitempty"`
	Transferred *Transferred  `json:"transferred,omitempty"`

	Table    *completion.Table       `json:"-"`
	Note     string                  `json:"-"` // explains the table
	pictures map[string]plot.Picture // by file name
}

// Options configures the comparisons that are not in [Ablations].
type Options struct {
	SharedEpochs int               // for "sharing"
	OtherDim     int               // for "dimension"
	OtherGraphs  []*datasets.Graph // for "transfer"
}

// RunByName runs a comparison: one of [Ablations], "sharing", "dimension" or "transfer".
func RunByName(ctx context.Context, p Plan, name string, o Options) (*Result, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	on := &completion.Task{Graph: p.Graph, Engine: p.Engine}
	var err error
	if p.Settings, err = search.Resolve(on, p.Settings); err != nil {
		return nil, err
	}
	r := &Result{
		Ablation:  name,
		Dataset:   p.Graph.Name,
		Seeds:     p.Seeds,
		Budget:    p.Settings.Budget,
		Dim:       p.Settings.Training.Dim,
		Epochs:    p.Settings.Training.Epochs,
		Precision: p.Settings.Training.Precision,
	}
	switch name {
	case "sharing":
		if r.Correlated, err = Sharing(ctx, p, o.SharedEpochs); err == nil {
			r.describeCorrelations("Do shared embeddings rank structures as their own training does?")
		}
	case "dimension":
		if r.Correlated, err = Dimensions(ctx, p, o.OtherDim); err == nil {
			r.describeCorrelations("Does a small dimension rank structures as a larger one does?")
		}
	case "transfer":
		graphs := append([]*datasets.Graph{p.Graph}, o.OtherGraphs...)
		if r.Transferred, err = Transfer(ctx, p, graphs); err == nil {
			r.describeTransfer()
		}
	default:
		a, unknown := ByName(name)
		if unknown != nil {
			return nil, unknown
		}
		if change := a.Variants[0].Change; change != nil { // some change the dimension of all
			s := p.Settings
			change(&s)
			r.Dim = s.Training.Dim
		}
		if r.Outcomes, err = Compare(ctx, p, a); err == nil {
			r.describeOutcomes(a)
		}
	}
	return r, err
}

func (r *Result) describeOutcomes(a Ablation) {
	r.Table = table.New("", fmt.Sprintf("valid MRR of the %d best", Top), "±", "best valid MRR",
		"its test MRR", "structures", "repeats", "seconds", "predictor ρ")
	for _, o := range r.Outcomes {
		mean := func(value func(Run) float64) float64 { m, _ := o.Mean(value); return m }
		top, deviation := o.Mean(func(r Run) float64 { return r.TopMRR })
		r.Table.Add(o.Variant, top, spread(r.Seeds, deviation),
			mean(func(r Run) float64 { return r.BestMRR }),
			mean(func(r Run) float64 { return r.TestMRR }),
			fmt.Sprintf("%.0f", mean(func(r Run) float64 { return float64(r.Trained) })),
			fmt.Sprintf("%.0f", mean(func(r Run) float64 { return float64(r.Repeats) })),
			fmt.Sprintf("%.1f", mean(func(r Run) float64 { return r.Seconds })),
			o.meanRankCorrelation())
	}
	r.Note = a.Question + " Means over the seeds; ± is the standard deviation. " +
		"ρ is Spearman's correlation of the predictor's predictions with the validation MRR."
	title := fmt.Sprintf("%s on %s", a.Name, r.Dataset)
	r.pictures = map[string]plot.Picture{"structures": ByStructures(title, r.Outcomes).Picture()}
}

// spread returns the text of a standard deviation over seeds; that of one is unknown.
func spread(seeds int, deviation float64) string {
	if seeds < 2 {
		return format.Missing
	}
	return fmt.Sprintf("%.3f", deviation)
}

// meanRankCorrelation returns the mean over the runs that have a rank correlation.
func (o Outcome) meanRankCorrelation() string {
	sum, n := 0.0, 0
	for _, r := range o.Runs {
		if r.RankCorrelation != nil {
			sum += *r.RankCorrelation
			n++
		}
	}
	if n == 0 {
		return format.Missing
	}
	return fmt.Sprintf("%.2f", sum/float64(n))
}

func (r *Result) describeCorrelations(question string) {
	first := r.Correlated[0]
	r.Table = table.New("seed", "structures", "Spearman's ρ")
	scatter := plot.Scatter{
		Title: fmt.Sprintf("%s on %s", r.Ablation, r.Dataset),
		X:     "validation MRR, " + first.X,
		Y:     "validation MRR, " + first.Y,
	}
	for _, c := range r.Correlated {
		r.Table.Add(c.Seed, len(c.Structures), c.Spearman)
		cloud := plot.Cloud{Name: fmt.Sprintf("seed %d", c.Seed)}
		if c.Spearman != nil {
			cloud.Name += fmt.Sprintf(", ρ = %.2f", *c.Spearman)
		}
		for _, j := range c.Structures {
			cloud.Points = append(cloud.Points, plot.Point{X: j.X, Y: j.Y})
		}
		scatter.Clouds = append(scatter.Clouds, cloud)
	}
	r.Note = fmt.Sprintf("%s Rank correlation of validation MRRs: %s against %s.",
		question, first.X, first.Y)
	r.pictures = map[string]plot.Picture{"scatter": scatter.Picture()}
}

func (r *Result) describeTransfer() {
	t := r.Transferred
	r.Table = table.New(append([]string{"found on"}, t.Graphs...)...)
	for source, name := range t.Graphs {
		row := []any{name}
		for target := range t.Graphs {
			mean, deviation := t.TestMRR[source][target], t.Deviation[source][target]
			row = append(row, fmt.Sprintf("%.3f ± %v", mean, spread(r.Seeds, deviation)))
		}
		r.Table.Add(row...)
	}
	r.Note = "Test MRR of the best structure found on one graph (row), trained on another " +
		"(column): mean and standard deviation over the seeds."
}

// Save writes the table as JSON and CSV, and the pictures, into the folder Out.
func (r *Result) Save() error {
	path := func(suffix string) string { return filepath.Join(r.Out, r.Ablation+suffix) }
	if err := os.MkdirAll(r.Out, 0o777); err != nil {
		return fmt.Errorf("cannot make the folder of the comparison: %w", err)
	}
	var rows strings.Builder
	lines := append([][]string{r.Table.Header}, r.Table.Rows...)
	if err := csv.NewWriter(&rows).WriteAll(lines); err != nil {
		return err
	}
	object, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	kind := outfile.Table("such a comparison", r.Table.Header[0])
	if err := errors.Join(
		outfile.Write(path(".csv"), kind, []byte(rows.String())),
		outfile.Write(path(".json"), outfile.Comparison, append(object, '\n')),
	); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.pictures)) {
		for _, extension := range []string{".png", ".svg"} {
			if err := r.pictures[name].Save(path("-" + name + extension)); err != nil {
				return err
			}
		}
	}
	return nil
}
