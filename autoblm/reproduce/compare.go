package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/settings"
	"github.com/autoblm/autoblm-go/internal/table"
)

// Benchmarks are the graphs of the paper's table of link prediction that are compared in any
// case.
var Benchmarks = []string{"wn18rr", "fb15k-237", "wn18", "fb15k"}

// Repeats are final trainings that differ in their seeds alone.
type Repeats struct {
	// Name is that of their files, without the seed.
	Name      string
	Documents []Document
}

var seedOfFile = regexp.MustCompile(`-\d+\.json$`)

// ReadRepeats reads result files that are called NAME-SEED.json, and puts those of a name
// together.
func ReadRepeats(files ...string) ([]Repeats, error) {
	var all []Repeats
	for _, file := range files {
		d, err := record.Read[Result](file)
		if err != nil {
			return nil, err
		}
		if f := d.Result.Final; f == nil || f.Test == nil || d.Threads() == 0 {
			return nil, fmt.Errorf("%s has no final training that was ranked, or does not say by how many threads: copy the result.json of one that has ended", file)
		}
		name := seedOfFile.ReplaceAllString(filepath.Base(file), "")
		i := slices.IndexFunc(all, func(r Repeats) bool { return r.Name == name })
		if i < 0 {
			all = append(all, Repeats{name, []Document{d}})
			continue
		}
		first := all[i].first()
		if first.Dataset != d.Result.Dataset || unseeded(first.Final) != unseeded(d.Result.Final) {
			return nil, fmt.Errorf("%s differs from %s-%d.json by more than its seed: give it another name", file, name, first.Seed)
		}
		all[i].Documents = append(all[i].Documents, d)
	}
	return all, nil
}

// trained are the settings of a training, which can be compared.
type trained struct {
	settings kge.Settings
	member   kge.Member
}

// unseeded is how something was trained, but for what does not change what is learnt, and the
// seed.
func unseeded(t *Trained) trained {
	how := trained{t.Training.Settings, t.Training.Member}
	how.settings.ValidateEvery, how.member.Seed = 0, 0
	return how
}

func (r Repeats) first() Result { return r.Documents[0].Result }

// each is a number of each training.
func (r Repeats) each(of func(*Trained) float64) []float64 {
	all := make([]float64, len(r.Documents))
	for i, d := range r.Documents {
		all[i] = of(d.Result.Final)
	}
	return all
}

// Mean is that of a number of each training, over the seeds.
func (r Repeats) Mean(of func(*Trained) float64) float64 { return stat.Mean(r.each(of), nil) }

// spread is the mean of a number, with the standard deviation where there are several.
func (r Repeats) spread(of func(*Trained) float64) string {
	mean := fmt.Sprintf("%.3f", r.Mean(of))
	if len(r.Documents) == 1 {
		return mean
	}
	return fmt.Sprintf("%s ± %.3f", mean, stat.StdDev(r.each(of), nil))
}

func testMRR(t *Trained) float64 { return t.Test.Both.MRR }

// title is the model and its recipe.
func (r Repeats) title() string { return titled(r.first().Final.Title(), r.first().Final.Recipe) }

func titled(model, recipe string) string {
	if recipe == "" {
		return model
	}
	return model + ", " + recipe
}

// seeds says by which it was trained.
func (r Repeats) seeds() string {
	if len(r.Documents) == 1 {
		return fmt.Sprintf("seed %d", r.first().Seed)
	}
	return format.Count(len(r.Documents), "seed")
}

// rate is the learning rate, and how it falls with the epochs.
func (r Repeats) rate() string {
	t := r.first().Final.Training
	rate := fmt.Sprint(t.Member.LearningRate)
	if t.Settings.Decay != 1 {
		rate += fmt.Sprintf(", decay %v", t.Settings.Decay)
	}
	if t.Settings.Cooldown != 0 {
		rate += fmt.Sprintf(", cooldown %s", format.Int(t.Settings.Cooldown))
	}
	return rate
}

