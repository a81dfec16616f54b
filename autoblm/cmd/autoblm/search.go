package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

type searchCommand struct {
	Dataset       string  `default:"world" help:"A name of dataset list, or a folder."`
	Algorithm     string  `default:"${algorithm}" enum:"${algorithms}" help:"autoblm+ (evolutionary), autoblm (progressive), random, tpe (a Parzen estimator) or reinforce (an LSTM)."`
	Budget        int     `default:"${budget}" help:"How many structures to train."`
	Minutes       float64 `default:"0" help:"End the search after so many minutes, at the end of a round; 0 never."`
	learningFlags `kong:"group='Training',set='dim=${search_dim}',set='epochs=${search_epochs}',set='n3=${search_n3}'"`
	Seed          uint64        `default:"1" help:"Decides the proposals and the initial embeddings."`
	K             int           `name:"k" default:"${k}" help:"Chunks of an embedding."`
	N             int           `name:"n" default:"${n}" help:"Candidates generated in a round."`
	P             int           `name:"p" default:"${p}" help:"Candidates trained in a round, together."`
	I             int           `name:"i" default:"${i}" help:"Best structures that new ones are made from, and that are listed at the end."`
	B0            int           `name:"b0" default:"0" help:"Nonzeros of the first structures; 0 stands for k."`
	Pm            float64       `name:"pm" default:"0" help:"Probability that a mutation changes an entry; 0 stands for 2/k²."`
	Filter        search.Filter `default:"exact" help:"exact, paper, none, or linear, which also drops what may be an earlier structure in another basis, although it may learn better."`
	Predictor     string        `default:"srf" enum:"srf,one-hot,none" help:"What picks the candidates to train: srf, one-hot or none."`
	Tune          int           `default:"0" help:"Before the search, try so many random learning rates, n3 and batch sizes on SimplE, and search with the best (the paper: 10)."`
	Final         int           `default:"0" help:"After the search, train the best structures so many times with random recipes (the paper: 50)."`
	FinalDims     []int         `default:"${final_dims}" help:"Dimensions for --final, separated by commas."`
	FinalEpochs   int           `default:"${final_epochs}" help:"Passes over the training triples for --final."`
	Study         string        `help:"The file that keeps the search; the same command goes on with it. study.db in --out when left out."`
	Out           string        `help:"The folder for the best model, the pictures and the study; a new one below autoblm-out when left out."`
	computeFlags
}

// searchSummary is the JSON of search.
type searchSummary struct {
	Dataset   string          `json:"dataset"`
	Algorithm string          `json:"algorithm"`
	K         int             `json:"k"`
	Dim       int             `json:"dim"`
	Budget    int             `json:"budget"`
	Trained   int             `json:"trained"`
	Failed    int             `json:"failed"`
	Seconds   float64         `json:"seconds"`
	Overhead  float64         `json:"overhead"` // seconds of strategy, filter and predictor
	Tuned     []recipeSummary `json:"tuned,omitempty"`
	Best      []foundSummary  `json:"best"`
	Human     []namedSummary  `json:"human"`
	Finals    []recipeSummary `json:"finals,omitempty"`
	Resumed   int             `json:"resumed"`
	Stopped   search.Stop     `json:"stopped"`
	Note      string          `json:"note,omitempty"`
	Study     string          `json:"study"`
	Out       string          `json:"out"`
}

type foundSummary struct {
	Structure structure.Structure `json:"structure"`
	Canonical structure.Structure `json:"canonical"`
	ValidMRR  float64             `json:"valid_mrr"`
	TestMRR   *float64            `json:"test_mrr"`
}

// recipeSummary is a trial before or after the search, best first.
type recipeSummary struct {
	Structure    structure.Structure `json:"structure"`
	Dim          int                 `json:"dim"`
	Batch        int                 `json:"batch"`
	LearningRate float64             `json:"learning_rate"`
	N3           float64             `json:"n3"`
	ValidMRR     float64             `json:"valid_mrr"`
	TestMRR      *float64            `json:"test_mrr"`
}

type namedSummary struct {
	Name     string   `json:"name"`
	ValidMRR *float64 `json:"valid_mrr"`
	TestMRR  *float64 `json:"test_mrr"`
}

// studyName is the name of a study in the folder of its search.
const studyName = "study.db"

// Run searches.
func (c *searchCommand) Run(ctx context.Context, o *output) error {
	settings, err := c.searchSettings()
	if err != nil {
		return usage(err)
	}
	g, err := datasets.Open(c.Dataset)
	if err != nil {
		return err
	}
	if c.Out == "" {
		c.Out = filepath.Join("autoblm-out", fmt.Sprintf("%s-%s", g.Name, time.Now().Format("20060102-150405")))
	}
	if c.Study == "" {
		c.Study = filepath.Join(c.Out, studyName)
	}
	settings.Study = c.Study
	return searching{graph: g, settings: settings, out: c.Out, again: c.resume(program(), o.arguments)}.run(ctx, o)
}

