package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/facts"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/table"
	"github.com/autoblm/autoblm-go/internal/textfile"
)

// predictFlags select a model and its answers.
type predictFlags struct {
	Model   string            `required:"" placeholder:"DIR" brief:"Folder of a model, ensemble or search." help:"Folder of ${model_kinds}."`
	Top     int               `default:"10" min:"0" max:"1000000000" brief:"Number of answers; 0 lists all." help:"Number of answers; 0 lists all."`
	Known   eval.KnownAnswers `default:"mark" brief:"Answers in the data: keep, drop or mark." help:"What to do with answers in the data: keep, drop or mark."`
	Any     bool              `brief:"Compare entities of any kind." help:"Compare entities of any kind. Otherwise answers are entities at that end of the relation in the data, or of their declared types."`
	Among   string            `placeholder:"FILE" brief:"Compare only the entities in this file." help:"Compare only the entities in this file, one label per line."`
	Dataset string            `placeholder:"NAME|DIR" brief:"Data with known answers and kinds of entities." help:"Data with the known answers and the kinds of entities. The default is the training data of the model."`
}

type predictCommand struct {
	predictFlags `set:"model_kinds=a model, of an ensemble, or of a search"`
	Head         string `placeholder:"ENTITY" brief:"Head; without a tail, predict its tails." help:"Head of the triple. Without a tail, its tails are predicted."`
	Relation     string `placeholder:"RELATION" brief:"Relation; without one, predict it." help:"Relation of the triple. Without one, the likeliest relations of head and tail are predicted."`
	Tail         string `placeholder:"ENTITY" brief:"Tail; without a head, predict its heads." help:"Tail of the triple. Without a head, its heads are predicted; with one, the triple gets its score and rank."`
	Queries      string `placeholder:"FILE" brief:"Answer each line: head, relation, tail; ? is missing." help:"Answer the queries of a file, or of - for standard input: head, relation and tail per line, with ? for the missing part. The file has a format of dataset import, such as TSV, CSV or JSON lines."`
	Stdin        bool   `brief:"Answer JSON lines from standard input at once." help:"Answer queries from standard input, a JSON object with head, relation and tail per line, of which one is ? or missing, each with a JSON line at once. A faulty line gets an error in its place."`
	All          bool   `brief:"List the likeliest missing triples." help:"List the likeliest missing triples of the data, or of one --relation, by the share of the tail among the candidates."`
	Format       string `default:"text" enum:"text,tsv,csv,jsonl,parquet" brief:"${enum}." help:"Format of the answers: text, tsv, csv, jsonl (JSON lines) or parquet."`
	Explain      int    `min:"0" max:"1000000" placeholder:"N" brief:"Show N training triples that speak for each answer." help:"For each answer, show up to this number of training triples that speak most for it. Their influence approximates how far the score would fall without the triple."`
	FoldIn       bool   `brief:"Learn new labels from train first." help:"First learn the embeddings of labels that the model lacks from the training triples, and leave all others as they are."`
	threadsFlag
}

// check returns an error if it is unclear what to predict.
func (c *predictCommand) check(o *output) error {
	single := cmp.Or(c.Head, c.Tail)
	switch {
	case o.JSON && c.Format != "text":
		return errors.New("--json and --format exclude each other")
	case o.Record != nil && (c.Stdin || c.Format != "text"):
		return errors.New("--record stores the JSON of a whole answer: leave out --stdin and --format")
	case c.Stdin && (cmp.Or(single, c.Relation, c.Queries) != "" || c.All || o.JSON || c.Format != "text"):
		return errors.New("--stdin reads all queries and writes JSON lines: leave out " +
			"--head, --relation, --tail, --queries, --all, --json and --format")
	case c.All && c.Explain > 0:
		return errors.New("--all lists triples without --explain: explain some of them with --queries")
	case c.All && (single != "" || c.Queries != ""):
		return errors.New("--all lists all queries: leave out --head, --tail and --queries")
	case c.All && c.Top == 0:
		return errors.New("--all needs the number of triples: give --top")
	case c.Queries != "" && cmp.Or(single, c.Relation) != "":
		return errors.New("--queries has its own heads, relations and tails: leave out the flags")
	case c.All || c.Stdin || c.Queries != "":
		return nil
	case c.Among != "" && c.Head != "" && c.Tail != "" && c.Relation == "":
		return errors.New("--among names entities, but relations are predicted: leave it out")
	}
	given := 0
	for _, part := range []string{c.Head, c.Relation, c.Tail} {
		if part != "" {
			given++
		}
	}
	if given < 2 {
		return errors.New("what to predict is unclear: " +
			"give two of --head, --relation and --tail, or --queries, --stdin or --all")
	}
	return nil
}