// weights are those of the penalties.
func (r Repeats) weights() any {
	if set := settings.Set(r.first().Final.Training.Member.Weights); set != "" {
		return set
	}
	return nil
}

// epochs are those that were trained, of how many.
func (r Repeats) epochs() string {
	asked := r.first().Final.Training.Settings.Epochs
	least, most := asked, 0
	for _, d := range r.Documents {
		least, most = min(least, d.Result.Final.Epochs), max(most, d.Result.Final.Epochs)
	}
	switch {
	case least == asked:
		return format.Int(asked)
	case least == most:
		return fmt.Sprintf("%s of %s", format.Int(least), format.Int(asked))
	}
	return fmt.Sprintf("%s to %s of %s", format.Int(least), format.Int(most), format.Int(asked))
}

// graphs are those to compare on, in order.
func graphs(all []Repeats) []string {
	graphs := slices.Clone(Benchmarks)
	for _, r := range all {
		if graph := r.first().Dataset; !slices.Contains(graphs, graph) {
			graphs = append(graphs, graph)
		}
	}
	return graphs
}

// on are those on a graph, the best last.
func on(graph string, all []Repeats) []Repeats {
	here := slices.DeleteFunc(slices.Clone(all), func(r Repeats) bool { return r.first().Dataset != graph })
	slices.SortStableFunc(here, func(a, b Repeats) int { return cmp.Compare(a.Mean(testMRR), b.Mean(testMRR)) })
	return here
}

// Compare is a table of what the paper reports of each benchmark, what others report, the best
// and that of the recipes that were trained by, and what the trainings came to.
func Compare(all []Repeats) *table.Table {
	t := table.New("graph", "model, recipe", "by", "d", "batch", "rate", "weights", "softmax over", "epochs", "test MRR", "H@1", "H@10", "an epoch takes")
	for _, graph := range graphs(all) {
		here := on(graph, all)
		best := false // is told
		for _, r := range recipe.ReportedOn(graph) {
			reproduced := slices.ContainsFunc(here, func(h Repeats) bool { return r.Recipe != "" && h.first().Final.Recipe == r.Recipe })
			if !r.Paper && best && !reproduced {
				continue
			}
			by := "published"
			switch {
			case r.Paper:
				by = "the paper"
			case r.Claimed:
				by = "claimed"
			default:
				best = true
			}
			model, over := titled(r.Model, r.Recipe), any(nil)
			if r.Paper || r.Recipe != "" {
				over = softmax(kge.Settings{})
			}
			if r.Paper {
				model = r.Model
			}
			t.Add(graph, model, by, known(r.Dim), known(r.Batch), nil, nil, over, known(r.Epochs), known(r.MRR), known(r.Hits1), known(r.Hits10), epoch(r.EpochSeconds, r.GPU))
		}
		for _, r := range here {
			s := r.first().Final.Training.Settings
			t.Add(graph, r.title(), "here, "+r.seeds(), s.Dim, s.Batch, r.rate(), r.weights(), softmax(s), r.epochs(), r.spread(testMRR),
				r.Mean(func(t *Trained) float64 { return t.Test.Both.Hits1 }), r.Mean(func(t *Trained) float64 { return t.Test.Both.Hits10 }),
				epoch(r.Mean(func(t *Trained) float64 { return t.Seconds.Train / float64(t.Epochs) }), format.Count(r.Documents[0].Threads(), "thread")))
		}
		if len(here) == 0 {
			t.Add(graph, "not run yet", "here", nil, nil, nil, nil, nil, nil, nil, nil, nil, nil)
		}
	}
	return t
}

// softmax is how many entities answers are learnt among, how many of them are moved, and how
// many answers of a question are learnt together.
func softmax(s kge.Settings) string {
	how := among(s)
	if s.SparseGradients > 0 {
		how += fmt.Sprintf(", %s moved", format.Int(s.SparseGradients))
	}
	if s.AnswersPerQuery > 0 {
		how += fmt.Sprintf(", %d together", s.AnswersPerQuery)
	}
	return how
}

