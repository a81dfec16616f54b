package report

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	classifycpu "github.com/autoblm/autoblm-go/autoblm/classify/cpu"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/tasks"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/require"
)

// labelled returns a graph whose nodes point at the hub of their class and at each other.
func labelled() *rdf.Graph {
	g := &rdf.Graph{
		Name: "kinds", Nodes: []string{"<hub:0>", "<hub:1>"},
		Relations: []string{"<r:0>", "<r:1>"}, Classes: []string{"a", "b"},
	}
	for i := range int32(24) {
		g.Nodes = append(g.Nodes, fmt.Sprintf("<n:%d>", i))
		g.Triples = append(g.Triples,
			datasets.Triple{Head: i + 2, Relation: i / 3 % 2, Tail: i % 2},
			datasets.Triple{Head: i + 2, Relation: i % 2, Tail: 2 + (i*7+5)%24})
		label := rdf.Label{Node: i + 2, Class: i % 2}
		if i/2%4 < 3 {
			g.Train = append(g.Train, label)
		} else {
			g.Test = append(g.Test, label)
		}
	}
	return g
}

// queries returns a task with paths of two hops in a random graph.
func queries(t *testing.T, entities int) task.Task {
	t.Helper()
	paths := query.Paths{Hops: []int{2}, With: []int{1}, AnswerPower: 0.5}
	return &query.Task{
		Data:     enginetest.Paths(t, entities, 3, 200),
		Settings: query.TaskSettings{Paths: paths},
		Engine:   cpu.New(1),
	}
}

// classes returns the task of a graph with classes.
func classes(t *testing.T, g *rdf.Graph) task.Task {
	c := classify.Defaults(classify.BLM)
	c.Dim, c.Layers, c.Epochs = 8, 1, 12
	c.ValidateEvery, c.Folds, c.Runs = 2, 3, 2
	m := classify.DefaultMember()
	m.LearningRate, m.Dropout = 0.05, 0
	on := &classify.Task{
		Graph:    g,
		Settings: classify.TaskSettings{Convolution: c, Member: m},
		Engine:   classifycpu.New(1),
	}
	t.Cleanup(on.Close)
	return on
}

// studyOf runs a small search and reads its study.
func studyOf(t *testing.T, on task.Task, s autoblm.SearchSettings) Data {
	t.Helper()
	s.Budget, s.Candidates, s.RoundSize, s.Parents = 12, 16, 4, 4
	s.Study = filepath.Join(t.TempDir(), "study.db")
	if _, err := autoblm.SearchFor(t.Context(), on, s); err != nil {
		t.Fatal(err)
	}
	contents, err := study.Read(s.Study)
	require.NoError(t, err)
	d := Data{Contents: *contents}
	require.NoError(t, d.Measure(t.Context(), on))
	return d
}

// shared holds the data of searches for several tests.
var shared = map[string]Data{}

func ofQueries(t *testing.T) Data {
	t.Helper()
	if d, made := shared["queries"]; made {
		return d
	}
	s := autoblm.DefaultSearch()
	s.Settings = search.BasicSettings()
	s.Training = query.BasicSettings().Settings
	s.Training.Dim, s.Training.Epochs, s.Training.Batch = 8, 2, 64
	shared["queries"] = studyOf(t, queries(t, 40), s)
	return shared["queries"]
}

func ofClasses(t *testing.T) Data {
	t.Helper()
	if d, made := shared["classes"]; made {
		return d
	}
	s := autoblm.DefaultSearch()
	s.Settings = search.BasicSettings()
	shared["classes"] = studyOf(t, classes(t, labelled()), s)
	return shared["classes"]
}

// withoutData returns the data of a report if the graph is not available.
func withoutData(d Data) Data {
	d.Presentation = tasks.PresentationOf(d.About.Identity)
	d.Measures, d.NoData = nil, "the folder is gone."
	return d
}

// studiesOfTasks returns data of tasks other than completion.
func studiesOfTasks(t *testing.T) map[string]Data {
	diverged := ofClasses(t)
	diverged.Trials = slices.Clone(diverged.Trials)
	for i := range diverged.Trials {
		diverged.Trials[i].State, diverged.Trials[i].Error = task.Diverged, "training diverged"
		diverged.Trials[i].Score, diverged.Trials[i].TestScore = nil, nil
	}
	return map[string]Data{
		"queries":              ofQueries(t),
		"queries without data": withoutData(ofQueries(t)),
		"classes":              ofClasses(t),
		"classes without data": withoutData(ofClasses(t)),
		"classes, all failed":  diverged,
	}
}

// Terms that do not occur in a report of the task.
var (
	notOfQueries = regexp.MustCompile(`(?i)\btriples?\b|\bheads?\b|\btails?\b|\bsides?\b|` +
		`symmetric|relation pattern|accuracy`)
	notOfClasses = regexp.MustCompile(`(?i)MRR|H@|hits|rank(ed|ing)?\b|\bside\b|` +
		`symmetric relations|relation pattern|embeddings of (entities|relations)|validation (triples|queries)|batch`)
)