// warnCommented warns of queries that are skipped because their first label looks like a comment.
func warnCommented(o *output, r facts.Report) {
	for _, d := range r.Dropped {
		if d.Reason == facts.CommentedFacts {
			warn(o, []string{fmt.Sprintf("%s with the columns of a query left out, such as %s: if it is a "+
				"query, put each of its columns in quotes", format.Count(d.Count, "comment"), d.Example)})
		}
	}
}

func (c *predictCommand) Run(ctx context.Context, o *output) error {
	if err := c.check(o); err != nil {
		return cli.Usage(err)
	}
	options, err := c.options()
	if err != nil {
		return err
	}
	var queries []completion.LineQuery
	if c.Queries != "" {
		var report facts.Report
		if queries, report, err = completion.ReadQueries(c.Queries); err != nil {
			return fmt.Errorf("--queries: %w", err)
		}
		if len(queries) == 0 {
			return fmt.Errorf("--queries: %s has no queries: write a head, a relation and a tail per line, "+
				"with ? for the missing one", c.Queries)
		}
		warnCommented(o, report)
	}
	open := c.openAhead()
	p, err := load(c.Model)
	if err != nil {
		return err
	}
	const learn = "--fold-in learns them, and train --from adds them to a model"
	g, err := c.graph(ctx, p.Models()[0], o, learn, open)
	if err != nil {
		return err
	}
	shareLabels(p.Models(), g)
	if c.FoldIn {
		if g != nil { // its validation triples give the probabilities
			warnTrainedOn(ctx, o, p.Models(), g, true, "valid")
		}
		if p, err = c.foldIn(ctx, o, p, g); err != nil {
			return err
		}
		if p, err = calibrate(ctx, o, p, c.engine(), g, ""); err != nil {
			return err
		}
	}
	a, err := completion.NewAnswerer(p, g, c.engine())
	if err != nil {
		return err
	}
	defer a.Close()
	warnCalibration(o, a, options)
	switch {
	case c.Stdin:
		return c.answerLines(ctx, os.Stdin, o.Stdout, a, options)
	case c.All:
		return c.likeliest(ctx, o, a, options)
	case c.Queries != "":
		return c.answerAll(ctx, o, a, queries, options)
	}
	q := completion.Query{Head: c.Head, Relation: c.Relation, Tail: c.Tail}
	predictions, err := a.Predict(ctx, []completion.Query{q}, options)
	if err == nil {
		err = predictions[0].Err
	}
	if err != nil && g != nil && c.isNew(p.Models()[0], g) {
		err = fmt.Errorf("%w; %s has facts of it, from which --fold-in learns it", err, g.Name)
	}
	if err == nil {
		err = c.explain(ctx, a, predictions)
	}
	if err != nil {
		return err
	}
	found := predictions[0]
	if found.Kind == completion.KindAll && !c.Any && g != nil {
		o.Message("autoblm: no fact has the relation %s, so all entities are compared",
			format.Escape(q.Relation))
	}
	if len(found.Answers) == 0 {
		o.Message("autoblm: no answer is left: %s", c.whyNone())
	}
	if c.Format != "text" {
		return c.writeRows(o, func(write func(rows []row) error) error {
			return write(rowsOf(found))
		})
	}
	return o.Result(found, func(w io.Writer) {
		printQuestion(w, q.Head, q.Relation, q.Tail)
		printAnswers(w, found.Answers)
		if v := found.Answers; len(v) == 1 && v[0].Verdict != nil {
			fmt.Fprintf(w, "\nThe model classifies this triple as %t (expecting as many false triples as true ones).\n", *v[0].Verdict)
		}
		printReasons(w, rowsOf(found), func(r row) string {
			switch {
			case q.Head == "":
				return r.Head
			case q.Relation == "":
				return r.Relation
			default:
				return r.Tail
			}
		})
	})
}

