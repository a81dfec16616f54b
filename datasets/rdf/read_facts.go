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
		!isTable(name, "trainingSet") && !isTable(name, "testSet") && !isTable(name, "completeDataset")
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
		node, class, found := strings.Cut(string(line), "\t")
		if !found || strings.Contains(class, "\t") {
			return fmt.Errorf("expected node<TAB>class")
		}
		_, isNode := r.nodes[node]
		hasTitles := isFirst && !isNode && areTitles(node, class)
		if isFirst = false; hasTitles {
			return nil
		}
		label, err := r.label(node, class, path)
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

// drawTest draws the labels of the test.
func drawTest(labels []Label) (isTest []bool) {
	const least = 2         // nodes of a class, which cross-validation needs
	left := map[int32]int{} // for training, by class
	for _, l := range labels {
		left[l.Class]++
	}
	isTest = make([]bool, len(labels))
	drawn, order := 0, rand.New(rand.NewPCG(1, 0)).Perm(len(labels))
	for _, i := range order {
		if class := labels[i].Class; drawn < max(1, len(labels)/5) && left[class] > least {
			isTest[i] = true
			left[class]--
			drawn++
		}
	}
	if drawn == 0 {
		many := slices.IndexFunc(order, func(i int) bool { return left[labels[i].Class] > 1 })
		isTest[order[max(many, 0)]] = true
	}
	return isTest
}
