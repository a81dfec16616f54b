package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// completionTaskName is what the command line calls the task without a name.
const completionTaskName = "completion"

// taskFlags are for tasks other than completion.
type taskFlags struct {
	Paths       query.Paths      `embed:"" group:"For --task query"`
	Convolution convolutionFlags `embed:"" group:"For --task classify"`
}

// convolutionFlags are settings of which there is a choice that other tasks do not have.
type convolutionFlags struct {
	Encoder, Dim, Epochs, Parts struct{} `kong:"-"`

	Settings classifyFlags `embed:""`
}

// usualTasks have the defaults.
func usualTasks() taskFlags {
	return taskFlags{Paths: query.DefaultSettings().Paths, Convolution: convolutionFlags{Settings: classifyFlags(classify.Defaults(classify.BLM))}}
}

// usualFor are the settings of a search with what is usual for a task.
func usualFor(task string, s search.Settings) search.Settings {
	switch task {
	case autoblm.QueryTaskName:
		usual := query.DefaultSettings()
		s.Training.Batch, s.Training.Reciprocal, s.N3 = usual.Batch, usual.Reciprocal, 0
	case autoblm.ClassTaskName:
		usual, m := classify.Defaults(classify.BLM), classify.DefaultMember()
		s.Training.Dim, s.Training.Epochs, s.Training.Dropout = usual.Dim, usual.Epochs, m.Dropout
		s.LearningRate, s.L2, s.N3 = m.LearningRate, m.L2, 0
	}
	return s
}

// classSettings are what the flags say of a search for classes; what all tasks have
// is in settings of completion.
func (f taskFlags) classSettings(of search.Settings) autoblm.ClassSettings {
	own := autoblm.ClassSettings{Convolution: classify.Settings(f.Convolution.Settings), Member: classify.DefaultMember()}
	own.Convolution.Dim, own.Convolution.Epochs = of.Training.Dim, of.Training.Epochs
	own.Member.Seed = 0
	own.Member.LearningRate, own.Member.Dropout, own.Member.L2 = of.LearningRate, of.Training.Dropout, of.L2
	return own
}

// take is the other way, from what a study keeps.
func (f *taskFlags) take(about study.About) (err error) {
	switch about.Task {
	case autoblm.QueryTaskName:
		err = json.Unmarshal(about.TaskSettings, &f.Paths)
	case autoblm.ClassTaskName:
		own := autoblm.ClassSettings{}
		err = json.Unmarshal(about.TaskSettings, &own)
		f.Convolution.Settings = classifyFlags(own.Convolution)
	}
	return err
}

// sameTask says whether the settings that only the task has are those of a study.
func (c *searchCommand) sameTask(about study.About) bool {
	var own any = c.Paths
	switch about.Task {
	case "":
		return true
	case autoblm.ClassTaskName:
		own = c.classSettings(search.Settings(c.Settings))
	}
	text, err := json.Marshal(own)
	if err != nil {
		return false
	}
	differ, err := settings.Difference(about.TaskSettings, text)
	return err == nil && differ == ""
}

// problem is what structures are searched for, on some data.
type problem struct {
	dataset string
	// graph is that of completion; for other tasks it is nil and there is a task.
	graph *datasets.Graph
	task  study.Described
	about study.About // of a task: its name and settings
	// sizes tells a report of a task how large the data are.
	sizes func(d *report.Data) error
	close func()
}

func completionProblem(g *datasets.Graph) problem {
	return problem{dataset: g.Name, graph: g, close: func() {}}
}

// newProblem opens the data of a task.
func newProblem(ctx context.Context, o *output, task, dataset string, of autoblm.QuerySettings, classes autoblm.ClassSettings, compute autoblm.Compute) (problem, error) {
	switch task {
	case autoblm.QueryTaskName:
		return queryProblem(ctx, o, dataset, of, compute)
	case autoblm.ClassTaskName:
		return classProblem(dataset, classes, compute)
	}
	g, err := datasets.Open(dataset)
	if err != nil {
		return problem{}, err
	}
	return completionProblem(g), nil
}

func queryProblem(ctx context.Context, o *output, dataset string, own autoblm.QuerySettings, compute autoblm.Compute) (problem, error) {
	if compute.Engine != "auto" && compute.Engine != "cpu" {
		return problem{}, usage(fmt.Errorf("queries are trained on the engine cpu only, not on %q", compute.Engine))
	}
	d, err := openQueries(ctx, o, dataset, append(own.Hops[:len(own.Hops):len(own.Hops)], own.With...)...)
	if err != nil {
		return problem{}, err
	}
	task := autoblm.ForQueries(d, own, compute.Threads)
	about, err := task.About()
	return problem{
		dataset: d.Name, task: task, about: about, close: func() {}, sizes: func(r *report.Data) error { return r.MeasureQueries(d) },
	}, err
}

