package show

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/tasks"
)

// Study shows the results in a study file: the kept model and the best baseline, the five best
// models, their ensemble if there is one, the best structures next to the baselines, and the trials.
func Study(path string) {
	contents := Must(study.Read(path))
	presentation := tasks.PresentationOf(contents.About.Identity)
	data := report.Data{Contents: *contents, Presentation: presentation}
	here.show(headlineTable(data.Headline().Rows()))
	result := contents.Result()
	here.show(modelTable(result, presentation))
	if result.Ensemble != nil {
		here.show(ensembleTable(result, presentation))
	}
	for _, picture := range report.Pictures(data) {
		switch picture.Name {
		case "structures":
			Picture(picture.Picture)
		case "search":
			showChart(picture.Picture, trialsChart(data))
		}
	}
}

func headlineTable(all []report.Row) value {
	var rows [][]string
	for _, r := range all {
		note := r.Note
		if r.Detail != "" {
			note += " (" + r.Detail + ")"
		}
		rows = append(rows, Row(r.Label, "**"+r.Name+"**", r.Score, note))
	}
	return table([]string{"", "model", "score", ""}, rows)
}

// trialsChart returns the chart of the report. Its points name the structures of the trials.
func trialsChart(d report.Data) (chart report.Chart) {
	structures := map[int]string{}
	for _, t := range d.Trials {
		if t.Structure.K() > 0 {
			structures[t.Number] = t.Structure.String()
		}
	}
	for _, section := range report.NewPage(d).Sections {
		if section.ID == "trials" && section.Parts[0].Chart != nil {
			chart = *section.Parts[0].Chart
		}
	}
	chart.Label = "trials on " + d.About.Dataset
	for _, s := range chart.Series {
		for i, p := range s.Points {
			s.Points[i].Label = structures[p.Trial]
		}
	}
	return chart
}

// Ensemble shows the members of the ensemble that a search selected, and their metrics.
func Ensemble(r *search.Result) { here.show(ensembleTable(r, task.Presentation{Metric: r.Metric})) }

// mostRows is the maximum number of models in a table.
const mostRows = 5

func modelTable(r *search.Result, p task.Presentation) value {
	var rows [][]string
	all := models(r)
	for _, m := range all[:min(len(all), mostRows)] {
		mean := m.Mean()
		rows = append(rows, Row(nameOf(mean)+m.Suffix(), shapeOf(mean), len(m.Trials),
			mean.Score, mean.TestScore))
	}
	return table(scoreHeader(p, "seeds"), rows)
}

// models returns the retrained models, or without any those of the search, best first.
func models(r *search.Result) []search.Retrained {
	if len(r.Retrained) > 0 {
		return r.Retrained
	}
	baselines := slices.DeleteFunc(slices.Clone(r.Baselines), func(b task.Trial) bool {
		return slices.ContainsFunc(r.Best, func(t task.Trial) bool { return t.Number == b.Number })
	})
	all := task.BestFirst(slices.Concat(r.Best, baselines))
	var models []search.Retrained
	for _, t := range all {
		models = append(models, search.Retrained{
			Name: t.Name, Structure: t.Structure, Trials: []task.Trial{t},
		})
	}
	return models
}

func ensembleTable(r *search.Result, p task.Presentation) value {
	if r.Ensemble == nil || !r.Ensemble.Kept {
		const none = "No ensemble is better than the best model."
		return value{markdown: none, text: none + "\n"}
	}
	var rows [][]string
	for _, t := range r.Members() {
		rows = append(rows, Row(nameOf(t), shapeOf(t), t.Recipe.Seed, t.Score, t.TestScore))
	}
	rows = append(rows, Row("**ensemble**", "", "", r.Ensemble.Score, r.Ensemble.TestScore))
	return table(scoreHeader(p, "seed"), rows)
}

func scoreHeader(p task.Presentation, seeds string) []string {
	p = p.WithDefaults()
	return []string{"model", "structure", seeds, p.Validation, p.Test}
}

// nameOf names the model of a trial and the baseline to which a structure is equivalent.
func nameOf(t task.Trial) string {
	if same := t.Equivalent(); same != "" {
		return t.ModelName() + ", is " + same
	}
	return t.ModelName()
}

// shapeOf returns the structure of a trial, or the form of a model without one.
func shapeOf(t task.Trial) any {
	if t.Structure.K() == 0 {
		return t.Form
	}
	return t.Structure
}
