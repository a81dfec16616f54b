package results

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/record"
	"gonum.org/v1/gonum/stat"
)

// benchmarks lists the benchmarks of the paper's table of link prediction.
var benchmarks = []string{"wn18rr", "fb15k-237", "wn18", "fb15k"}

var (
	seedOfFile    = regexp.MustCompile(`-\d+\.json$`)
	threadsUsed   = regexp.MustCompile(`(\d+) of them used`)
	structureText = regexp.MustCompile(`-?\d+(,-?\d+)+(;-?\d+(,-?\d+)+)+`)
)

// trainings reads the files benchmark-GRAPH-NAME-SEED.json of final trainings and groups those that
// differ in their seeds.
var trainings = sync.OnceValues(func() (groups [][]doc, err error) {
	all, err := docs("benchmark-*.json")
	groups = groupBy(all, func(d doc) string { return seedOfFile.ReplaceAllString(d.File, "") })
	for _, seeds := range groups {
		if len(unique(seeds, unseeded)) > 1 {
			return nil, fmt.Errorf("%s differs from its other seeds by more", seeds[0].File)
		}
	}
	return groups, err
})

// trained returns a final training.
func trained(d doc) *reproduce.Trained {
	typed, err := record.Read[reproduce.Result](d.File)
	if err != nil || typed.Result.Final == nil {
		panic(fmt.Sprint(d.File, " has no final training: ", err))
	}
	return typed.Result.Final
}

// unseeded returns the graph and the settings of a training without its seed.
func unseeded(d doc) string {
	t := trained(d).Training
	t.Settings.ValidateEvery, t.Member.Seed = 0, 0
	return fmt.Sprint(find(d.R, "dataset"), t.Settings, t.Member)
}

// trainingsOn returns the trainings on a graph, those with the smallest test MRR first.
func trainingsOn(graph string) ([][]doc, error) {
	all, err := trainings()
	all = slices.DeleteFunc(slices.Clone(all), func(seeds []doc) bool {
		return find(seeds[0].R, "dataset") != graph
	})
	slices.SortStableFunc(all, func(a, b []doc) int { return cmp.Compare(testMRR(a), testMRR(b)) })
	return all, err
}

func testMRR(seeds []doc) float64  { return stat.Mean(each(seeds, "final.test.both.mrr"), nil) }
func validMRR(seeds []doc) float64 { return stat.Mean(each(seeds, "final.valid.both.mrr"), nil) }

// chosen returns the training on a graph with the best validation MRR.
func chosen(graph string) ([]doc, error) {
	all, err := trainingsOn(graph)
	return slices.MaxFunc(all, func(a, b []doc) int { return cmp.Compare(validMRR(a), validMRR(b)) }), err
}

// model returns the title of the model of a training, and its recipe.
func model(d doc) string {
	t := trained(d)
	return structureText.ReplaceAllString(t.Title(), "`$0`") + ", " + t.Recipe
}

// threads returns the number of threads of a training.
func threads(d doc) string {
	n, _ := strconv.Atoi(threadsUsed.FindStringSubmatch(d.Machine)[1])
	return format.Count(n, "thread")
}

// curve returns the mean validation MRR after some epochs, and that of the best epochs.
func curve(seeds []doc) (text string) {
	for _, epoch := range []float64{5, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 500} {
		var mrrs []float64
		for _, d := range seeds {
			for _, v := range find(d.R, "final.validations").([]any) {
				if find(v, "epoch") == epoch {
					mrrs = append(mrrs, number(find(v, "mrr")))
				}
			}
		}
		if len(mrrs) == len(seeds) {
			text += fmt.Sprintf("%v: %.3f; ", epoch, stat.Mean(mrrs, nil))
		}
	}
	text += fmt.Sprintf("best %.3f", validMRR(seeds))
	if len(seeds) == 1 {
		text += fmt.Sprintf(", epoch %v", find(seeds[0].R, "final.best_epoch"))
	}
	return text
}

// reported returns the results of the paper on a graph, the best other ones, and those of recipes
// that were trained here.
func reported(graph string) (shown []reportedResult, err error) {
	here, err := trainingsOn(graph)
	hasBest := false
	for _, r := range reportedOn(graph) {
		reproduced := r.Recipe != "" && slices.ContainsFunc(here, func(seeds []doc) bool {
			return find(seeds[0].R, "final.recipe") == r.Recipe
		})
		if r.Paper || !hasBest || reproduced {
			shown = append(shown, r)
		}
		hasBest = hasBest || !r.Paper
	}
	return shown, err
}

// sources returns the sources of the results of [reported] that have no recipe.
func sources() (string, error) {
	var sources []string
	for _, graph := range benchmarks {
		all, err := reported(graph)
		if err != nil {
			return "", err
		}
		for _, r := range all {
			source := r.Model + ": " + r.Source
			if r.Recipe == "" && !slices.Contains(sources, source) {
				sources = append(sources, source)
			}
		}
	}
	return strings.Join(sources, "; "), nil
}