// whyNone says why a query has no answers.
func (c *predictCommand) whyNone() string {
	if c.Relation == "" {
		return "all relations of these entities are known"
	}
	return c.whyNoEntity()
}

// whyNoEntity says why no entity is an answer.
func (f predictFlags) whyNoEntity() string {
	switch {
	case f.Among != "":
		return "all entities in " + f.Among + " are known"
	case f.Any:
		return "all entities are known"
	}
	return "the data have no other entity at that end of the relation; --any compares entities of any kind"
}

// isNew reports whether a model lacks a given entity of the training triples.
func (c *predictCommand) isNew(m *kge.Model, g *datasets.Graph) bool {
	for _, label := range []string{c.Head, c.Tail} {
		id := int32(slices.Index(g.Entities, label))
		if id < 0 || slices.Contains(m.EntityLabels, label) {
			continue
		}
		if slices.ContainsFunc(g.Train, func(t datasets.Triple) bool { return t.Head == id || t.Tail == id }) {
			return true
		}
	}
	return false
}

// foldIn returns a predictor that also has the labels of g that a model lacks. It trains them with
// the native engine, if that trains the model.
func (c *predictCommand) foldIn(
	ctx context.Context, o *output, p completion.Predictor, g *datasets.Graph,
) (completion.Predictor, error) {
	compute := autoblm.Compute{Threads: c.Threads, Note: note}.ForFoldIn(p.Models())
	compute.Engine = cmp.Or(compute.Engine, kge.NativeEngine)
	engine, err := compute.Open()
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	return foldIn(ctx, o, engine, p, g)
}

// maxLabel is the largest length of a label in bytes.
const maxLabel = 1 << 20

// options returns the options of the answers.
func (f predictFlags) options() (o completion.PredictOptions, err error) {
	o = completion.PredictOptions{Known: f.Known, Top: f.Top, AnyKind: f.Any, Shares: true}
	if f.Among == "" {
		return o, nil
	}
	if o.Among, err = labelsIn(f.Among); err != nil {
		return o, fmt.Errorf("--among: %w", err)
	}
	return o, nil
}

// labelsIn returns the labels in a file, one per line.
func labelsIn(path string) (all []string, err error) {
	err = eachLabel(path, func(_ int, label string) { all = append(all, label) })
	return all, err
}

// eachLabel visits the labels in a file with the numbers of their lines.
func eachLabel(path string, visit func(line int, label string)) error {
	file, err := inputfile.OpenDecompressed(path)
	if err != nil {
		return err
	}
	text, line, isEmpty := textfile.File{Path: path, Source: file}, 0, true
	for label := range text.Lines(maxLabel) {
		if line++; len(label) > 0 {
			visit(line, string(label))
			isEmpty = false
		}
	}
	if text.Err == nil && isEmpty {
		return fmt.Errorf("%s is empty: write one label per line", path)
	}
	return text.Err
}

// printQuestion prints a query with ? for a missing part.
func printQuestion(w io.Writer, head, relation, tail string) {
	fmt.Fprintf(w, "(%s, %s, %s)\n\n", format.Escape(cmp.Or(head, "?")),
		format.Escape(cmp.Or(relation, "?")), format.Escape(cmp.Or(tail, "?")))
}

// printAnswers prints the answers to a query, with their probabilities, or shares without these.
func printAnswers(w io.Writer, answers []eval.Answer) {
	what, likely := "entity", ""
	for _, a := range answers {
		switch {
		case a.Probability != nil:
			likely = "probability"
		case a.Share > 0 && likely == "":
			likely = "share"
		}
		if a.Relation != "" {
			what = "relation"
		}
	}
	titles := []string{what, "rank", "score", likely, ""}
	if likely == "" {
		titles = []string{what, "rank", "score", ""}
	}
	t := table.New(titles...)
	for _, a := range answers {
		cells := []any{cmp.Or(a.Entity, a.Relation), a.Rank, fmt.Sprintf("%.3f", a.Score)}
		switch likely {
		case "probability":
			cells = append(cells, probabilityText(a.Probability))
		case "share":
			cells = append(cells, shareText(a.Share))
		}
		t.Add(append(cells, knownText(a.Known))...)
	}
	t.Print(w)
}

