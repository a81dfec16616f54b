package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/settings"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// functions are the functions of tables.tmpl.
var functions = template.FuncMap{
	"doc": readDoc, "docs": docs, "group": group, "queries": queries,
	"list": func(all ...any) []any { return all },
	"add":  join,
	"each": each, "keys": keys, "nums": numbers, "mrrs": mrrs, "rows": rows, "pivot": pivot,
	"bestMean": bestMean, "bestShares": bestShares, "isDefault": isDefault,
	"head": func(n int, x []float64) []float64 { return x[:min(n, len(x))] },
	"named": func(list []any, name string) any {
		return list[slices.IndexFunc(list, func(v any) bool { return find(v, "name") == name })]
	},
	"withKey": func(list []any, key string) []any {
		return slices.DeleteFunc(slices.Clone(list), func(v any) bool { return find(v, key) == nil })
	},
	"run": run, "times": func(c any, who string, peer bool) any { return find(run(c, who, peer), "seconds") },
	"best": best, "check": func(ok bool, what string) (string, error) {
		if !ok {
			return "", fmt.Errorf("%s does not fit its table", what)
		}
		return "", nil
	},
	"queryDropout": queryDropout, "epoch": epoch,

	"spread": spread, "meanError": meanError, "ms": duration,
	"mean":   func(x []float64) float64 { return stat.Mean(x, nil) },
	"minus":  func(a, b []float64) []float64 { return floats.SubTo(make([]float64, len(a)), a, b) },
	"median": func(x any) float64 { return record.Median(numbers(x)) },
	"mul":    func(a, b any) float64 { return number(a) * number(b) },
	"div":    func(a, b any) float64 { return number(a) / number(b) },
	"sum": func(all ...any) (sum float64) {
		for _, x := range all {
			sum += number(x)
		}
		return sum
	},
	"near":     func(a, b float64) bool { return math.Abs(a-b) < 1e-6 },
	"f3":       func(x any) string { return fmt.Sprintf("%.3f", number(x)) },
	"percent1": func(share float64) string { return fmt.Sprintf("%.1f", 100*share) },
	"bold": func(is bool, text string) string {
		if is {
			return "**" + text + "**"
		}
		return text
	},
	"percent": func(share float64) string { return fmt.Sprintf("%.2f", 100*share) },
	"whole":   func(x any) string { return format.Int(int(math.Round(number(x)))) },
	"digits": func(x float64) string { // three digits, but at most two decimals
		decimals := min(2, max(0, 2-int(math.Floor(math.Log10(x)))))
		return strconv.FormatFloat(x, 'f', decimals, 64)
	},
	"count": func(n any, what string) string { return format.Count(int(number(n)), what) },
	"dash": func(x any) string {
		if number(x) == 0 {
			return format.Missing
		}
		return fmt.Sprint(x)
	},
	"cell": func(x any) string { // of a reported number, 0 if unknown
		if number(x) == 0 {
			return format.Missing
		}
		return format.Cell(x)
	},
	"goal": func(ratio, goal any) string {
		switch {
		case number(ratio) == 0:
			return format.Missing
		case number(goal) == 0:
			return fmt.Sprintf("%.2f", ratio)
		}
		return fmt.Sprintf("%.2f (≤ %g)", ratio, goal)
	},
	"wilson": func(share, n float64) string {
		low, high := wilson(share, n)
		return fmt.Sprintf("%.0f–%.0f", 100*low, 100*high)
	},

	"replace":  func(s, old, new string) string { return strings.Replace(s, old, new, 1) },
	"contains": strings.Contains,
	"before":   func(s, end string) string { s, _, _ = strings.Cut(s, end); return s },
	"after":    func(s, start string) string { _, s, _ = strings.Cut(s, start); return s },
	"why": func(dropped string) string {
		dropped, _, _ = strings.Cut(dropped, "killed: ")
		return strings.Replace(dropped, "it failed: signal: ", "the system killed it", 1)
	},
	"places": func(lists ...any) string {
		place := func(d any) string { return d.(doc).Machine + ", " + d.(doc).Date }
		return strings.Join(unique(join(lists...), place), "; ")
	},
	"commands": func(runs []any) string {
		return strings.Join(unique(runs, func(v any) string {
			command := peerFlag.ReplaceAllString(find(v, "command").(string), "")
			return fmt.Sprintf("`%s`, %s", command, find(v, "date"))
		}), "; ")
	},
	"hops": func(hops []any) string {
		var lengths []string
		for _, h := range hops {
			lengths = append(lengths, fmt.Sprintf("%vp", h))
		}
		return format.List(lengths, "and")
	},
	"title": title,
	"name":  func(text string) string { return structure.MustParse(text).Name() },
	"bestQuery": func(all []doc, structured bool) doc {
		all = slices.DeleteFunc(slices.Clone(all), func(d doc) bool {
			return (find(d.R, "structure") != nil) != structured
		})
		return all[len(all)-1] // they are sorted
	},
	"paperQuery": func(d doc, model string) float64 {
		return numbers(published("queries", fmt.Sprint(d.Graph(), " ", find(d.R, "hops"), " ", model)))[0]
	},
	"paperClass": func(d doc) string {
		encoder := find(d.R, "encoder").(string)
		family, _, _ := strings.Cut(strings.Replace(encoder, "rgcn-block", "", 1), "-")
		accuracy := published("classes", fmt.Sprint(find(d.R, "dataset"), " ", family))
		if accuracy == nil {
			return format.Missing
		}
		return fmt.Sprintf("%.2f", accuracy)
	},

	"benchmarks": func() []string { return benchmarks },
	"trainings":  trainings, "trainingsOn": trainingsOn, "reported": reported,
	"model": model, "threads": threads, "curve": curve, "sources": sources,
	"weights":           func(d doc) string { return settings.Set(trained(d).Training.Member.Weights) },
	"paperAndPublished": paperAndPublished,
	"allGraphs":         func() []string { return slices.Concat(smallGraphs, benchmarks) },
	"compare":           compare, "queryGains": queryGains,
	"bestOn": bestOn, "searchedModels": searchedModels, "modelTitle": modelTitle, "bestPublished": bestPublished, "several": several,
	"zooModel": zooModel, "decoder": decoder, "formMembers": formMembers, "taught": taught,
	"quoted": func(d doc) string { return cmp.Or(quotedMRR[d.Graph()+" "+zooModel(d)], "–") },
}

