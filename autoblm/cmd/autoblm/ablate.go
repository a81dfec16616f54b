package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/ablation"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/wholefile"
)

type ablateCommand struct {
	Name         string   `arg:"" enum:"algorithm,filter,predictor,b0,k,sharing,dimension,transfer" help:"algorithm, filter, predictor, b0 or k compare searches that differ in that; sharing and dimension ask whether shared embeddings, or another dimension, judge structures as their own training does; transfer takes structures to other graphs."`
	Dataset      string   `default:"world" help:"A name of dataset list, or a folder."`
	To           []string `help:"For transfer: the other graphs, separated by commas."`
	Seeds        int      `default:"3" help:"How often all is done, each time with other random numbers."`
	Budget       int      `help:"How many structures each search trains."`
	Dim          int      `help:"Dimension of the embeddings; 60 for k."`
	OtherDim     int      `default:"128" help:"For dimension: the other dimension."`
	Epochs       int      `help:"Passes over the training triples for each structure."`
	SharedEpochs int      `default:"200" help:"For sharing: passes with shared embeddings."`
	Batch        int      `help:"Triples in a step."`
	LR           float64  `name:"lr" help:"Learning rate."`
	N3           float64  `name:"n3" help:"Weight of the cubed norms of head, relation and tail."`
	Seed         uint64   `default:"1" help:"The first seed."`
	Out          string   `help:"The folder for table, pictures and studies; the same command goes on with it. Below autoblm-out when left out."`
	computeFlags
}

// usualAblate has the defaults of a search.
func usualAblate() ablateCommand {
	s := search.DefaultSettings()
	return ablateCommand{
		Budget: s.Budget, Dim: s.Training.Dim, Epochs: s.Training.Epochs, Batch: s.Training.Batch, LR: s.LearningRate, N3: s.N3,
	}
}

// Help says how long it takes.
func (ablateCommand) Help() string {
	return `With the defaults, on umls and two cores, each takes at most ten minutes.
An interrupted comparison goes on with the same command.`
}

// ablationSummary is the JSON of ablate; it has one of the last three.
type ablationSummary struct {
	Ablation    string                 `json:"ablation"`
	Dataset     string                 `json:"dataset"`
	Seeds       int                    `json:"seeds"`
	Budget      int                    `json:"budget"`
	Dim         int                    `json:"dim"`
	Epochs      int                    `json:"epochs"`
	Out         string                 `json:"out"`
	Outcomes    []ablation.Outcome     `json:"outcomes,omitempty"`
	Correlated  []ablation.Correlated  `json:"correlated,omitempty"`
	Transferred *ablation.Transferred  `json:"transferred,omitempty"`
	pictures    map[string]plotPicture // by the name of their files
	table       *table
	note        string
}

type plotPicture interface{ Picture() plot.Picture }

// Run compares.
func (c *ablateCommand) Run(ctx context.Context, o *output) error {
	settings := search.DefaultSettings()
	settings.Budget, settings.Seed, settings.LearningRate, settings.N3 = c.Budget, c.Seed, c.LR, c.N3
	settings.Training.Dim, settings.Training.Epochs, settings.Training.Batch = c.Dim, c.Epochs, c.Batch
	if err := settings.Validate(); err != nil {
		return usage(err)
	}
	if c.Seeds < 1 {
		return usage(fmt.Errorf("seeds is %d: at least 1 is needed", c.Seeds))
	}
	if (c.Name == "transfer") != (len(c.To) > 0) {
		return usage(errors.New("transfer, and nothing else, needs --to with other graphs, as --to kinship,nations"))
	}
	graphs := make([]*datasets.Graph, 0, 1+len(c.To))
	for _, name := range append([]string{c.Dataset}, c.To...) {
		g, err := datasets.Open(name)
		if err != nil {
			return err
		}
		graphs = append(graphs, g)
	}
	engine, err := c.open()
	if err != nil {
		return err
	}
	defer engine.Close()
	c.Out = cmp.Or(c.Out, filepath.Join("autoblm-out", fmt.Sprintf("ablate-%s-%s", c.Name, graphs[0].Name)))
	bar := newSearchBar(o.stderr)
	plan := ablation.Plan{
		Graph: graphs[0], Engine: engine, Settings: settings, Seeds: c.Seeds, Folder: filepath.Join(c.Out, "studies"),
		OnProgress: bar.about,
	}
	summary, err := c.compare(ctx, plan, graphs)
	bar.finish()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted: the same command goes on with %s", c.Out)
	}
	if err != nil {
		return err
	}
	if err := summary.save(); err != nil {
		return err
	}
	return o.result(summary, func(w io.Writer) {
		fmt.Fprintf(w, "%s on %s: %s, budget %d, d %d, %s\n\n", c.Name, summary.Dataset, plural(c.Seeds, "seed"), c.Budget, c.Dim, plural(c.Epochs, "epoch"))
		summary.table.print(w)
		fmt.Fprintf(w, "\n%s\nTo %s go the table (%s.csv, %[3]s.json), the pictures (*.png, *.svg) and the studies\n", summary.note, c.Out, c.Name)
	})
}

