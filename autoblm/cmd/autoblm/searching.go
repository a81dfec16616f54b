package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/outfile"
)

// searchRun is a search to run with its settings, for the commands search and study resume.
type searchRun struct {
	problem
	trained  task.Task // trains the trials elsewhere; nil to train them here
	settings autoblm.SearchSettings
	out      string // folder for the model and the pictures
	// config returns the content of config.yaml for settings with the choices of the plan. It is nil
	// if the file is left alone.
	config        func(search.Settings) ([]byte, error)
	resumeCommand string
}

func (s searchRun) execute(ctx context.Context, o *output) error {
	if err := outfile.MakeFolder(s.out); err != nil {
		return err
	}
	release, err := atomicfile.Hold(s.out)
	if err != nil {
		return err
	}
	defer release()
	if err := s.checkOut(); err != nil {
		return err
	}
	o.Message("study: %s", s.settings.Study)
	resumes := isFile(s.settings.Study)
	s.settings.OnPlan = func(p search.Plan) {
		what := "plan"
		if resumes {
			what = "plan for the time that is left"
		}
		if p.Tuned && p.Recipes > 0 {
			what = "plan for the rest, with the tuned recipe"
		}
		o.Message("%s: %v", what, p)
	}
	if reason := s.Task.CannotSelect(); reason != "" {
		o.Message("autoblm: %s: no structure can be selected, so the default model is trained; "+
			"hold out validation triples (autoblm dataset import)", reason)
	}
	bar := newSearchBar(o, s.settings.TrialName(), s.settings.TimeLimit > 0)
	s.settings.OnProgress = func(p search.Progress) {
		bar.SetDeadline(p.End) // that of the study, which may have used a part of the limit before
		bar.update(p)
	}
	t := s.Task
	if s.trained != nil {
		t = s.trained
	}
	popular := s.rankPopularity(ctx) // now, because later the deadline is near
	result, err := autoblm.SearchFor(ctx, t, s.settings)
	bar.Finish()
	if err != nil {
		return err
	}
	if result.Kept != nil {
		baseline, kept := popularity{}, completion.EvaluationsOf(result.Kept.Details).Test
		baseline.addRanked(popular, "test", kept)
		baseline.warn(o, "test", kept,
			"search with more --minutes or a larger --budget, or for another model")
	}
	s.settings.Settings = result.Settings
	s.settings.Training.Precision = result.Recipe.Training.Precision // resolved
	summary := s.summary(result)
	o.Saved("the study is %s", s.settings.Study)
	saved := errors.Join(s.save(o, result), s.calibrate(ctx, o, result, bar.Deadline()))
	printed := o.Result(summary, func(w io.Writer) {
		if len(result.Best) > 0 || result.Artifact != nil {
			o.Show(s.block(result))
		}
		switch {
		case !o.Verbose:
		case s.settings.Model == form.Bilinear:
			s.printStructures(w, o, result, summary)
		default:
			s.printRecipes(w, result, summary)
		}
	})
	if err := errors.Join(printed, saved); err != nil {
		return err // the study has all results
	}
	return s.failure(result)
}

// rankPopularity ranks test triples of a search for completion with the baseline.
func (s searchRun) rankPopularity(ctx context.Context) popularityRanks {
	t, completes := s.Task.(*completion.Task)
	if !completes {
		return nil
	}
	limits := completion.FinalLimits(t.Graph)
	limits.Valid = eval.None
	return rankPopularity(ctx, t.Graph, limits)
}

// checkOut returns an error if the folder has data, a model or another search, which the results
// would hide.
func (s searchRun) checkOut() error {
	inner, err := realPath(filepath.Join(s.out, studyName))
	if err != nil {
		return err
	}
	own, err := realPath(s.settings.Study)
	if err != nil || own == inner && isFile(inner) && !hasData(s.out) {
		return err
	}
	return checkFree(s.out, "the results of the search")
}

