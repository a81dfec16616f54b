package reproduce

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Benchmarks lists the benchmarks of the paper's table of link prediction.
var Benchmarks = []string{"wn18rr", "fb15k-237", "wn18", "fb15k"}

// Repeats holds the results of final trainings that differ only in their seeds.
type Repeats struct {
	Name      string // of their files, without the seed
	Documents []Document
}

var seedOfFile = regexp.MustCompile(`-\d+\.json$`)

// ReadRepeats reads result files with names NAME-SEED.json and groups them by NAME.
func ReadRepeats(files ...string) ([]Repeats, error) {
	var all []Repeats
	for _, file := range files {
		d, err := record.Read[Result](file)
		if err != nil {
			return nil, err
		}
		if f := d.Result.Final; f == nil || f.Test == nil || d.Threads() == 0 {
			return nil, fmt.Errorf("%s has no final training with a ranking, or no number of "+
				"threads: copy the result.json of a complete one", file)
		}
		name := seedOfFile.ReplaceAllString(filepath.Base(file), "")
		i := slices.IndexFunc(all, func(r Repeats) bool { return r.Name == name })
		if i < 0 {
			all = append(all, Repeats{name, []Document{d}})
			continue
		}
		first := all[i].first()
		other := unseeded(first.Final) != unseeded(d.Result.Final)
		if other || first.Dataset != d.Result.Dataset {
			return nil, fmt.Errorf("%s differs from %s-%d.json by more than its seed: rename it",
				file, name, first.Seed)
		}
		all[i].Documents = append(all[i].Documents, d)
	}
	return all, nil
}

// trainedWith holds the settings of a training that affect what the model learns.
type trainedWith struct {
	settings kge.Settings
	member   kge.Member
}

// unseeded returns the settings of a training without its seed.
func unseeded(t *Trained) trainedWith {
	with := trainedWith{t.Training.Settings, t.Training.Member}
	with.settings.ValidateEvery, with.member.Seed = 0, 0
	return with
}

func (r Repeats) first() Result { return r.Documents[0].Result }

// values returns a value of each training.
func (r Repeats) values(of func(*Trained) float64) []float64 {
	all := make([]float64, len(r.Documents))
	for i, d := range r.Documents {
		all[i] = of(d.Result.Final)
	}
	return all
}

// Mean returns the mean of a value over the seeds.
func (r Repeats) Mean(of func(*Trained) float64) float64 { return stat.Mean(r.values(of), nil) }

// spread formats the mean of a value, and the standard deviation for several seeds.
func (r Repeats) spread(of func(*Trained) float64) string {
	mean := fmt.Sprintf("%.3f", r.Mean(of))
	if len(r.Documents) == 1 {
		return mean
	}
	return fmt.Sprintf("%s ± %.3f", mean, stat.StdDev(r.values(of), nil))
}

func testMRR(t *Trained) float64 { return t.Test.Both.MRR }

// validMRR returns the mean validation MRR after an epoch. ok is false unless all trainings
// validated then.
func (r Repeats) validMRR(epoch int) (mrr float64, ok bool) {
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

// title returns the model and its recipe.
func (r Repeats) title() string { return titleOf(r.first().Final.Title(), r.first().Final.Recipe) }

func titleOf(model, recipe string) string {
	if recipe == "" {
		return model
	}
	return model + ", " + recipe
}

// seeds describes the seeds.
func (r Repeats) seeds() string {
	if len(r.Documents) == 1 {
		return fmt.Sprintf("seed %d", r.first().Seed)
	}
	return format.Count(len(r.Documents), "seed")
}

// rate describes the learning rate and its schedule.
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

// weights describes the weights of the penalties, nil for none.
func (r Repeats) weights() any {
	if set := settings.Set(r.first().Final.Training.Member.Weights); set != "" {
		return set
	}
	return nil
}

// epochs describes the number of epochs, and of those requested if training stopped early.
func (r Repeats) epochs() string {
	requested := r.first().Final.Training.Settings.Epochs
	least, most := requested, 0
	for _, d := range r.Documents {
		least, most = min(least, d.Result.Final.Epochs), max(most, d.Result.Final.Epochs)
	}
	switch {
	case least == requested:
		return format.Int(requested)
	case least == most:
		return fmt.Sprintf("%s of %s", format.Int(least), format.Int(requested))
	}
	return fmt.Sprintf("%s to %s of %s",
		format.Int(least), format.Int(most), format.Int(requested))
}

// graphs returns the benchmarks, and then the other graphs of the trainings.
func graphs(all []Repeats) []string {
	graphs := slices.Clone(Benchmarks)
	for _, r := range all {
		if graph := r.first().Dataset; !slices.Contains(graphs, graph) {
			graphs = append(graphs, graph)
		}
	}
	return graphs
}

// on returns the trainings on a graph, best last.
func on(graph string, all []Repeats) []Repeats {
	here := slices.DeleteFunc(slices.Clone(all), func(r Repeats) bool {
		return r.first().Dataset != graph
	})
	slices.SortStableFunc(here, func(a, b Repeats) int {
		return cmp.Compare(a.Mean(testMRR), b.Mean(testMRR))
	})
	return here
}