// searching is a search that is set up, by whichever command.
type searching struct {
	graph    *datasets.Graph
	settings autoblm.SearchSettings
	out      string // the folder for the model and the pictures
	again    string // the command that goes on with it
}

func (s searching) run(ctx context.Context, o *output) error {
	o.say("study: %s", s.settings.Study)
	bar := newSearchBar(o.stderr)
	s.settings.OnProgress = bar.update
	result, err := autoblm.Search(ctx, s.graph, s.settings)
	bar.finish()
	if err != nil {
		return err
	}
	summary := s.summary(result)
	if err := o.result(summary, func(w io.Writer) { s.print(w, o.colour(), result) }); err != nil {
		return err
	}
	// The result is out, whatever becomes of the files; the study has it all.
	if err := s.writeGallery(result); err != nil {
		return err
	}
	if result.Stopped == search.Interrupted {
		return fmt.Errorf("interrupted after %d of %d structures; go on with: %s", result.Trained, s.settings.Budget, s.again)
	}
	if len(result.Best) == 0 {
		return fmt.Errorf("all %d structures diverged: try a learning rate below %g, in a new study", result.Trained, s.settings.LearningRate)
	}
	return nil
}

func (c *searchCommand) searchSettings() (autoblm.SearchSettings, error) {
	s := autoblm.DefaultSearch()
	s.Algorithm = c.Algorithm
	s.Budget = c.Budget
	s.K, s.N, s.P, s.I, s.B0, s.Pm = c.K, c.N, c.P, c.I, c.B0, c.Pm
	s.Filter, s.Seed = c.Filter, c.Seed
	switch c.Predictor {
	case "none":
		s.Settings.Predictor = nil
	case "one-hot":
		s.Settings.Predictor.Features = predictor.OneHot
	}
	s.Training, s.LearningRate, s.Weights = c.settings(), c.LR, c.weights()
	if c.Tune != 0 {
		s.Tune = search.DefaultTune()
		s.Tune.Trials = c.Tune
	}
	if c.Final != 0 {
		s.Final = search.DefaultFinal()
		s.Final.Trials, s.Final.Ranges.Dims, s.Final.Epochs = c.Final, c.FinalDims, c.FinalEpochs
	}
	var err error
	if s.Compute, err = c.compute(); err != nil {
		return s, err
	}
	if s.TimeLimit, err = timeLimit(c.Minutes); err != nil {
		return s, err
	}
	return s, s.Validate()
}

func timeLimit(minutes float64) (time.Duration, error) {
	if !(minutes >= 0) || minutes > 1e6 {
		return 0, fmt.Errorf("minutes is %v: it must be from 0, for no limit, to a million", minutes)
	}
	return time.Duration(minutes * float64(time.Minute)), nil
}

// resume is the command that goes on with an interrupted search.
func (c *searchCommand) resume(program string, arguments []string) string {
	words := []string{program}
	given := map[string]bool{}
	for _, a := range arguments {
		name, _, _ := strings.Cut(a, "=")
		given[name] = true
		words = append(words, quoted(a))
	}
	for _, flag := range [][2]string{{"--study", c.Study}, {"--out", c.Out}} {
		if !given[flag[0]] {
			words = append(words, flag[0], quoted(flag[1]))
		}
	}
	return strings.Join(words, " ")
}

// program is what the user typed to get here.
func program() string {
	if strings.Contains(os.Args[0], "go-build") { // where go run puts its programs
		return "go run ./autoblm/cmd/autoblm"
	}
	return "autoblm"
}

// quoted is an argument as a shell takes it.
func quoted(a string) string {
	if a != "" && !strings.ContainsAny(a, " \t\n'\"\\$`;&|<>()*?[]{}!#~") {
		return a
	}
	return "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
}

func (s searching) summary(r *search.Result) searchSummary {
	summary := searchSummary{
		Dataset: s.graph.Name, Algorithm: s.settings.Algorithm, K: s.settings.K, Dim: s.settings.Training.Dim, Budget: s.settings.Budget,
		Trained: r.Trained, Failed: r.Trained - r.Complete, Seconds: r.Seconds,
		Tuned: recipes(r.Tuned), Best: found(r.Best), Human: named(r.Named), Finals: recipes(r.Finals),
		Resumed: r.Resumed, Stopped: r.Stopped, Note: r.Note, Overhead: r.Overhead, Study: s.settings.Study, Out: s.out,
	}
	if s.settings.K != 4 {
		summary.Note = strings.TrimPrefix(summary.Note+"; the named models have four chunks and were left out", "; ")
	}
	return summary
}

func found(trials []search.Trial) []foundSummary {
	summaries := []foundSummary{}
	for _, t := range trials {
		summaries = append(summaries, foundSummary{Structure: t.Structure, Canonical: t.Canonical(), ValidMRR: t.MRR(), TestMRR: testMRR(t)})
	}
	return summaries
}

