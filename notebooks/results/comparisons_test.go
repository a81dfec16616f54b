package results

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/internal/format"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// smallGraphs lists the small graphs whose models were compared with others'.
var smallGraphs = []string{"nations", "kinship", "umls"}

var dimFlag = regexp.MustCompile(`--dim (\d+)`)

// ownPenalties returns the trainings on a graph with a penalty for each structure.
func ownPenalties(graph string) (trained []any, err error) {
	for _, pattern := range []string{"small-graphs-%s.json", "structures-%s.json"} {
		all, failed := docs(fmt.Sprintf(pattern, graph))
		err = cmp.Or(err, failed)
		trained = append(trained, rows(all)...)
	}
	return slices.DeleteFunc(trained, func(v any) bool { return len(numbers(v, "test")) == 0 }), err
}

// dim returns the dimension in the command of a training.
func dim(training any) int {
	d, _ := strconv.Atoi(dimFlag.FindStringSubmatch(find(training, "command").(string))[1])
	return d
}

// comparison compares a found structure with ComplEx on a graph.
type comparison struct {
	Graph string
	Dim   int
	// Complex and Found hold test MRRs: of several seeds if each has a penalty of its own, and of one
	// if both train alike.
	Complex, Found []float64
}

// Gain returns how much the found structure is above ComplEx, with the standard error.
func (c comparison) Gain() string {
	gains := slices.Clone(c.Found)
	floats.Sub(gains, c.Complex)
	return meanError(3, gains)
}

// compare returns the comparison on a graph, with own penalties if there is one. Among several
// trainings of ComplEx, and of found structures, it takes the best by validation.
func compare(graph string) (comparison, error) {
	c := comparison{Graph: graph}
	all, err := ownPenalties(graph)
	slices.SortStableFunc(all, func(a, b any) int {
		return cmp.Compare(stat.Mean(numbers(a, "valid"), nil), stat.Mean(numbers(b, "valid"), nil))
	})
	for _, v := range all {
		switch name := find(v, "name").(string); {
		case isComplEx(name):
			c.Dim, c.Complex = dim(v), numbers(v, "test")
		case strings.HasPrefix(name, "found"):
			c.Found = numbers(v, "test")
		}
	}
	if len(all) > 0 || err != nil {
		return c, err
	}
	pair, err := readDoc("ensembled-" + graph + "-structures.json") // of ComplEx and the found one
	mrr := func(i int) []float64 {
		return []float64{number(find(pair.R, fmt.Sprintf("members.%d.test_mrr", i)))}
	}
	dim := int(number(find(pair.R, "members.0.dim")))
	return comparison{Graph: graph, Dim: dim, Complex: mrr(0), Found: mrr(1)}, err
}

// isComplEx reports whether a training with its own penalty is of ComplEx, with or without
// translation.
func isComplEx(name string) bool { return name == "complex" || name == "translated" }