// shareText returns a share with two digits.
func shareText(share float64) string { return fmt.Sprintf("%.2g", share) }

// knownText returns a note for a known answer.
func knownText(k eval.Known) string {
	if k == eval.Yes {
		return "known"
	}
	return ""
}

// openAhead begins to open the data while the model is read, and returns a function that opens data.
func (c *predictCommand) openAhead() func(source string) (*datasets.Graph, error) {
	source := c.Dataset
	if source == "" {
		var described struct{ Source, Dataset string }
		file := filepath.Join(modelfolder.Find(c.Model), modelfolder.Description)
		if text, err := inputfile.Read(file); err == nil {
			_ = json.Unmarshal(text, &described) // reading the model gives the error
		}
		source = datasets.SourceFolder(cmp.Or(described.Source, described.Dataset))
	}
	if source == "" || !c.needsData() {
		return datasets.Open
	}
	opened := sync.OnceValues(func() (*datasets.Graph, error) { return datasets.Open(source) })
	go func() { _, _ = opened() }() // the function below returns the error
	return func(asked string) (*datasets.Graph, error) {
		if asked == source {
			return opened()
		}
		return datasets.Open(asked)
	}
}

// needsData reports whether answers, explanations, new labels or missing triples need the data.
func (c *predictCommand) needsData() bool {
	return c.Known != eval.KeepKnown || !c.Any || c.Explain > 0 || c.FoldIn || c.All
}

// graph opens the graph with the known answers and the kinds of entities. learn says how a model gets
// labels that it lacks.
func (c *predictCommand) graph(
	ctx context.Context, m *kge.Model, o *output, learn string,
	open func(string) (*datasets.Graph, error),
) (*datasets.Graph, error) {
	flags := c.predictFlags
	if flags.Known == eval.KeepKnown && c.needsData() {
		flags.Known = eval.MarkKnown
	}
	return knownFrom(flags, m, o, func(source string) (*datasets.Graph, error) {
		g, err := read(ctx, o, open, source)
		if err != nil {
			return nil, err
		}
		warn(o, append(g.Warnings(), g.Leakage("valid", "test")...)) // as probabilities learn from valid
		_, unknown, err := completion.AlignKnown(m, g)
		if n := unknown.Train + unknown.Valid + unknown.Test; err == nil && n > 0 && !c.FoldIn {
			o.Message("autoblm: the model lacks labels of %s of the data; %s", format.Count(n, "triple"), learn)
		}
		return g, err
	})
}

// shareLabels lets models that were just read use the labels of a graph in memory, if they are equal.
// g may be nil.
func shareLabels(models []*kge.Model, g *datasets.Graph) {
	for _, m := range models {
		if g != nil && m.HasIDs(g.Entities, g.Relations) {
			m.EntityLabels, m.RelationLabels = g.Entities, g.Relations
		}
	}
}

// knownFrom opens the data with the known answers and the kinds of entities. It returns nil if they
// are not needed, or if known answers need not be left out and the data are not found.
func knownFrom[G any](
	f predictFlags, m *kge.Model, o *output, open func(source string) (*G, error),
) (*G, error) {
	if f.Known == eval.KeepKnown && f.Any {
		return nil, nil
	}
	g, err := open(cmp.Or(f.Dataset, dataOf(m)))
	if err == nil {
		return g, nil
	}
	if isInterruption(err) {
		return nil, err
	}
	if f.Dataset == "" && f.Known != eval.DropKnown {
		o.Message("autoblm: known answers are not marked, and entities of any kind are compared: %s "+
			"(name the graph with --dataset)", format.OneLine(withHint(err)))
		return nil, nil
	}
	fix := "name the graph with --dataset"
	if f.Dataset != "" {
		fix = "leave --dataset out, or name the graph of the model"
	}
	return nil, fmt.Errorf("find the known answers: %w (%s)", err, fix)
}
