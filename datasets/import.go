package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/datasets/facts"
	"github.com/autoblm/autoblm-go/internal/textfile"
)

// ImportSettings configures [Import].
type ImportSettings struct {
	facts.Options
	// Literals keeps numbers and literals of RDF as entities.
	Literals bool `json:"literals" help:"Keep numbers and other literals as entities."`
	SplitSettings
}

// DefaultImport returns settings that suit most files.
func DefaultImport() ImportSettings {
	return ImportSettings{Options: facts.DefaultOptions(), SplitSettings: DefaultSplit()}
}

// ImportReport describes what [Import] kept and dropped.
type ImportReport struct {
	Files []facts.Report `json:"files"`
	// Dropped has the reasons of all files, and duplicates and literals.
	Dropped facts.Drops `json:"dropped"`
	// Changed has the reasons for which labels were changed.
	Changed facts.Drops `json:"changed,omitempty"`
	// Weighted is true if a fact has a weight other than 1.
	Weighted bool `json:"weighted"`
	SplitReport
}

// Reasons for which [Import] drops facts.
const (
	droppedLiterals   = "facts whose tail is a number or a literal"
	droppedDuplicates = "duplicates"
)

// Import reads facts from files of any format of package facts and divides them like
// [SplitTriples]. A number is a literal if it is never a head, its head is no number, and
// most tails of its relation are numbers. A single folder is read by [ReadFolder] and keeps its
// splits; the settings must be those of [DefaultImport], except for Normalize.
func Import(paths []string, s ImportSettings) (*Graph, *ImportReport, error) {
	if len(paths) == 0 {
		return nil, nil, errors.New("no files to import: name at least one")
	}
	if info, err := os.Stat(paths[0]); err == nil && info.IsDir() && len(paths) == 1 {
		settings := DefaultImport()
		settings.Normalize = s.Normalize
		if !reflect.DeepEqual(s, settings) {
			return nil, nil, fmt.Errorf("%s is a folder, which keeps its splits: "+
				"leave out the settings other than normalize, or name its files", paths[0])
		}
		return importFolder(paths[0], s.Normalize)
	}
	im := importer{labels: newLabels(), settings: s}
	for _, path := range paths {
		if err := im.read(path); err != nil {
			return nil, nil, err
		}
	}
	if !s.Literals {
		im.dropNumbers()
	}
	if len(im.facts) == 0 {
		return nil, nil, im.noFacts(paths)
	}
	all := im.graph(graphName(paths[0]))
	im.report.Weighted = all.Weights != nil
	noFile := func(string) (*textfile.File, error) { return nil, fs.ErrNotExist }
	if err := all.declareTypes(noFile); err != nil {
		return nil, nil, err
	}
	var divided *Graph
	var err error
	if divided, im.report.SplitReport, err = SplitTriples(all, s.SplitSettings); err != nil {
		return nil, nil, err
	}
	if d := im.report.SplitReport; d.Duplicates > 0 {
		im.report.Dropped.Add(droppedDuplicates, d.Duplicates, all.Text(d.duplicate))
	}
	return divided, &im.report, nil
}

// importFolder reads a folder with splits, and may normalize its labels.
func importFolder(dir string, normalize bool) (*Graph, *ImportReport, error) {
	g, err := ReadFolder(dir)
	if err != nil {
		return nil, nil, err
	}
	changed, all := 0, len(g.Train)+len(g.Valid)+len(g.Test)
	var dropped facts.Drops
	if normalize {
		g, changed = g.normalized()
		if n, example := g.dropDuplicates(); n > 0 {
			dropped.Add(droppedDuplicates, n, g.Text(example))
		}
	}
	return g, &ImportReport{
		Dropped:  dropped,
		Files:    []facts.Report{{File: dir, Format: "folder with splits", Facts: all}},
		Weighted: g.Weights != nil,
		SplitReport: SplitReport{
			WantedValid: len(g.Valid), WantedTest: len(g.Test), Normalized: changed,
		},
	}, nil
}

// dropDuplicates keeps the first of equal facts in each split. It returns the number of the others, and
// one of them.
func (g *Graph) dropDuplicates() (count int, example Triple) {
	for i, split := range []*[]Triple{&g.Train, &g.Valid, &g.Test} {
		kept := distinct(*split, len(g.Entities))
		if len(kept) == len(*split) {
			continue
		}
		count += len(*split) - len(kept)
		example = firstDuplicate(*split, kept)
		*split = pick(*split, kept)
		if i == 0 && g.Weights != nil {
			g.Weights = pick(g.Weights, kept)
		}
		if i == 0 && g.times != nil {
			g.times = pick(g.times, kept)
		}
	}
	return count, example
}

// noFacts returns the error of files without facts, with the most frequent reason.
func (im *importer) noFacts(paths []string) error {
	why := "expected a head, a relation and a tail on each line"
	most := facts.Drop{}
	for _, d := range im.report.Dropped {
		if d.Count > most.Count {
			most, why = d, fmt.Sprintf("all are %s, such as %s", d.Reason, d.Example)
		}
	}
	if most.Reason == droppedLiterals {
		why += "; the setting literals keeps them"
	}
	return fmt.Errorf("%s: no facts: %s", strings.Join(paths, ", "), why)
}

