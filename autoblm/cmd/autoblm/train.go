package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
	"github.com/autoblm/autoblm-go/internal/table"
)

type trainCommand struct {
	Dataset string `required:"" placeholder:"NAME|DIR" brief:"A name of dataset list, or a folder." help:"A name of dataset list, or a folder."`
	modelFlags
	trainingFlags `group:"Training (without --recipe: n3 0.02 up to 250 entities; --model: basic)"`
	Members       int  `default:"1" min:"1" max:"1024" brief:"Train so many models, with seeds from --seed on." help:"Train so many models together, with seeds from --seed on."`
	KeepMembers   bool `help:"Keep the model of every member, in folders within that of the first model, as seed-1, for autoblm ensemble."`
	NoEval        bool `help:"Do not rank at the end."`
	minutesFlag
	keepFlags
	computeFlags
}

// BeforeApply puts a recipe with its model below what is given.
func (c *trainCommand) BeforeApply(ctx *kong.Context) error {
	r, err := c.useRecipe(ctx)
	if f, is := flags.Given[form.Form](ctx, "model"); !is || f == form.Bilinear {
		c.Structure.Structure = r.Structure
	}
	if !flags.Is(ctx, "structure") {
		c.Model = r.Form
	}
	return err
}

// trainSummary is the JSON of train.
type trainSummary struct {
	trainedSummary
	Recipe    string                 `json:"recipe"`
	Model     form.Form              `json:"model,omitzero"` // left out where it is bilinear
	Structure *structure.Structure   `json:"structure"`
	K         int                    `json:"k"`
	Engine    string                 `json:"engine"`
	Backend   string                 `json:"backend"`
	Valid     *completion.Evaluation `json:"valid"`
	Test      *completion.Evaluation `json:"test"`
	Members   []memberSummary        `json:"members,omitempty"`
}

type memberSummary struct {
	Seed  uint64                 `json:"seed"`
	Loss  []float64              `json:"loss"`
	Valid *completion.Evaluation `json:"valid"`
	Test  *completion.Evaluation `json:"test"`
	Error string                 `json:"error,omitempty"`
	Out   string                 `json:"out,omitempty"`
}

// Run trains.
func (c *trainCommand) Run(ctx context.Context, o *output) error {
	began := time.Now()
	if _, err := c.members(); err != nil { // before data are read
		return err
	}
	if c.Model == form.Bilinear && c.Structure.Degenerate() {
		o.Message("autoblm: the structure is degenerate: autoblm structure check says how")
	}
	g, err := read(ctx, o, datasets.Open, c.Dataset)
	if err != nil {
		return err
	}
	warn(o, g.Warnings("valid", "test"))
	if err := c.settle(g, c.Model); err != nil {
		return err
	}
	members, err := c.members()
	if err != nil {
		return err
	}
	engine, err := c.open(c.Model)
	if err != nil {
		return err
	}
	defer engine.Close()
	if c.KeepMembers {
		if err := makeFolders(c.dir("train", g.Name), members); err != nil {
			return err
		}
	}
	job := kge.Job{Data: completion.Data(g), Settings: c.Settings, Members: members, Deadline: c.deadline(began, c.ranked(g))}
	report, kept, err := trainModels(ctx, o, engine, job, "train", c.keepFlags)
	if err != nil {
		return err
	}
	first := report.Results[0]
	if c.Out = ""; first.Err == nil {
		if err := kept.save(first.Model); err != nil {
			return err
		}
		c.Out = kept.folder
	}
	if c.KeepMembers {
		if err := kept.saveMembers(report); err != nil {
			return err
		}
	}
	evaluations := make([]completion.Evaluations, c.Members)
	if !c.NoEval {
		if evaluations, err = evaluate(ctx, o, engine, g, report, job.Deadline); err != nil {
			return kept.unranked(err)
		}
	}
	if first.Err == nil || c.Members > 1 {
		summary := c.summary(g, engine, report, evaluations, kept.folder)
		if err := o.Result(summary, summary.print); err != nil {
			return err
		}
	}
	return errors.Join(first.Err, kept.done())
}

// ranked is how many triples are in the end.
func (c *trainCommand) ranked(g *datasets.Graph) int {
	if c.NoEval {
		return 0
	}
	return len(g.Valid) + len(g.Test)
}