// among is how many entities answers are learnt among.
func among(s kge.Settings) string {
	if s.SampledSoftmax == 0 {
		return "all"
	}
	return format.Int(s.SampledSoftmax)
}

// known is a number, or nil for one that is not known.
func known[N int | float64](x N) any {
	if x == 0 {
		return nil
	}
	return x
}

// epoch is how long one takes, where that is known.
func epoch(seconds float64, on string) any {
	if seconds == 0 {
		return nil
	}
	return fmt.Sprintf("%.1f s, %s", seconds, on)
}

// told are the epochs of a table of learning curves, of those that were validated.
var told = []int{5, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 500}

// Curves is a table of the validation MRR by epoch.
func Curves(all []Repeats) *table.Table {
	validated := func(epoch int) bool {
		return slices.ContainsFunc(all, func(r Repeats) bool { _, has := r.at(epoch); return has })
	}
	shown := slices.DeleteFunc(slices.Clone(told), func(epoch int) bool { return !validated(epoch) })
	t := table.New("graph", "model, recipe", "d", "batch", "rate", "weights", "softmax over", "epochs")
	for _, epoch := range shown {
		t.Header = append(t.Header, fmt.Sprintf("epoch %d", epoch))
	}
	t.Header = append(t.Header, "best")
	for _, graph := range graphs(all) {
		for _, r := range on(graph, all) {
			f := r.first().Final
			row := []any{graph, r.title(), f.Training.Settings.Dim, f.Training.Settings.Batch, r.rate(), r.weights(), softmax(f.Training.Settings), r.epochs()}
			for _, epoch := range shown {
				if mrr, has := r.at(epoch); has {
					row = append(row, mrr)
				} else {
					row = append(row, "")
				}
			}
			best := fmt.Sprintf("%.3f", r.Mean(func(t *Trained) float64 { return t.Valid.Both.MRR }))
			if len(r.Documents) == 1 {
				best += fmt.Sprintf(", epoch %d", f.BestEpoch)
			}
			t.Add(append(row, best)...)
		}
	}
	return t
}

// at is the validation MRR after an epoch, where all trainings have it.
func (r Repeats) at(epoch int) (mrr float64, has bool) {
	for _, d := range r.Documents {
		all := d.Result.Final.Validations
		i := slices.IndexFunc(all, func(v kge.Validation) bool { return v.Epoch == epoch })
		if i < 0 {
			return 0, false
		}
		mrr += all[i].MRR / float64(len(r.Documents))
	}
	return mrr, true
}

// part is a part of the settings of a training.
type part struct {
	name string
	// of is the part in words, and its number if it is one.
	of func(trained) (label string, number float64)
	// drop leaves it out.
	drop func(*trained)
}

var parts = []part{
	{"d", func(t trained) (string, float64) { return numbered(t.settings.Dim) }, func(t *trained) { t.settings.Dim = 0 }},
	{"epochs", func(t trained) (string, float64) { return numbered(t.settings.Epochs) }, func(t *trained) { t.settings.Epochs = 0 }},
	{"batch", func(t trained) (string, float64) { return numbered(t.settings.Batch) }, func(t *trained) { t.settings.Batch = 0 }},
	{"softmax over", func(t trained) (string, float64) {
		if t.settings.SampledSoftmax == 0 {
			return among(t.settings), math.Inf(1)
		}
		return numbered(t.settings.SampledSoftmax)
	}, func(t *trained) { t.settings.SampledSoftmax = 0 }},
	{"entities moved", func(t trained) (string, float64) {
		if t.settings.SparseGradients == 0 {
			return "all", math.Inf(1)
		}
		return numbered(t.settings.SparseGradients)
	}, func(t *trained) { t.settings.SparseGradients = 0 }},
	{"answers together", func(t trained) (string, float64) { return numbered(max(1, t.settings.AnswersPerQuery)) }, func(t *trained) { t.settings.AnswersPerQuery = 0 }},
	{"learning rate", func(t trained) (string, float64) {
		return fmt.Sprint(t.member.LearningRate), t.member.LearningRate
	}, func(t *trained) { t.member.LearningRate = 0 }},
	{"decay", func(t trained) (string, float64) { return fmt.Sprint(t.settings.Decay), t.settings.Decay }, func(t *trained) { t.settings.Decay = 0 }},
	{"cooldown", func(t trained) (string, float64) { return numbered(t.settings.Cooldown) }, func(t *trained) { t.settings.Cooldown = 0 }},
	{"weights", func(t trained) (string, float64) { return settings.Set(t.member.Weights), 0 }, func(t *trained) { t.member.Weights = kge.Weights{} }},
	{"model", func(t trained) (string, float64) { return Trained{Training: kge.Training{Member: t.member}}.Title(), 0 }, func(t *trained) {
		t.member.Form, t.member.Structure = form.Bilinear, structure.Structure{}
	}},
}