// graphName returns the name of a file without its endings.
func graphName(path string) string {
	if path == facts.Stdin {
		return "graph"
	}
	name := filepath.Base(facts.Unpacked(path))
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// importer collects the facts of files.
type importer struct {
	settings ImportSettings
	labels   *graphLabels
	facts    []importedFact
	clock    clock
	report   ImportReport
}

// importedFact is a fact with ids instead of labels.
type importedFact struct {
	Triple
	weight     float32 // 1 unless isWeighted
	isWeighted bool
	file, line int32
	time       float64 // for a split by time
}

// read adds the facts of a file.
func (im *importer) read(path string) error {
	entities, relations := len(im.labels.entities.labels), len(im.labels.relations.labels)
	before, file := len(im.facts), int32(len(im.report.Files))
	literals, first := 0, ""
	report, err := facts.Read(path, im.settings.Options, func(f facts.Fact) (err error) {
		if f.IsLiteral && !im.settings.Literals {
			if literals++; literals == 1 {
				first = fmt.Sprintf("%s:%d: %v", path, f.Line, f)
			}
			return nil
		}
		read := importedFact{
			weight: float32(f.Weight), isWeighted: f.IsWeighted,
			file: file, line: int32(min(f.Line, math.MaxInt32)),
		}
		if im.settings.By == ByTime {
			if read.time, err = im.clock.parse(f.Time); err != nil {
				return err
			}
		}
		read.Triple = Triple{
			Head:     im.labels.entities.id(entityLabel(f, f.Head, file)),
			Relation: im.labels.relations.id(f.Relation),
			Tail:     im.labels.entities.id(entityLabel(f, f.Tail, file)),
		}
		im.facts = append(im.facts, read)
		return nil
	})
	if err != nil {
		return err
	}
	report.Dropped.Add(droppedLiterals, literals, first)
	im.report.Files = append(im.report.Files, report)
	for _, d := range report.Dropped {
		im.report.Dropped.Add(d.Reason, d.Count, d.Example)
	}
	for _, d := range report.Changed {
		im.report.Changed.Add(d.Reason, d.Count, d.Example)
	}
	triples := triplesOf(im.facts[before:])
	if report.Columns != nil && hasTitles(triples, im.labels, entities, relations) {
		warning := fmt.Sprintf("the first line of %s looks like column titles but is read as a fact: "+
			"remove it if it is a header", path)
		if columns := facts.WithTitles(im.labels.titles); columns != "" {
			warning += ", or name the columns, " + columns
		}
		im.labels.warnings = append(im.labels.warnings, warning)
	}
	return nil
}

// entityLabel returns the label of an end of a fact. Blank nodes of the same name in different files
// are different nodes, so those after the first file get the number of theirs.
func entityLabel(f facts.Fact, label string, file int32) string {
	if name, isBlank := strings.CutPrefix(label, "_:"); isBlank && f.IsRDF && file > 0 {
		return fmt.Sprintf("_:file%d-%s", file+1, name)
	}
	return label
}

func triplesOf(facts []importedFact) []Triple {
	triples := make([]Triple, len(facts))
	for i, f := range facts {
		triples[i] = f.Triple
	}
	return triples
}

// dropNumbers drops the facts whose tail is a number that is a literal.
func (im *importer) dropNumbers() {
	entities, relations := im.labels.entities.labels, im.labels.relations.labels
	isNumber, isHead := make([]bool, len(entities)), make([]bool, len(entities))
	for id, label := range entities {
		isNumber[id] = looksNumeric(label)
	}
	numbers, all := make([]int, len(relations)), make([]int, len(relations))
	for _, f := range im.facts {
		isHead[f.Head] = true
		all[f.Relation]++
		if isNumber[f.Tail] {
			numbers[f.Relation]++
		}
	}
	im.facts = slices.DeleteFunc(im.facts, func(f importedFact) bool {
		isLiteral := isNumber[f.Tail] && !isHead[f.Tail] && !isNumber[f.Head] &&
			2*numbers[f.Relation] > all[f.Relation]
		if isLiteral {
			im.report.Dropped.Add(droppedLiterals, 1, fmt.Sprintf("%s:%d: %s, %s, %s",
				im.report.Files[f.file].File, f.line, entities[f.Head], relations[f.Relation],
				entities[f.Tail]))
		}
		return isLiteral
	})
}

// looksNumeric reports whether a label is a number in digits, perhaps with spaces around it.
func looksNumeric(label string) bool {
	label = NormalLabel(label)
	if label == "" || !strings.ContainsRune("+-.0123456789", rune(label[0])) {
		return false
	}
	_, err := strconv.ParseFloat(label, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// graph returns a graph with all facts in train.
func (im *importer) graph(name string) *Graph {
	g := &Graph{
		Name: name, Train: triplesOf(im.facts),
		Entities: im.labels.entities.labels, Relations: im.labels.relations.labels,
		warnings: im.labels.warnings,
	}
	if slices.ContainsFunc(im.facts, func(f importedFact) bool { return f.weight != 1 }) {
		g.Weights = weightsOf(im.facts)
	}
	if im.settings.By == ByTime {
		for _, f := range im.facts {
			g.times = append(g.times, f.time)
		}
	}
	return g
}

// weightsOf returns the weights of facts. One without a weight has the mean of the others.
func weightsOf(facts []importedFact) []float32 {
	sum, weighted := 0.0, 0
	for _, f := range facts {
		if f.isWeighted {
			sum += float64(f.weight)
			weighted++
		}
	}
	weights := make([]float32, len(facts))
	for i, f := range facts {
		if weights[i] = f.weight; !f.isWeighted {
			weights[i] = float32(sum / float64(weighted))
		}
	}
	return weights
}
