package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/record"
	"gonum.org/v1/gonum/stat"
)

var update = flag.Bool("update", false, "write the tables into the documents")

// TestDocuments compares the tables between marks in the documents with those that tables.tmpl
// makes from the result files.
func TestDocuments(t *testing.T) {
	tables := template.Must(template.New("").Funcs(functions).ParseFiles("tables.tmpl"))
	used := 0
	for _, path := range []string{
		"../../README.md", "../../docs/results.md", "../../docs/results-log.md", "README.md",
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, n, err := replaceTables(text, tables)
		used += n
		switch {
		case err != nil:
			t.Errorf("%s: %v", path, err)
		case bytes.Equal(text, want):
		case *update:
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Error(err)
			}
		default:
			t.Errorf("%s differs from the result files: run go test ./notebooks/results -update", path)
		}
	}
	if used < 26 {
		t.Errorf("the documents have %d tables: a mark is missing", used)
	}
}

var mark = regexp.MustCompile(`(?s)(<!-- ([^>]*) -->\n)(.*?)<!-- end of ([^>]*) -->`)

// models is the mark of the README's table of models, which a test of the command compares with them.
const models = "models"

// replaceTables returns a document with the tables that belong between its marks.
func replaceTables(text []byte, tables *template.Template) (out []byte, n int, err error) {
	out = mark.ReplaceAllFunc(text, func(part []byte) []byte {
		match := mark.FindSubmatch(part)
		name := string(match[2])
		if name == models {
			return part
		}
		var table bytes.Buffer
		if failed := tables.ExecuteTemplate(&table, name, nil); failed != nil {
			err = cmp.Or(err, failed)
		} else if strings.Contains(table.String(), "<no value>") || name != string(match[4]) {
			err = fmt.Errorf("table %s lacks a value or its end mark", name)
		}
		n++
		end := part[len(match[1])+len(match[3]):]
		return slices.Concat(match[1], bytes.TrimLeft(table.Bytes(), "\n"), end)
	})
	return out, n, err
}

// TestChangedFigureIsReplaced changes one digit of a document.
func TestChangedFigureIsReplaced(t *testing.T) {
	const text = "a\n<!-- x -->\n| 0.5 |\n<!-- end of x -->\nb\n"
	tables := template.Must(template.New("x").Parse("\n| 0.5 |\n"))
	for _, changed := range []string{text, strings.Replace(text, "0.5", "0.6", 1)} {
		got, n, err := replaceTables([]byte(changed), tables)
		if err != nil || n != 1 || string(got) != text {
			t.Errorf("%q, %d tables, error %v", got, n, err)
		}
	}
	if _, _, err := replaceTables([]byte("<!-- y -->\n<!-- end of y -->"), tables); err == nil {
		t.Error("no error for an unknown table")
	}
}

// doc is a result file.
type doc struct {
	File, Command, Machine, Date string
	R                            any // the result
}

func readDoc(file string) (doc, error) {
	var d struct {
		Command, Machine, Date string
		Result                 any
	}
	content, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(content, &d)
	}
	if err == nil && (d.Command == "" || d.Machine == "" || d.Date == "") {
		err = fmt.Errorf("%s lacks a command, a machine or a date", file)
	}
	return doc{file, d.Command, d.Machine, d.Date, d.Result}, err
}

// docs reads the files that match a pattern.
func docs(pattern string) (all []doc, err error) {
	files, err := filepath.Glob(pattern)
	for _, file := range files {
		d, failed := readDoc(file)
		all, err = append(all, d), cmp.Or(err, failed)
	}
	return all, err
}

// join returns the elements of lists, and what is no list itself.
func join(lists ...any) (all []any) {
	for _, list := range lists {
		switch list := list.(type) {
		case []doc:
			for _, d := range list {
				all = append(all, d)
			}
		case []any:
			all = append(all, list...)
		default:
			all = append(all, list)
		}
	}
	return all
}

// find returns a part of a JSON value by its path, such as "best.0.valid_mrr", or nil. A "*"
// stands for all elements of an array.
func find(value any, path string) any {
	key, rest, more := strings.Cut(path, ".")
	switch container := value.(type) {
	case map[string]any:
		value = container[key]
	case []any:
		if key == "*" {
			var parts []any
			for _, each := range container {
				parts = append(parts, find(each, rest))
			}
			return parts
		}
		i, _ := strconv.Atoi(key)
		value = container[i]
	default:
		return nil
	}
	if more {
		return find(value, rest)
	}
	return value
}