func TestPagesOfTasksUseTheirTerms(t *testing.T) {
	for name, d := range studiesOfTasks(t) {
		not, says := notOfQueries, []string{"validation MRR", "not used for selection"}
		if strings.HasPrefix(name, "classes") {
			not, says = notOfClasses, []string{"CV accuracy", "nodes"}
		}
		page := textOf(t, d)
		page = strings.ReplaceAll(page, `"rank":`, "")                     // a key of the data
		page = strings.ReplaceAll(page, "rank correlation", "correlation") // Spearman's
		page = strings.ReplaceAll(page, "whether messages go from heads to tails too", "")
		if at := not.FindStringIndex(page); at != nil {
			t.Errorf("%s: the page has %q", name, page[max(0, at[0]-60):min(len(page), at[1]+60)])
		}
		for _, words := range says {
			if !strings.Contains(page, words) {
				t.Errorf("%s: the page does not say %q", name, words)
			}
		}
		for _, p := range Pictures(d) {
			drawn, err := p.SVG()
			if err != nil || not.Match(drawn) {
				t.Errorf("%s: the picture %s has terms of another task, or %v", name, p.Name, err)
			}
		}
	}
}

// cellsOf returns the rows of the tables whose captions begin with a text, below the titles of the
// columns.
func cellsOf(p *Page, caption string) (rows [][]string) {
	for _, s := range p.Sections {
		for _, part := range s.Parts {
			if part.Table == nil || !strings.HasPrefix(part.Table.Caption, caption) {
				continue
			}
			var titles []string
			for _, c := range part.Table.Columns {
				titles = append(titles, c.Title)
			}
			rows = append(rows, titles)
			for _, row := range slices.Concat(part.Table.Rows, part.Table.Folded) {
				var cells []string
				for _, c := range row.Cells {
					cells = append(cells, c.Text)
				}
				rows = append(rows, cells)
			}
		}
	}
	return rows
}

func TestPagesShowAllTrials(t *testing.T) {
	for name, d := range studies(t) {
		var rows []TrialRow
		for _, s := range NewPage(d).Sections {
			if s.ID == "trials" {
				rows = s.Parts[len(s.Parts)-1].Trials.Rows
			}
		}
		if len(rows) != len(d.Trials) {
			t.Fatalf("%s: %d rows for %d trials", name, len(rows), len(d.Trials))
		}
		for i, trial := range d.Trials {
			row := rows[i]
			if row.Number != trial.Number || !reflect.DeepEqual(row.Valid, trial.Score) ||
				!reflect.DeepEqual(row.Test, trial.TestScore) {
				t.Errorf("%s: the row of trial %d is %+v", name, trial.Number, row)
			}
		}
	}
}

func TestMetricsOfQueriesHaveNoSides(t *testing.T) {
	d := ofQueries(t)
	rows := cellsOf(NewPage(d), "Metrics over the test queries")
	found := d.Result().Best[0]
	best := completion.EvaluationsOf(found.Details).Test.Both
	want := []string{
		"Best found", fmt.Sprint(found.Recipe.Training.Dim), format.Cell(best.MRR), format.Cell(best.Hits1), format.Cell(best.Hits3),
		format.Cell(best.Hits10), fmt.Sprintf("%.1f", best.MeanRank),
	}
	if len(rows) != 3 || !slices.Equal(rows[1], want) {
		t.Errorf("%v, want %v and a baseline", rows, want)
	}
}

// TestExamplesOfTasks checks the answers of examples against the data: answers of queries in test,
// and the classes of test nodes.
func TestExamplesOfTasks(t *testing.T) {
	paths := enginetest.Paths(t, 40, 3, 200)
	answers := map[string]bool{} // in all splits
	for _, q := range paths.Queries(query.InTest, 2) {
		for _, id := range q.Hard {
			answers[paths.Entities[q.Anchor]+paths.Entities[id]] = true
		}
	}
	g := labelled()
	classOf := map[string]string{}
	for _, l := range g.Test {
		classOf[g.Nodes[l.Node]] = g.Classes[l.Class]
	}
	for name, c := range map[string]struct {
		d         Data
		isCorrect func(question, answer string) bool
	}{
		"queries": {ofQueries(t), func(question, answer string) bool {
			anchor, _, _ := strings.Cut(strings.TrimPrefix(question, "("), ",")
			return answers[anchor+answer]
		}},
		"classes": {ofClasses(t), func(question, answer string) bool {
			return classOf[question] == answer
		}},
	} {
		examples := c.d.Measures.Examples.Queries
		if len(examples) == 0 {
			t.Fatalf("%s: no examples", name)
		}
		hits := 0
		for _, e := range examples {
			for i, a := range e.Answers {
				if a.Correct {
					hits++
				}
				if a.Correct && !c.isCorrect(e.Question, a.Name) {
					t.Errorf("%s: %s is no answer to %s", name, a.Name, e.Question)
				}
				if i < task.ShownAnswers && a.Rank != i+1 {
					t.Errorf("%s: answer %d has rank %d", name, i+1, a.Rank)
				}
			}
		}
		if hits < len(examples) {
			t.Errorf("%s: %d correct answers of %d examples", name, hits, len(examples))
		}
	}
}