func numbered(n int) (label string, number float64) { return format.Int(n), float64(n) }

// common is what trainings have in common of the model and the recipe.
func common(all []Repeats) string {
	first := all[0]
	differs := func(of func(Repeats) string) bool {
		return slices.ContainsFunc(all, func(r Repeats) bool { return of(r) != of(first) })
	}
	model := func(r Repeats) string { return r.first().Final.Title() }
	recipe := func(r Repeats) string { return r.first().Final.Recipe }
	switch {
	case !differs(Repeats.title):
		return first.title()
	case !differs(model):
		return model(first)
	case !differs(recipe):
		return recipe(first)
	}
	return format.Missing
}

// alike are trainings that differ in a part of their settings alone.
type alike struct {
	rest trained // what they have in common
	all  []Repeats
}

// differing are those that differ in the part alone, by the part.
func differing(p part, all []Repeats) []alike {
	var groups []alike
	for _, r := range all {
		rest := unseeded(r.first().Final)
		p.drop(&rest)
		i := slices.IndexFunc(groups, func(a alike) bool { return a.rest == rest })
		if i < 0 {
			i, groups = len(groups), append(groups, alike{rest: rest})
		}
		groups[i].all = append(groups[i].all, r)
	}
	groups = slices.DeleteFunc(groups, func(a alike) bool { return len(a.all) == 1 })
	for _, a := range groups {
		number := func(r Repeats) float64 { _, number := p.of(unseeded(r.first().Final)); return number }
		slices.SortStableFunc(a.all, func(x, y Repeats) int { return cmp.Compare(number(x), number(y)) })
	}
	return groups
}

// title is what the trainings have in common: the model, the recipe, the dimension, and what
// tells them from others that have these in common, too.
func (a alike) title(others []alike) string {
	title := a.short()
	for _, p := range parts {
		mine, _ := p.of(a.rest)
		if slices.ContainsFunc(others, func(o alike) bool { other, _ := p.of(o.rest); return o.short() == a.short() && other != mine }) {
			title += ", " + p.name + " " + mine
		}
	}
	return title
}

// short is the model, the recipe and the dimension, as far as the trainings have them in common.
func (a alike) short() string {
	title := common(a.all)
	if dim := a.rest.settings.Dim; dim > 0 {
		title += ", d " + format.Int(dim)
	}
	return title
}

// Varied is a table of the test MRR of trainings that differ in one part of their settings.
func Varied(all []Repeats) *table.Table {
	t := table.New("graph", "model, recipe", "part", "test MRR by it")
	for _, graph := range graphs(all) {
		here := on(graph, all)
		for _, p := range parts {
			groups := differing(p, here)
			for _, a := range groups {
				var mrrs []string
				for _, r := range a.all {
					label, _ := p.of(unseeded(r.first().Final))
					mrrs = append(mrrs, fmt.Sprintf("%s: %s", label, r.spread(testMRR)))
				}
				t.Add(graph, a.title(groups), p.name, strings.Join(mrrs, "; "))
			}
		}
	}
	return t
}