// number converts a number of any type; nil is 0.
func number(x any) float64 {
	switch v := reflect.ValueOf(x); {
	case !v.IsValid():
		return 0
	case v.CanInt():
		return float64(v.Int())
	default:
		return v.Float()
	}
}

// numbers converts a list of numbers, or the numbers at a path of a value.
func numbers(value any, path ...string) (all []float64) {
	if len(path) > 0 {
		value = find(value, path[0])
	}
	if converted, is := value.([]float64); is {
		return converted
	}
	list, _ := value.([]any)
	for _, x := range list {
		all = append(all, number(x))
	}
	return all
}

// each returns the numbers at a path of the results that have one.
func each(all []doc, path string) (numbers []float64) {
	for _, d := range all {
		if x, is := find(d.R, path).(float64); is {
			numbers = append(numbers, x)
		}
	}
	return numbers
}

// keys returns the values of a key in the order of their first appearance.
func keys(all []doc, path string) []string {
	return unique(all, func(d doc) string { return find(d.R, path).(string) })
}

func unique[T any](all []T, key func(T) string) (values []string) {
	for _, each := range all {
		if k := key(each); !slices.Contains(values, k) {
			values = append(values, k)
		}
	}
	return values
}

// group divides files by two keys, in the order of their first appearance.
func group(all []doc, a, b string) [][]doc {
	return groupBy(all, func(d doc) string { return fmt.Sprint(find(d.R, a), find(d.R, b)) })
}

func groupBy(all []doc, key func(doc) string) (groups [][]doc) {
	for _, k := range unique(all, key) {
		groups = append(groups, slices.DeleteFunc(slices.Clone(all), func(d doc) bool {
			return key(d) != k
		}))
	}
	return groups
}

// spread returns the mean and the standard deviation, or the number if there is just one.
func spread(layout string, x []float64) string {
	switch len(x) {
	case 0:
		return format.Missing
	case 1:
		return fmt.Sprintf(layout, x[0])
	}
	mean, deviation := stat.MeanStdDev(x, nil)
	return fmt.Sprintf(layout+" ± "+layout, mean, deviation)
}

// meanError returns the mean and its standard error.
func meanError(decimals int, x []float64) string {
	mean, deviation := stat.MeanStdDev(x, nil)
	if len(x) == 1 {
		return fmt.Sprintf("%+.*f", decimals, mean)
	}
	return fmt.Sprintf("%+.*f ± %.*f", decimals, mean, decimals,
		stat.StdErr(deviation, float64(len(x))))
}

// duration returns the median of seconds.
func duration(seconds any) string {
	if x := numbers(seconds); len(x) > 0 {
		return format.Milliseconds(record.Median(x))
	}
	return format.Missing
}

// mrrs returns the test MRRs of the members of a training, or of its only model.
func mrrs(training any) []float64 {
	if all := numbers(training, "members.*.test.both.mrr"); len(all) > 0 {
		return all
	}
	return []float64{number(find(training, "test.both.mrr"))}
}

// rows returns the elements of results that are arrays.
func rows(all []doc) (rows []any) {
	for _, d := range all {
		rows = append(rows, d.R.([]any)...)
	}
	return rows
}

// pivoted holds values in rows and columns.
type pivoted struct {
	Columns []string
	Rows    []pivotedRow
}

// pivotedRow holds the first value of a row, and its last value of each column, or nil.
type pivotedRow struct {
	First any
	Cells []any
}