// failure returns an error if a search has no result or was interrupted.
func (s searchRun) failure(r *search.Result) error {
	what := s.settings.TrialName() + "s"
	switch {
	case r.Stopped == search.Interrupted:
		return fmt.Errorf("interrupted after %d of %d %s; resume with: %s",
			r.Trained, s.settings.Budget, what, s.resumeCommand)
	case len(r.Best) > 0 || r.Artifact != nil:
		return nil
	case r.Stopped == search.TimeLimitReached && r.Trained == 0:
		return fmt.Errorf("deadline exceeded before any trial finished: use more --minutes "+
			"for the study %s", s.settings.Study)
	}
	if reason := task.WhyLost(r.Trials); reason != "" {
		return fmt.Errorf("no %s has a result: %s", s.settings.TrialName(), reason)
	}
	return fmt.Errorf("all %d %s diverged: use a learning rate below %g, in a new study",
		r.Trained, what, s.settings.LearningRate)
}

// searchSummary is the JSON of search.
type searchSummary struct {
	study.Outcome
	K        int         `json:"k"`
	FewerK   []int       `json:"fewer_k,omitempty"` // that competed with k
	Dim      int         `json:"dim"`
	Trained  int         `json:"trained"`
	Failed   int         `json:"failed"`
	Seconds  float64     `json:"seconds"`
	Overhead float64     `json:"overhead"` // seconds of strategy, filter and predictor
	Resumed  int         `json:"resumed"`
	Stopped  search.Stop `json:"stopped"`
	Note     string      `json:"note,omitempty"`
	Study    string      `json:"study"`
	Out      string      `json:"out"`
}

func (s searchRun) summary(r *search.Result) searchSummary {
	summary := searchSummary{
		Outcome: study.OutcomeOf(s.about(), r, s.Presentation()),
		K:       s.settings.K, FewerK: s.settings.FewerK, Dim: s.settings.Training.Dim,
		Trained: r.Trained, Failed: r.Trained - r.Complete, Seconds: r.Seconds, Resumed: r.Resumed,
		Stopped: r.Stopped, Note: r.Note, Overhead: r.Overhead,
		Study: s.settings.Study, Out: s.out,
	}
	if !s.settings.HasBaselines() && s.settings.Model == form.Bilinear &&
		len(task.InStage(task.Default, r.Trials)) == 0 {
		note := summary.Note + "; without baselines, which need an even number of chunks"
		summary.Note = strings.TrimPrefix(note, "; ")
	}
	return summary
}

// printTitle prints the settings of the search.
func (s searchRun) printTitle(w io.Writer, algorithm, trials string, r *search.Result) {
	t := s.settings.Training
	fmt.Fprintf(w, "\n%s on %s: %s trained in %s, d %d%s, %s, seed %d\n", algorithm,
		s.identity.Dataset, trials, format.Seconds(r.Seconds), t.Dim, t.Precision.Suffix(),
		format.Count(t.Epochs, "epoch"), s.settings.Seed)
	if r.Stopped != search.BudgetSpent {
		fmt.Fprintln(w, strings.TrimSuffix(fmt.Sprintf("stopped by %s: %s", r.Stopped, r.Note), ": "))
	}
}