// members are what is to be trained, by what is said so far.
func (c *trainCommand) members() (members []kge.Member, err error) {
	for i := range c.Members {
		m := kge.Member(c.Member)
		m.Seed += uint64(i)
		if err := c.choose(&m); err != nil {
			return nil, cli.Usage(err)
		}
		if err := c.Settings.ValidateFor(m); err != nil {
			return nil, cli.Usage(err)
		}
		members = append(members, m)
	}
	return members, nil
}

// memberFolder is the folder of a member within that of the first one's model.
func memberFolder(dir string, m kge.Member) string {
	return filepath.Join(dir, fmt.Sprintf("seed-%d", m.Seed))
}

// makeFolders makes those of members, since what cannot be written is better known before a
// training.
func makeFolders(dir string, members []kge.Member) error {
	if err := modelfolder.Prepare(dir); err != nil {
		return err
	}
	for _, m := range members {
		if err := modelfolder.Prepare(memberFolder(dir, m)); err != nil {
			return err
		}
	}
	return nil
}

// saveMembers saves the models of those members that did not diverge.
func (k keeping) saveMembers(report *kge.Report) error {
	kept := 0
	for _, r := range report.Results {
		folder := memberFolder(k.folder, r.Member)
		if r.Err != nil {
			_ = os.Remove(folder) // which is empty, or of another training
			continue
		}
		if err := r.Model.Save(folder); err != nil {
			return err
		}
		kept++
	}
	if kept == 0 {
		return nil
	}
	k.o.Saved("those of all members are in %s", filepath.Join(k.folder, "seed-*"))
	return nil
}

// evaluate ranks valid and test, where they have triples, by the members that
// did not diverge, and adds the time to the report.
func evaluate(ctx context.Context, o *output, engine kge.Engine, g *datasets.Graph, report *kge.Report, d *kge.Deadline) ([]completion.Evaluations, error) {
	defer report.Timing.MeasureEvaluation(engine)()
	models := make([]*kge.Model, len(report.Results))
	for i, r := range report.Results {
		models[i] = r.Model
	}
	how, over := ranking(o, d)
	defer over()
	return completion.EvaluateWith(ctx, engine, models, g, how)
}

func (c *trainCommand) summary(g *datasets.Graph, engine kge.Engine, report *kge.Report, evaluations []completion.Evaluations, folder string) trainSummary {
	s := trainSummary{
		trainedSummary: summarizeTraining(g.Name, c.Settings.Dim, report, c.Out), Recipe: c.Recipe, Model: c.Model, Structure: structureOf(c.Model, c.Structure.Structure), K: c.Structure.K(),
		Engine: engine.Name(), Backend: engine.Backend(report.Precision), Valid: evaluations[0].Valid, Test: evaluations[0].Test,
	}
	if c.Members == 1 {
		return s
	}
	for i, r := range report.Results {
		m := memberSummary{Seed: r.Member.Seed, Loss: orEmpty(r.Loss)}
		if r.Err != nil {
			m.Error = r.Err.Error()
		} else {
			m.Valid, m.Test = evaluations[i].Valid, evaluations[i].Test
			if c.KeepMembers {
				m.Out = memberFolder(folder, r.Member)
			}
		}
		s.Members = append(s.Members, m)
	}
	return s
}

func (s trainSummary) print(w io.Writer) {
	t := completion.NewTable()
	s.Valid.AddTo(t, "valid", false)
	s.Test.AddTo(t, "test", true)
	s.trainedSummary.print(w, titleOf(s.Model, s.Structure), t)
	if len(s.Members) > 0 {
		fmt.Fprintln(w)
		t = table.New("seed", "loss", "valid MRR", "test MRR")
		for _, m := range s.Members {
			loss := last(m.Loss)
			if m.Error != "" {
				loss = "diverged"
			}
			valid, test := completion.Evaluations{Valid: m.Valid, Test: m.Test}.Scores()
			t.Add(m.Seed, loss, valid, test)
		}
		t.Print(w)
	}
	if s.Out != "" {
		fmt.Fprintf(w, "\nThe model is in %s\n", s.Out)
	}
	for _, m := range s.Members {
		if m.Out != "" {
			fmt.Fprintf(w, "Those of all members are in %s\n", filepath.Join(filepath.Dir(m.Out), "seed-*"))
			break
		}
	}
}