// pivot arranges values by a column key and row keys.
func pivot(all []any, column string, row ...string) (t pivoted) {
	columnOf := func(v any) string { return find(v, column).(string) }
	rowOf := func(v any) (key string) {
		for _, k := range row {
			key += fmt.Sprint(find(v, k), " ")
		}
		return key
	}
	t.Columns = unique(all, columnOf)
	for _, key := range unique(all, rowOf) {
		r := pivotedRow{Cells: make([]any, len(t.Columns))}
		for _, v := range all {
			if rowOf(v) == key {
				r.First = cmp.Or(r.First, v)
				r.Cells[slices.Index(t.Columns, columnOf(v))] = v
			}
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// bestMean returns the best mean validation MRR on a graph.
func bestMean(all []any, graph string) (best float64) {
	for _, v := range all {
		if find(v, "dataset") == graph {
			best = max(best, stat.Mean(numbers(v, "valid"), nil))
		}
	}
	return best
}

// shares describes the settings of classify train with the best mean share of held-out nodes.
type shares struct{ Mean, StdError float64 }

func bestShares(t pivoted) (best shares) {
	for _, r := range t.Rows {
		mean, variance := stat.Mean(numbers(r.Cells, "*.held_out"), nil), 0.0
		for _, v := range r.Cells {
			share := number(find(v, "held_out"))
			variance += share * (1 - share) / number(find(v, "nodes"))
		}
		if mean > best.Mean {
			best = shares{mean, math.Sqrt(variance) / float64(len(r.Cells))}
		}
	}
	return best
}

// isDefault reports whether settings are the defaults of classify train.
func isDefault(settings any) bool {
	defaults := classify.Defaults(classify.BLM)
	return number(find(settings, "seen_by")) == float64(defaults.SeenBy) &&
		number(find(settings, "dim")) == float64(defaults.Dim) &&
		find(settings, "dropout") == classify.DefaultMember().Dropout
}

// best returns the value with the largest number at a path.
func best(values []any, path string) any {
	return slices.MaxFunc(values, func(a, b any) int {
		return cmp.Compare(number(find(a, path)), number(find(b, path)))
	})
}

// wilson returns Wilson's interval of 95 % for a share that was measured on n examples.
func wilson(share, n float64) (low, high float64) {
	const z = 1.959964
	weight := z * z / n
	middle := (share + weight/2) / (1 + weight)
	half := math.Sqrt((share*(1-share)+weight/4)*weight) / (1 + weight)
	return middle - half, middle + half
}

// published returns figures in the paper's tables of queries (MRR and Hits@3, Section V-B) or
// classes (accuracy in percent), or nil.
func published(kind, key string) any {
	d, _ := readDoc("published.json")
	return find(d.R, kind+"."+key)
}

// Graph returns the name of a benchmark of queries without its prefix and suffix.
func (d doc) Graph() string {
	name := find(d.R, "dataset").(string)
	return strings.TrimPrefix(strings.TrimSuffix(name, "-drawn"), "query2box-")
}

// model returns the key of a query model: a baseline, a named structure or "found".
func (d doc) model() string {
	if text, is := find(d.R, "structure").(string); is {
		return cmp.Or(structure.MustParse(text).Name(), "found")
	}
	return find(d.R, "model").(string)
}

// Title returns the title of a query model.
func (d doc) Title() string {
	titles := map[string]string{
		"transe": "TransE-Comp", "diag": "Diag-Comp", "gqe": "GQE", "q2b": "Query2box",
		"found": "the one found",
	}
	key := d.model()
	return cmp.Or(titles[key], title(key), key)
}

// title returns the title of a baseline, or "".
func title(text string) string {
	for _, named := range structure.Baselines() {
		if named.Name == text || named.Structure.String() == text {
			return named.Title
		}
	}
	return ""
}

// Paper returns the figures of the paper for a query model, or nothing.
func (d doc) Paper() []float64 {
	key := fmt.Sprintf("%s %v %s", d.Graph(), find(d.R, "hops"), d.model())
	return numbers(published("queries", key))
}

// queries reads the files of queries, by graph, hops and test MRR.
func queries(pattern string) ([]doc, error) {
	all, err := docs(pattern)
	slices.SortStableFunc(all, func(a, b doc) int {
		return cmp.Or(-cmp.Compare(a.Graph(), b.Graph()),
			cmp.Compare(number(find(a.R, "hops")), number(find(b.R, "hops"))),
			cmp.Compare(number(find(a.R, "test.mrr")), number(find(b.R, "test.mrr"))))
	})
	return all, err
}

var (
	dropoutFlag = regexp.MustCompile(`--dropout[ =](\S+)`)
	pathLength  = regexp.MustCompile(`-[23]p-`)
	peerFlag    = regexp.MustCompile(` --(?:step-)?peer ('[^']*'|"[^"]*"|\S+)`)
)

// queryDropout returns the dropout in the command of query train, which may be in the file of
// another path length.
func queryDropout(file string) (string, error) {
	all, err := docs(pathLength.ReplaceAllString(file, "-?p-"))
	for _, d := range all {
		flags := dropoutFlag.FindAllStringSubmatch(d.Command, -1)
		if len(flags) > 0 && flags[len(flags)-1][1] != "0" {
			return "0" + strings.TrimPrefix(flags[len(flags)-1][1], "0"), err
		}
	}
	return format.Missing, err
}

// epoch returns the median time of an epoch, with the range if the rounds differ much.
func epoch(outcome any) string {
	all := slices.Sorted(slices.Values(numbers(outcome, "seconds")))
	for i := range all {
		all[i] *= number(find(outcome, "per_epoch"))
	}
	least, most := all[:1], all[len(all)-1:]
	if most[0] > 1.5*least[0] {
		return fmt.Sprintf("%s (%s to %s)", duration(all), duration(least), duration(most))
	}
	return duration(all)
}