func classProblem(dataset string, own autoblm.ClassSettings, compute autoblm.Compute) (problem, error) {
	on, err := classBackend(compute)
	if err != nil {
		return problem{}, usage(err)
	}
	g, err := rdf.Open(dataset, rdf.Options{})
	if err != nil {
		return problem{}, err
	}
	task := autoblm.ForClasses(g, own.Convolution, own.Member, classify.Options{Backend: on})
	about, err := task.About()
	return problem{
		dataset: g.Name, task: task, about: about, close: task.Close, sizes: func(r *report.Data) error { return r.MeasureClasses(g) },
	}, err
}

// classBackend is what GoMLX runs on, "" for the native arithmetic.
func classBackend(compute autoblm.Compute) (string, error) {
	switch compute.Engine {
	case "cpu":
		if compute.Backend != "" && compute.Backend != backend.Auto {
			return "", fmt.Errorf("the engine cpu has no backend %q: leave --backend at auto, or use the engine gomlx", compute.Backend)
		}
		return "", nil
	case "gomlx":
		choice, err := backend.Choose(compute.Backend)
		return cmp.Or(choice.Backend, backend.Go), err
	}
	choice, err := backend.Choose(compute.Backend)
	return choice.Backend, err
}

// openQueries opens data and draws the queries that are missing, which it says.
func openQueries(ctx context.Context, o *output, dataset string, hops ...int) (*query.Data, error) {
	d, err := query.Open(dataset, hops...)
	if err != nil {
		return nil, err
	}
	drawn, err := d.Complete(ctx, hops...)
	if err != nil {
		return nil, err
	}
	for _, each := range drawn {
		o.say("autoblm: %s has no %v queries of %s, so %s were drawn (see autoblm query sample)", d.Name, each.Split, plural(each.Hops, "hop"), count(each.Queries))
	}
	return d, nil
}

// search searches.
func (p problem) search(ctx context.Context, settings autoblm.SearchSettings) (*search.Result, error) {
	if p.task != nil {
		return autoblm.SearchFor(ctx, p.task, settings)
	}
	return autoblm.Search(ctx, p.graph, settings)
}

// saveModel writes the best model of a study as a folder, of the kind that its task
// has.
func saveModel(about study.About, m *completion.Model, dir string) error {
	if about.Task != autoblm.QueryTaskName {
		return m.Save(dir)
	}
	var own autoblm.QuerySettings
	if err := json.Unmarshal(about.TaskSettings, &own); err != nil {
		return fmt.Errorf("cannot read the settings of the study: %w", err)
	}
	q := query.Model{
		Parameters: query.Parameters{Kind: query.Bilinear, Parameters: m.Parameters},
		Dataset:    m.Dataset, Source: m.Source, EntityLabels: m.EntityLabels, RelationLabels: m.RelationLabels,
	}
	if m.Training != nil {
		q.Training = &query.Training{
			Settings: query.Settings{Settings: m.Training.Settings, Paths: own},
			Member:   query.Member{Kind: query.Bilinear, Member: m.Training.Member},
		}
	}
	return q.Save(dir)
}

// problemOf opens the data of a study again, and checks that they are the same.
func (c *studyResumeCommand) problemOf(ctx context.Context, o *output, about study.About, compute autoblm.Compute) (problem, error) {
	if about.Task == "" {
		g, err := c.graph(about)
		if err != nil {
			return problem{}, err
		}
		return completionProblem(g), nil
	}
	source, err := c.source(about)
	if err != nil {
		return problem{}, err
	}
	var of autoblm.QuerySettings
	var classes autoblm.ClassSettings
	switch about.Task {
	case autoblm.QueryTaskName:
		err = json.Unmarshal(about.TaskSettings, &of)
	case autoblm.ClassTaskName:
		err = json.Unmarshal(about.TaskSettings, &classes)
	default:
		return problem{}, fmt.Errorf("the study %s is for the task %q, which this program does not know: use the one that made it", c.File, about.Task)
	}
	if err != nil {
		return problem{}, fmt.Errorf("the study %s has settings that cannot be read: %w", c.File, err)
	}
	p, err := newProblem(ctx, o, about.Task, source, of, classes, compute)
	if err != nil {
		return problem{}, notAtHand(err)
	}
	if p.about.Fingerprint != about.Fingerprint {
		p.close()
		return problem{}, otherData(source, c.File)
	}
	return p, nil
}