func named(trials []search.Trial) []namedSummary {
	summaries := []namedSummary{}
	for _, t := range trials {
		summary := namedSummary{Name: t.Name, TestMRR: testMRR(t)}
		if t.Valid != nil {
			summary.ValidMRR = &t.Valid.Both.MRR
		}
		summaries = append(summaries, summary)
	}
	return summaries
}

func recipes(trials []search.Trial) []recipeSummary {
	var summaries []recipeSummary
	for _, t := range trials {
		summaries = append(summaries, recipeSummary{
			Structure: t.Structure, Dim: t.Recipe.Training.Dim, Batch: t.Recipe.Training.Batch,
			LearningRate: t.Recipe.LearningRate, N3: t.Recipe.N3, ValidMRR: t.MRR(), TestMRR: testMRR(t),
		})
	}
	return summaries
}

func testMRR(t search.Trial) *float64 {
	if t.Test == nil {
		return nil
	}
	return &t.Test.Both.MRR
}

func (s searching) print(w io.Writer, colour bool, r *search.Result) {
	fmt.Fprintf(w, "%s on %s: %s trained in %s, d %d, %s, seed %d\n", s.settings.Algorithm, s.graph.Name, plural(r.Trained, "structure"), duration(r.Seconds), s.settings.Training.Dim, plural(s.settings.Training.Epochs, "epoch"), s.settings.Seed)
	if r.Stopped != search.BudgetSpent {
		fmt.Fprintln(w, strings.TrimSuffix(fmt.Sprintf("ended by: %s, %s", r.Stopped, r.Note), ", "))
	}
	if diverged := r.Trained - r.Complete; diverged > 0 {
		fmt.Fprintf(w, "%d of them diverged\n", diverged)
	}
	printTuned(w, r)
	fmt.Fprintln(w)
	comparison(r).print(w)
	if len(r.Best) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", strings.Join(s.report(r).Verdict(), "\n"))
	printFinals(w, r)
	best := r.Model.Structure
	fmt.Fprintf(w, "\nThe structure of the best model, %s\n\n%s\nf(h,r,t) = %s\n", best, best.Draw(colour), best.Formula())
	printAnswers(w, s.graph, r.Model)
	fmt.Fprintf(w, "\nTo %s go the best model (model) and the pictures (*.png, *.svg)\n", s.out)
	fmt.Fprintf(w, "The study, to go on with (--study) or to read as a page (autoblm report --study): %s\n", s.settings.Study)
}

// printTuned explains the recipe of the search, if it was looked for.
func printTuned(w io.Writer, r *search.Result) {
	if len(r.Tuned) > 0 {
		fmt.Fprintf(w, "\nRecipes tried on SimplE before; the first, of the highest validation MRR, became that of the search\n\n")
		recipeTable(r.Tuned).print(w)
	}
}

func printFinals(w io.Writer, r *search.Result) {
	if len(r.Finals) > 0 {
		fmt.Fprintf(w, "\nThe best structures, trained by other recipes\n\n")
		recipeTable(r.Finals).print(w)
	}
}

// mostFound is how many of the structures found the table shows.
const mostFound = 5

func comparison(r *search.Result) *table {
	t := &table{header: []string{"", "valid MRR", "H@1", "H@10", "test MRR", "H@1", "H@10"}}
	add := func(name string, trial search.Trial) {
		cells := []string{name}
		if trial.Valid == nil {
			t.add(name+" (diverged)", missing, missing, missing, missing, missing, missing)
			return
		}
		cells = append(cells, number(trial.Valid.Both.MRR), number(trial.Valid.Both.Hits1), number(trial.Valid.Both.Hits10))
		if trial.Test != nil {
			cells = append(cells, number(trial.Test.Both.MRR), number(trial.Test.Both.Hits1), number(trial.Test.Both.Hits10))
		} else {
			cells = append(cells, missing, missing, missing)
		}
		t.add(cells...)
	}
	for i, trial := range r.Best[:min(len(r.Best), mostFound)] {
		name := fmt.Sprintf("found %d", i+1)
		if same := trial.Structure.Name(); same != "" {
			name += fmt.Sprintf(" (is %s)", titleOf(same))
		}
		add(name, trial)
	}
	for _, trial := range r.Named {
		add(titleOf(trial.Name), trial)
	}
	return t
}

// recipeTable shows the best of the trials with their recipes.
func recipeTable(trials []search.Trial) *table {
	t := &table{header: []string{"valid MRR", "test MRR", "d", "batch", "learning rate", "n3", "structure"}}
	for _, trial := range trials[:min(len(trials), mostFound)] {
		test := missing
		if trial.Test != nil {
			test = number(trial.Test.Both.MRR)
		}
		r := trial.Recipe
		t.add(number(trial.MRR()), test, text(r.Training.Dim), text(r.Training.Batch), fmt.Sprintf("%.3g", r.LearningRate), fmt.Sprintf("%.2g", r.N3), trial.Structure.String())
	}
	return t
}

func duration(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second / 10).String()
}