// zooModel returns the name of a model that is not bilinear: that of its encoder, if it has one.
func zooModel(d doc) string {
	if name := find(d.R, "recipe").(string); name == "rgcn" || name == "compgcn" {
		return name
	}
	return find(d.R, "model").(string)
}

// decoder returns the decoder of a model with an encoder, such as ", complex"; "" without an encoder.
func decoder(d doc) string {
	if name := zooModel(d); name != "rgcn" && name != "compgcn" {
		return ""
	}
	if model, isForm := find(d.R, "model").(string); isForm {
		return ", " + model
	}
	return ", " + structure.MustParse(find(d.R, "structure").(string)).Name()
}

// quotedMRR has test MRRs of other models in the tables of the paper on AutoBLM; those of TransE are
// in the paper on RotatE (Sun et al., 2019), and that of R-GCN in its own (Schlichtkrull et al., 2018).
var quotedMRR = map[string]string{
	"wn18rr rotate": "0.476", "wn18rr transh": "0.186", "wn18rr compgcn": "0.479", "wn18rr conve": "0.46",
	"fb15k-237 rotate": "0.338", "fb15k-237 transh": "0.233", "fb15k-237 pairre": "0.351",
	"fb15k-237 conve": "0.316", "fb15k-237 rgcn": "0.248", "fb15k-237 rsn": "0.28", "fb15k-237 compgcn": "0.355",
	"fb15k-237 core-1": "0.358", "wn18rr core-1": "0.470",
	"wn18rr interstellar-wn18rr": "0.48", "fb15k-237 interstellar-fb15k-237": "0.32",
	"wn18rr transe": "0.226", "fb15k-237 transe": "0.294",
}

// bestEnsemble returns the test MRR of the ensemble with the best validation MRR on a benchmark, which
// is held out if its weights were learned.
func bestEnsemble(graph string) (float64, error) {
	all, err := docs("ensembled-" + graph + "-*.json")
	var valid, test float64
	for _, d := range all {
		mrr := number(find(d.R, "valid.both.mrr"))
		if heldOut := find(d.R, "weights.held_out"); heldOut != nil {
			mrr = number(heldOut)
		}
		if mrr > valid && find(d.R, "dataset") == graph {
			valid, test = mrr, number(find(d.R, "test.both.mrr"))
		}
	}
	return test, err
}

// paperAndPublished returns two cells: the paper's MRR and the best published one.
func paperAndPublished(graph string) string {
	reported := reportedOn(graph)
	at := func(matches func(reportedResult) bool) reportedResult {
		return reported[slices.IndexFunc(reported, matches)]
	}
	paper := at(func(r reportedResult) bool { return r.Model == "AutoBLM+" })
	best := at(func(r reportedResult) bool { return !r.Paper })
	return fmt.Sprintf("%.3f | %.3f, %s", paper.MRR, best.MRR, best.Model)
}

// run returns the outcome of a benchmark for our engine or a peer, or nil.
func run(benchmark any, who string, peer bool) any {
	outcomes := find(benchmark, "outcomes").([]any)
	i := slices.IndexFunc(outcomes, func(o any) bool {
		return find(o, "who") == who && (find(o, "peer") == true) == peer
	})
	if i < 0 {
		return nil
	}
	return outcomes[i]
}