func (c *ablateCommand) compare(ctx context.Context, plan ablation.Plan, graphs []*datasets.Graph) (*ablationSummary, error) {
	s := &ablationSummary{Ablation: c.Name, Dataset: graphs[0].Name, Seeds: c.Seeds, Budget: c.Budget, Dim: c.Dim, Epochs: c.Epochs, Out: c.Out}
	var err error
	switch c.Name {
	case "sharing":
		if s.Correlated, err = ablation.Sharing(ctx, plan, c.SharedEpochs); err == nil {
			s.describeCorrelations("Do shared embeddings judge structures as their own training does?")
		}
	case "dimension":
		if s.Correlated, err = ablation.Dimensions(ctx, plan, c.OtherDim); err == nil {
			s.describeCorrelations("Does a small dimension judge structures as a larger one does?")
		}
	case "transfer":
		if s.Transferred, err = ablation.Transfer(ctx, plan, graphs); err == nil {
			s.describeTransfer()
		}
	default:
		a, unknown := ablation.ByName(c.Name)
		if unknown != nil {
			return nil, unknown
		}
		if s.Outcomes, err = ablation.Compare(ctx, plan, a); err == nil {
			s.describeOutcomes(a)
		}
	}
	return s, err
}

func (s *ablationSummary) describeOutcomes(a ablation.Ablation) {
	s.table = &table{header: []string{"", "MRR of the 8 best", "±", "best", "its test MRR", "structures", "repeats", "seconds", "guessed ρ"}}
	for _, o := range s.Outcomes {
		mean := func(value func(ablation.Run) float64) float64 { m, _ := o.Mean(value); return m }
		top, deviation := o.Mean(func(r ablation.Run) float64 { return r.TopMRR })
		guessed, guesses := 0.0, 0
		for _, r := range o.Runs {
			if r.Guessed != nil {
				guessed += *r.Guessed
				guesses++
			}
		}
		rho := missing
		if guesses > 0 {
			rho = fmt.Sprintf("%.2f", guessed/float64(guesses))
		}
		s.table.add(o.Variant, number(top), fmt.Sprintf("%.3f", deviation),
			number(mean(func(r ablation.Run) float64 { return r.BestMRR })),
			number(mean(func(r ablation.Run) float64 { return r.TestMRR })),
			fmt.Sprintf("%.0f", mean(func(r ablation.Run) float64 { return float64(r.Trained) })),
			fmt.Sprintf("%.0f", mean(func(r ablation.Run) float64 { return float64(r.Repeats) })),
			fmt.Sprintf("%.1f", mean(func(r ablation.Run) float64 { return r.Seconds })), rho)
	}
	s.note = a.Question + " Means over the seeds of validation MRR, with the standard deviation; ρ is Spearman's correlation of the predictor's guesses with what came of them."
	title := fmt.Sprintf("%s on %s", a.Name, s.Dataset)
	s.pictures = map[string]plotPicture{"structures": ablation.ByStructures(title, s.Outcomes), "seconds": ablation.BySeconds(title, s.Outcomes)}
}

func (s *ablationSummary) describeCorrelations(question string) {
	first := s.Correlated[0]
	s.table = &table{header: []string{"seed", "structures", "Spearman's ρ"}}
	scatter := plot.Scatter{Title: fmt.Sprintf("%s on %s", s.Ablation, s.Dataset), X: "validation MRR, " + first.X, Y: "validation MRR, " + first.Y}
	for _, c := range s.Correlated {
		s.table.add(text(c.Seed), text(len(c.Structures)), fmt.Sprintf("%.3f", c.Spearman))
		cloud := plot.Cloud{Name: fmt.Sprintf("seed %d, ρ = %.2f", c.Seed, c.Spearman)}
		for _, j := range c.Structures {
			cloud.Points = append(cloud.Points, plot.Point{X: j.X, Y: j.Y})
		}
		scatter.Clouds = append(scatter.Clouds, cloud)
	}
	s.note = fmt.Sprintf("%s Rank correlation of validation MRRs: %s against %s.", question, first.X, first.Y)
	s.pictures = map[string]plotPicture{"scatter": scatter}
}

func (s *ablationSummary) describeTransfer() {
	t := s.Transferred
	s.table = &table{header: append([]string{"found on"}, t.Graphs...)}
	for source, name := range t.Graphs {
		row := []string{name}
		for target := range t.Graphs {
			row = append(row, fmt.Sprintf("%s ± %.3f", number(t.TestMRR[source][target]), t.Deviation[source][target]))
		}
		s.table.add(row...)
	}
	s.note = "Test MRR of the best structure found on one graph (row) when it is trained on another (column): mean and standard deviation over the seeds."
}

// save writes the table as JSON and CSV, and the pictures.
func (s *ablationSummary) save() error {
	named := func(extension string) string { return filepath.Join(s.Out, s.Ablation+extension) }
	if err := os.MkdirAll(s.Out, 0o755); err != nil {
		return fmt.Errorf("cannot make the folder of the comparison: %w", err)
	}
	var rows strings.Builder
	if err := csv.NewWriter(&rows).WriteAll(append([][]string{s.table.header}, s.table.rows...)); err != nil {
		return err
	}
	object, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	if err := errors.Join(wholefile.Write(named(".csv"), []byte(rows.String())), wholefile.Write(named(".json"), append(object, '\n'))); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.pictures)) {
		for _, extension := range []string{".png", ".svg"} {
			if err := s.pictures[name].Picture().Save(named("-" + name + extension)); err != nil {
				return err
			}
		}
	}
	return nil
}
