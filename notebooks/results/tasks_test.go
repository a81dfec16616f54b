package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// queryResult is what the table of queries shows of the JSON of query train, or of
// query eval for a model that was trained on paths of another length too.
type queryResult struct {
	Dataset     string               `json:"dataset"`
	Hops        int                  `json:"hops"`
	Model       string               `json:"model"`
	Structure   *structure.Structure `json:"structure"`
	Dim         int                  `json:"dim"`
	Epochs      int                  `json:"epochs"`
	Trained     []int                `json:"trained_hops"` // of query eval
	Seconds     json.RawMessage      `json:"seconds"`
	Valid, Test struct {
		MRR   float64 `json:"mrr"`
		Hits3 float64 `json:"hits3"`
	}
}

// published is what the paper reports of a model.
type published struct{ mrr, hits3 float64 }

// The paper's table of queries (Section V-B), by data set, hops and model.
var publishedQueries = map[string]published{
	"query2box-fb15k 2 transe": {.264, .273}, "query2box-fb15k 3 transe": {.153, .158}, "query2box-fb15k-237 2 transe": {.177, .194}, "query2box-fb15k-237 3 transe": {.134, .140},
	"query2box-fb15k 2 diag": {.309, .322}, "query2box-fb15k 3 diag": {.266, .275}, "query2box-fb15k-237 2 diag": {.187, .191}, "query2box-fb15k-237 3 diag": {.147, .155},
	"query2box-fb15k 2 gqe": {.320, .346}, "query2box-fb15k 3 gqe": {.222, .250}, "query2box-fb15k-237 2 gqe": {.193, .213}, "query2box-fb15k-237 3 gqe": {.145, .155},
	"query2box-fb15k 2 q2b": {.373, .413}, "query2box-fb15k 3 q2b": {.274, .303}, "query2box-fb15k-237 2 q2b": {.225, .240}, "query2box-fb15k-237 3 q2b": {.173, .186},
	"query2box-fb15k 2 found": {.415, .432}, "query2box-fb15k 3 found": {.293, .307}, "query2box-fb15k-237 2 found": {.248, .249}, "query2box-fb15k-237 3 found": {.196, .199},
}

var queryTitles = map[string]string{"transe": "TransE-Comp", "diag": "Diag-Comp", "gqe": "GQE", "q2b": "Query2box", "found": "the one found"}

// key is the model in the tables: a baseline, a named structure or "found".
func (r queryResult) key() string {
	if r.Structure == nil {
		return r.Model
	}
	return cmp.Or(r.Structure.Name(), "found")
}

// training has the cells on how a model was trained.
func (r queryResult) training(t *testing.T) string {
	t.Helper()
	if len(r.Trained) > 0 {
		return fmt.Sprintf("as for %s | – | –", lengths(r.Trained))
	}
	var seconds struct{ Train float64 }
	if err := json.Unmarshal(r.Seconds, &seconds); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d | %.0f s | %.3f", r.Epochs, seconds.Train, r.Valid.MRR)
}