// TestSamplingErrorOfTasks checks the examples of the standard error: queries and not answers, and
// none if their number is unknown.
func TestSamplingErrorOfTasks(t *testing.T) {
	for _, c := range []struct {
		d    Data
		says string
	}{
		{ofQueries(t), "The MRR over 200 validation queries is uncertain"},
		{ofClasses(t), "The accuracy over 18 nodes held out is uncertain"},
	} {
		if verdict := strings.Join(c.d.Verdict(), " "); !strings.Contains(verdict, c.says) {
			t.Errorf("the verdict is %q, want %q in it", verdict, c.says)
		}
		verdict := strings.Join(withoutData(c.d).Verdict(), " ")
		if strings.Contains(verdict, "uncertain") || strings.Contains(verdict, "standard error") {
			t.Errorf("without the data the verdict is %q", verdict)
		}
	}
}

// TestVerdictOnAccuracies checks that an accuracy of 1 on few nodes has a standard error.
func TestVerdictOnAccuracies(t *testing.T) {
	trial := func(s string, round int, valid, test float64) task.Trial {
		return task.Trial{
			Number: round + 1, Stage: task.Searching, Round: round, State: task.Complete,
			Structure: structure.MustParse(s), Score: &valid, TestScore: &test,
		}
	}
	baseline := trial("complex", 0, 0.96, 0.96)
	baseline.Name = "complex"
	found := trial(other, 1, 1, 1)
	d := Data{
		Presentation: classify.NewPresentation(classify.TaskSettings{}),
		Contents:     study.Contents{Trials: []task.Trial{baseline, found}},
	}
	d.Presentation.SamplingError.Count = examples(30)
	const want = "The best structure found beats the baselines in cross-validation and on test, " +
		"by one to two standard errors."
	if verdict := d.Verdict(); verdict[0] != want {
		t.Errorf("the verdict is %q, want %q", verdict, want)
	}
}

// examples returns a [task.SamplingError.Count] of n examples in both splits.
func examples(n int) func(json.RawMessage) (valid, test int) {
	return func(json.RawMessage) (valid, test int) { return n, n }
}

func TestMeasureRefusesOtherData(t *testing.T) {
	relabelled := labelled()
	relabelled.Train[0].Class = 1 - relabelled.Train[0].Class
	for name, c := range map[string]struct {
		d    Data
		with task.Task
	}{
		"completion": {ofSearch(t), &completion.Task{Graph: enginetest.RandomGraph(9, 2, 50, 1)}},
		"queries":    {ofQueries(t), queries(t, 30)},
		"classes":    {ofClasses(t), classes(t, relabelled)},
	} {
		if err := c.d.Measure(t.Context(), c.with); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: with other data: %v, want an error of one line", name, err)
		}
	}
}

// TestSettings checks that every setting has a value, a default and a meaning.
func TestSettings(t *testing.T) {
	for name, c := range map[string]struct {
		d     Data
		shown map[string]string
	}{
		"completion": {ofSearch(t), map[string]string{
			"training dim": "8", "tune trials": "3", "final trials": "2",
		}},
		"queries": {ofQueries(t), map[string]string{
			"training dim": "8", "hops": "2", "with": "1", "answer power": "0.5",
		}},
		"classes": {ofClasses(t), map[string]string{
			"convolution dim": "8", "convolution runs": "2", "member learning rate": "0.05",
			"training dim": "", "n3": "",
		}},
	} {
		shown := map[string]string{}
		for _, row := range cellsOf(NewPage(c.d), "The settings of the study")[1:] {
			shown[row[0]] = row[1]
			noDefault := row[2] == format.Missing && row[0] != "with"
			if !strings.HasSuffix(row[3], ".") || noDefault {
				t.Errorf("%s: %v lacks a meaning or a default", name, row)
			}
		}
		for setting, value := range c.shown {
			if shown[setting] != value {
				t.Errorf("%s: %s is shown as %q, want %q", name, setting, shown[setting], value)
			}
		}
	}
}