// queryGains returns the least and the greatest gain of the found structure over ComplEx on queries
// of a path length.
func queryGains(hops int) (string, error) {
	found, err := docs(fmt.Sprintf("query-*-%dp-found-long-*.json", hops))
	var gains []float64
	for _, d := range found {
		complex, failed := readDoc(strings.Replace(d.File, "found", "complex", 1))
		err = cmp.Or(err, failed)
		gains = append(gains, number(find(d.R, "test.mrr"))-number(find(complex.R, "test.mrr")))
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%+.3f to %+.3f", slices.Min(gains), slices.Max(gains)), nil
}

// bestModel is the model on a graph with the best validation MRR.
type bestModel struct {
	Valid, Test float64
	// About names the model and its training.
	About string
}

func bestOn(graph string) (best bestModel, err error) {
	if slices.Contains(benchmarks, graph) {
		seeds, failed := chosen(graph)
		others, othersFailed := docs("other-" + graph + "-*.json")
		best = bestModel{validMRR(seeds), testMRR(seeds), training(seeds)}
		for _, d := range others {
			if valid := number(find(d.R, "valid.both.mrr")); valid > best.Valid {
				best = bestModel{valid, number(find(d.R, "test.both.mrr")), otherTraining(d)}
			}
		}
		err = cmp.Or(failed, othersFailed)
	}
	all, failed := ownPenalties(graph)
	for _, v := range all {
		if valid := stat.Mean(numbers(v, "valid"), nil); valid > best.Valid {
			name := find(v, "name").(string)
			if strings.HasPrefix(name, "found") {
				name = "a found structure"
			} else if isComplEx(name) {
				name = "complex"
			}
			about := fmt.Sprintf("%s, d %d, a penalty of its own, mean of %d seeds",
				cmp.Or(title(name), name), dim(v), len(numbers(v, "test")))
			best = bestModel{valid, stat.Mean(numbers(v, "test"), nil), about}
		}
	}
	searched, alsoFailed := searchedModels(graph)
	for _, m := range searched {
		if valid := stat.Mean(m.Valid, nil); valid > best.Valid {
			best = bestModel{valid, stat.Mean(m.Test, nil), m.about()}
		}
	}
	drawn, drawnFailed := docs("random-" + graph + ".json")
	for _, d := range drawn {
		if valid := stat.Mean(numbers(d.R, "valid"), nil); valid > best.Valid {
			best = bestModel{valid, stat.Mean(numbers(d.R, "test"), nil), fmt.Sprintf(
				"%s, d %v, the best of random recipes, mean of %d seeds",
				modelTitle(find(d.R, "model").(string)), find(d.R, "dim"), len(numbers(d.R, "test")))}
		}
	}
	students, studentsFailed := taught(graph)
	for _, m := range students {
		if valid := stat.Mean(m.Valid, nil); valid > best.Valid {
			best = bestModel{valid, stat.Mean(m.Test, nil), fmt.Sprintf(
				"%s, taught by an ensemble, mean of %d seeds", m.Student, len(m.Test))}
		}
	}
	return best, cmp.Or(err, failed, alsoFailed, drawnFailed, studentsFailed)
}

// training describes a training and its time.
func training(seeds []doc) string {
	final := trained(seeds[0])
	minutes := stat.Mean(each(seeds, "final.seconds.train"), nil) / 60
	text := fmt.Sprintf("%s, d %s: %s in %.0f min of %s", model(seeds[0]),
		format.Int(final.Training.Settings.Dim), format.Count(final.Epochs, "epoch"), minutes,
		threads(seeds[0]))
	if len(seeds) > 1 {
		text += fmt.Sprintf(", mean of %d seeds", len(seeds))
	}
	return text
}

// otherTraining describes a training of a model that is no structure.
func otherTraining(d doc) string {
	return fmt.Sprintf("%v, %v, d %v: %v epochs in %.0f min of %s", find(d.R, "model"), find(d.R, "recipe"),
		find(d.R, "dim"), find(d.R, "epochs"), number(find(d.R, "seconds.train"))/60, threads(d))
}

// bestPublished returns the best published MRR on a graph, with its model.
func bestPublished(graph string) string {
	best := slices.MaxFunc(reportedOn(graph), func(a, b reportedResult) int {
		return cmp.Compare(a.MRR, b.MRR)
	})
	return fmt.Sprintf("%.3f, %s", best.MRR, best.Model)
}

// several returns the test MRR of the best models together: the best ensemble on a benchmark; on a small
// graph the one that a search over the whole space keeps, or that of many kinds if validation prefers it.
func several(graph string) (float64, error) {
	if slices.Contains(benchmarks, graph) {
		return bestEnsemble(graph)
	}
	d, err := readDoc("whole-space-" + graph + ".json")
	if err != nil {
		return 0, err
	}
	if many, ok, err := formed(graph); err != nil || ok &&
		number(find(many.R, "valid.both.mrr")) > number(find(d.R, "kept.valid_mrr")) {
		return number(find(many.R, "test.both.mrr")), err
	}
	return number(find(d.R, "kept.test_mrr")), nil
}