// dropped is the share of coordinates that a model was trained without, from the command of
// query train, which may be that of the file for another length.
func dropped(t *testing.T, path string) string {
	t.Helper()
	files, err := filepath.Glob(ofLength.ReplaceAllString(path, "-?p-"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		var result json.RawMessage
		all := dropout.FindAllStringSubmatch(read(t, file, &result).Command, -1)
		if len(all) == 0 {
			continue
		}
		share, err := strconv.ParseFloat(all[len(all)-1][1], 64) // what is said last counts
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if share > 0 {
			return fmt.Sprint(share)
		}
	}
	return "–"
}

var dropout, ofLength = regexp.MustCompile(`--dropout[ =](\S+)`), regexp.MustCompile(`-[23]p-`)

// lengths is "1p, 2p and 3p".
func lengths(hops []int) string {
	words := make([]string, len(hops))
	for i, h := range hops {
		words[i] = fmt.Sprintf("%dp", h)
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return words[0]
}

// queries is the table of the models of multi-hop queries.
func queries(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("query-*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no results: %v", err)
	}
	type line struct {
		queryResult
		document
		dropped string
	}
	var lines []line
	for _, path := range paths {
		var l line
		l.document = read(t, path, &l.queryResult)
		l.dropped = dropped(t, path)
		l.Dataset = strings.TrimSuffix(l.Dataset, "-drawn")
		if l.Test.MRR == 0 {
			t.Fatalf("%s has no test MRR", path)
		}
		lines = append(lines, l)
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(-cmp.Compare(a.Dataset, b.Dataset), a.Hops-b.Hops, cmp.Compare(a.Test.MRR, b.Test.MRR))
	})
	var text strings.Builder
	text.WriteString("| queries | model | d | dropout | epochs | trained in | valid MRR | test MRR | H@3 | paper's MRR | paper's H@3 |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	var where []string
	for _, l := range lines {
		key := l.key()
		paper := "– | –"
		if p, ok := publishedQueries[fmt.Sprintf("%s %d %s", l.Dataset, l.Hops, key)]; ok {
			paper = fmt.Sprintf("%.3f | %.3f", p.mrr, p.hits3)
		}
		fmt.Fprintf(&text, "| %s, %dp | %s | %d | %s | %s | %.3f | %.3f | %s |\n",
			strings.TrimPrefix(l.Dataset, "query2box-"), l.Hops, title(key), l.Dim, l.dropped, l.training(t), l.Test.MRR, l.Test.Hits3, paper)
		where = withPlace(where, l.document)
	}
	fmt.Fprintf(&text, "\nMeasured on %s. Each file `query-*.json` has its command.\n", strings.Join(where, "; "))
	return text.String()
}

func title(key string) string {
	for _, named := range structure.HumanDesigned() {
		if named.Name == key {
			return named.Title
		}
	}
	return cmp.Or(queryTitles[key], key)
}

// classResult is what the table of classes shows of classify train's JSON.
type classResult struct {
	Dataset       string               `json:"dataset"`
	Encoder       string               `json:"encoder"`
	Structure     *structure.Structure `json:"structure"`
	Dim           int                  `json:"dim"`
	SeenBy        int                  `json:"seen_by"`
	Tuned         int                  `json:"tuned"`
	Test          int                  `json:"test"`
	Seconds       float64              `json:"seconds"`
	CVAccuracy    float64              `json:"cv_accuracy"`
	TestAccuracy  float64              `json:"test_accuracy"`
	TestDeviation float64              `json:"test_deviation"`
	Runs          []float64            `json:"test_accuracies"`
	Ensemble      *blind               `json:"ensemble"` // of what was chosen blind
	Tried         []validated          `json:"tried"`
}

// The test accuracies in the paper's table of classes, in percent.
var publishedClasses = map[string]float64{
	"aifb gcn": 86.67, "mutag gcn": 68.83, "aifb rgcn": 92.78, "mutag rgcn": 74.12, "aifb compgcn": 90.6, "mutag compgcn": 85.3, "aifb blm": 96.66, "mutag blm": 85.88,
}

// classes is the table of the encoders.
func classes(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("classify-*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no results: %v", err)
	}
	var text strings.Builder
	text.WriteString("| graph | encoder | d | seen by | `--tune` | trained in | held out, % | test, % | 95 % | one node is | paper |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	var where []string
	for _, path := range paths {
		var r classResult
		m := read(t, path, &r)
		if len(r.Runs) == 0 {
			t.Fatalf("%s has no test accuracies", path)
		}
		name := r.Encoder
		if r.Structure != nil {
			name = "messages by a structure, `" + r.Structure.String() + "`"
		}
		paper := "–"
		family, _, _ := strings.Cut(r.Encoder, "-")
		if accuracy, ok := publishedClasses[r.Dataset+" "+family]; ok && r.Encoder != "rgcn-block" {
			paper = fmt.Sprintf("%.2f", accuracy)
		}
		unlessNone := func(n int) string {
			if n == 0 {
				return "–"
			}
			return fmt.Sprint(n)
		}
		add := func(name, training, test string, share float64) {
			low, high := wilson(share, r.Test)
			fmt.Fprintf(&text, "| %s | %s | %s | %s | %.0f–%.0f | %.2f | %s |\n", r.Dataset, name, training, test, 100*low, 100*high, 100/float64(r.Test), paper)
		}
		training := fmt.Sprintf("%d | %s | %s | %.0f s | %.2f", r.Dim, unlessNone(r.SeenBy), unlessNone(r.Tuned), r.Seconds, 100*r.CVAccuracy)
		if r.Ensemble != nil {
			checkBlind(t, path, r)
			add(fmt.Sprintf("**chosen blind: %d models together**", len(r.Ensemble.Members)), fmt.Sprintf("– | – | %d | %.0f s | –", r.Tuned, r.Seconds), fmt.Sprintf("**%.2f**", 100*r.Ensemble.Accuracy), r.Ensemble.Accuracy)
			name = "the best setting of these alone, " + name
		}
		add(name, training, fmt.Sprintf("%.2f ± %.2f (%d runs)", 100*r.TestAccuracy, 100*r.TestDeviation, len(r.Runs)), r.TestAccuracy)
		where = withPlace(where, m)
	}
	fmt.Fprintf(&text, "\n95 %% is between what shares of all such nodes the accuracy may lie, by as few as were tested (Wilson's interval). Measured on %s. Each file `classify-*.json` has its command.\n", strings.Join(where, "; "))
	return text.String()
}