// settingsOf returns the rows of the table of settings by name, and the names of those that stand out.
func settingsOf(d Data) (rows map[string][]string, marked []string) {
	rows = map[string][]string{}
	table := newAnalysis(d).settings()[0].Table
	for _, r := range table.Rows {
		var cells []string
		for _, c := range r.Cells {
			cells = append(cells, c.Text)
		}
		if rows[cells[0]] = cells; r.Chosen {
			marked = append(marked, cells[0])
		}
	}
	return rows, marked
}

// TestSettingsOfTimedSearch: the settings that a plan has chosen do not stand out, and given ones do.
func TestSettingsOfTimedSearch(t *testing.T) {
	s := search.TimedSettings()
	s.TimeLimit, s.N3 = 2*time.Minute, 0.5
	s.Planned.Epochs, s.Training.Epochs = false, 7
	plan := &search.Plan{
		Limit: s.TimeLimit, Dim: 64, Epochs: 7, Structures: 108, Halving: 1, Recipes: 13, Each: 4,
		RetrainPlan: search.RetrainPlan{
			Found: 1, Baselines: 1, Seeds: 2, Dims: []int{512}, RetrainEpochs: 7, RetrainSteps: 9,
		},
	}
	d := Data{Presentation: completion.NewPresentation(), Contents: study.Contents{Plan: plan}}
	d.Asked.Settings, d.About.Settings = s, plan.Apply(s)
	d.About.Algorithm = "random"
	rows, marked := settingsOf(d)
	if want := []string{"algorithm", "time limit", "training epochs", "n3"}; !slices.Equal(marked, want) {
		t.Errorf("%q stand out, want %q", marked, want)
	}
	if got := rows["time limit"][1]; got != "2 min 0 s" {
		t.Errorf("the time limit is %q", got)
	}
	for _, row := range rows {
		if !strings.HasSuffix(row[3], ".") || row[2] == format.Missing {
			t.Errorf("%q lacks a meaning or a default", row)
		}
	}
}

// TestSettingsThatAreOff: what a search leaves out of the default is a row.
func TestSettingsThatAreOff(t *testing.T) {
	d := Data{Presentation: completion.NewPresentation()}
	d.About.Settings = search.DefaultSettings()
	d.About.Settings.Halving, d.About.Settings.Tune, d.About.Settings.RetrainDims = 0, nil, nil
	rows, _ := settingsOf(d)
	for name, want := range map[string][]string{
		"halving": {"0", "2"}, "tune": {"none", "20"}, "retrain dims": {"none", "256, 512"},
	} {
		if row := rows[name]; len(row) < 3 || !slices.Equal(row[1:3], want) {
			t.Errorf("%s: the row is %q, want %q", name, row, want)
		}
	}
}

// TestTunedSettings: the page says which value the tuned recipe has.
func TestTunedSettings(t *testing.T) {
	d := ofSearch(t)
	rate := fmt.Sprint(newAnalysis(d).recipe.LearningRate)
	if rows, _ := settingsOf(d); !strings.HasSuffix(rows["learning rate"][3], "; the tuned recipe has "+rate+".") {
		t.Errorf("%q", rows["learning rate"])
	}
	d = Data{Presentation: completion.NewPresentation()}
	d.About.Settings = search.DefaultSettings()
	found := trialsWith([]float64{.5})[0]
	found.Recipe = d.About.Settings.TrialRecipe()
	found.Recipe.Training.Dropout = 0.2
	d.Trials = []task.Trial{found}
	if rows, _ := settingsOf(d); len(rows["training dropout"]) < 4 ||
		!strings.HasSuffix(rows["training dropout"][3], "; the tuned recipe has 0.2.") {
		t.Errorf("%q", rows["training dropout"])
	}
}

func TestStructuresOfEncodersAreMessages(t *testing.T) {
	page := textOf(t, ofClasses(t))
	if !strings.Contains(page, "h₁\u00a0←") || strings.Contains(page, "⟨h") {
		t.Error("the structures of encoders are shown as scores")
	}
}

// TestDefaultPresentation reports on a task with hardly any presentation.
func TestDefaultPresentation(t *testing.T) {
	for metric, says := range map[string][]string{
		"F1": {
			"The F1 over 50 validation examples is uncertain",
			`"valid":"valid F1"`,
			"Validation F1 of the trials",
			"The search selects by validation F1",
		},
		"": {
			"The score over 50 validation examples is uncertain",
			`"test":"test score"`,
			"Training and testing the structures",
		},
	} {
		d := ofSearch(t)
		d.Measures = nil
		d.Presentation = task.Presentation{Metric: metric}
		d.Presentation.SamplingError.Count = examples(50)
		body := textOf(t, d)
		if other := regexp.MustCompile(`MRR|H@|triples?\b`).FindString(body); other != "" {
			t.Errorf("%q: the page has %q of another task", metric, other)
		}
		for _, words := range says {
			if !strings.Contains(body, words) {
				t.Errorf("%q: the page does not say %q", metric, words)
			}
		}
	}
}
