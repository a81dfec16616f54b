package rdf

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/facts"
)

// classesFile has lines of node<TAB>class.
const classesFile = "classes.tsv"

// hasFacts reports whether a folder has a graph that is no N-Triples.
func hasFacts(dir string) bool { return datasets.HasGraph(dir) || hasFile(dir, isFacts) }

// isFacts reports whether a file has facts of a format of package facts.
func isFacts(name string) bool {
	return facts.CanRead(name) && !strings.HasPrefix(name, classesFile) &&
		!isLabels(name) && !isTable(name, "completeDataset")
}

// readFacts reads the splits of a graph in a folder as one graph, or its files of facts.
func (b *builder) readFacts(dir string) error {
	var g *datasets.Graph
	var err error
	if datasets.HasGraph(dir) {
		g, err = datasets.ReadFolder(dir)
	} else {
		g, err = b.importFacts(dir)
	}
	if err != nil {
		return err
	}
	b.graph.warnings = append(b.graph.warnings, g.ReadWarnings()...)
	for _, split := range [][]datasets.Triple{g.Train, g.Valid, g.Test} {
		for _, t := range split {
			b.addTriple([3]string{g.Entities[t.Head], g.Relations[t.Relation], g.Entities[t.Tail]})
		}
	}
	return nil
}

// importFacts reads all files of facts in a folder.
func (b *builder) importFacts(dir string) (*datasets.Graph, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if isFacts(e.Name()) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	settings := datasets.DefaultImport()
	settings.Valid, settings.Test, settings.Literals, settings.Lenient = 0, 0, true, b.options.Lenient
	g, report, err := datasets.Import(files, settings)
	if err != nil {
		return nil, err
	}
	b.graph.warnings = report.Warnings()
	for _, d := range report.Dropped {
		if d.Reason == facts.Malformed || d.Reason == facts.Unclosed {
			b.graph.Skipped += d.Count
			b.graph.FirstSkipped = cmp.Or(b.graph.FirstSkipped, errors.New(d.Example))
		}
	}
	return g, nil
}

// readClasses reads lines of node<TAB>class, maybe after titles, and draws a fifth of them, at least
// one, for the test. Two of each class stay for training, where it has them.
func (r *labelReader) readClasses(dir string, g *Graph) error {
	var labels []Label
	path := filepath.Join(dir, classesFile)
	isFirst := true
	err := datasets.VisitFile(dir, classesFile, func(line []byte) error {
		cells := r.cells(string(line))
		if len(cells) != 2 {
			return errors.New("expected node<TAB>class")
		}
		_, isNode := r.node(cells[0])
		hasTitles := isFirst && !isNode && areTitles(cells[0], cells[1])
		if isFirst = false; hasTitles {
			return nil
		}
		label, err := r.label(cells[0], cells[1], path)
		labels = append(labels, label)
		return err
	})
	if err != nil {
		return err
	}
	if len(labels) < 2 {
		return fmt.Errorf("%s: %d labelled nodes are too few to train and to test", path, len(labels))
	}
	isTest := drawTest(labels)
	for i, label := range labels {
		if isTest[i] {
			g.Test = append(g.Test, label)
		} else {
			g.Train = append(g.Train, label)
		}
	}
	return nil
}

// areTitles reports whether two cells are common titles of nodes and classes.
func areTitles(node, class string) bool {
	return slices.Contains([]string{"node", "entity", "id", "name", "label"}, strings.ToLower(node)) &&
		slices.Contains([]string{"class", "label", "type", "category"}, strings.ToLower(class))
}

// drawTest draws the labels of the test, of each class about a fifth.
func drawTest(labels []Label) (isTest []bool) {
	const least = 2         // nodes of a class, which cross-validation needs
	left := map[int32]int{} // for training, by class
	for _, l := range labels {
		left[l.Class]++
	}
	most := map[int32]int{} // for the test, by class: a fifth, rounded up
	for class, n := range left {
		most[class] = (n + 4) / 5
	}
	isTest = make([]bool, len(labels))
	drawn, order := 0, rand.New(rand.NewPCG(1, 0)).Perm(len(labels))
	for _, i := range order {
		class := labels[i].Class
		if drawn < max(1, len(labels)/5) && left[class] > least && most[class] > 0 {
			isTest[i] = true
			left[class]--
			most[class]--
			drawn++
		}
	}
	if drawn == 0 {
		many := slices.IndexFunc(order, func(i int) bool { return left[labels[i].Class] > 1 })
		isTest[order[max(many, 0)]] = true
	}
	return isTest
}