func (s searchRun) printStructures(
	w io.Writer, o *output, r *search.Result, summary searchSummary,
) {
	s.printTitle(w, s.settings.Algorithm, format.Count(r.Trained, "structure"), r)
	summary.PrintTuned(w)
	if len(r.Best)+len(r.Baselines) > 0 {
		fmt.Fprintln(w)
		summary.PrintBest(w)
	}
	if len(r.Best) == 0 && r.Artifact == nil {
		return
	}
	fmt.Fprintf(w, "\n%s\n", strings.Join(s.report(r).Verdict(), "\n"))
	summary.PrintTunedEach(w)
	summary.PrintFinals(w)
	summary.PrintRetrained(w)
	summary.PrintEnsemble(w)
	if summary.Kept["from"] == study.FromBaseline && len(r.Best) > 0 {
		fmt.Fprintf(w, "\nThe best structure found is %s\n", r.Best[0].Structure)
	}
	if best, origin := bestStructure(r, summary); best.K() > 0 {
		fmt.Fprintf(w, "\nThe structure of the best model (%s), %s\n\n%s\nf(h,r,t) = %s\n",
			origin, best, o.Drawing(best.Draw), best.Formula())
	}
	s.printExamples(w, r.Artifact)
	saved := "the pictures"
	if r.Artifact != nil {
		saved = "the best model (model) and the pictures"
	}
	fmt.Fprintf(w, "\n%s has %s (*.png, *.svg)\n", s.out, saved)
	fmt.Fprintf(w, "The study, to resume (autoblm study resume) or to read (autoblm report --study): %s\n",
		s.settings.Study)
}

// bestStructure returns the structure of the best model and where it comes from.
func bestStructure(r *search.Result, summary searchSummary) (structure.Structure, string) {
	switch best := r.Kept; {
	case best == nil:
		return r.Best[0].Structure, "found by the search"
	case best.Stage == task.EnsembleSelection:
		return r.Members()[0].Structure, "the first of the ensemble"
	default:
		origin := "found by the search"
		if summary.Kept["from"] == study.FromBaseline {
			origin = "the baseline " + structure.TitleOf(best.Name)
		}
		if best.Stage == task.Retraining {
			origin += fmt.Sprintf(", seed %d", best.Recipe.Seed)
		}
		return best.Structure, origin
	}
}

// printRecipes prints a search for the recipe of a model without a structure.
func (s searchRun) printRecipes(w io.Writer, r *search.Result, summary searchSummary) {
	s.printTitle(w, s.settings.Model.Title(structure.Structure{}), format.Count(r.Trained, "recipe"), r)
	fmt.Fprintln(w)
	summary.PrintRecipes(w)
	if mixed := task.MixedEnginesWarning(summary.Engines); mixed != "" {
		fmt.Fprintf(w, "\n%s\n", mixed)
	}
	s.printExamples(w, r.Artifact)
	fmt.Fprintf(w, "\n%s has the best model (model)\nThe study, to resume (autoblm study resume): %s\n",
		s.out, s.settings.Study)
}

// printExamples prints some answers of the best model.
func (s searchRun) printExamples(w io.Writer, a task.Artifact) {
	if a == nil {
		return
	}
	examples, err := s.Task.Examples(a)
	if err != nil || len(examples.Queries) == 0 { // the artifact may be of other data
		return
	}
	for _, each := range examples.Queries {
		fmt.Fprintf(w, "\n%s\n  %s", format.Escape(each.Question), format.Escape(each.String()))
	}
	fmt.Fprintf(w, "\n\n(%s)\n", examples.Note)
}

// report returns the report of the search without measurements on the data.
func (s searchRun) report(r *search.Result) report.Data {
	contents := study.Contents{About: s.about(), Trials: r.Trials, Rounds: r.Rounds}
	return report.Data{Presentation: s.Presentation(), Contents: contents}
}

// about returns the identity of the study.
func (s searchRun) about() study.About {
	return study.About{
		Identity: s.identity, Algorithm: s.settings.Algorithm, Settings: s.settings.Settings,
	}
}

// save writes the best model and the pictures.
func (s searchRun) save(o *output, r *search.Result) error {
	if s.config != nil {
		config, err := s.config(r.Settings)
		if err != nil {
			return err
		}
		if err := atomicfile.Write(filepath.Join(s.out, configName), config); err != nil {
			return err
		}
	}
	if r.Artifact != nil {
		if err := task.Save(filepath.Join(s.out, modelfolder.InSearch), r.Artifact); err != nil {
			return err
		}
		linkLatest(o, s.out)
	}
	if s.settings.Model != form.Bilinear { // without structures to draw
		return nil
	}
	_, err := report.SavePictures(s.out, s.report(r))
	return err
}
