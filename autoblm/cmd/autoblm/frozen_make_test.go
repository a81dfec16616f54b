package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/datasets"
)

var makeFrozen = flag.Bool("make-frozen", false, "write the data and the old files of testdata/frozen anew, as this program writes them")

// TestMakeFrozen made the data and the old files of testdata/frozen. What it makes now
// is no longer old; it tells how they came about, and may make more.
func TestMakeFrozen(t *testing.T) {
	if !*makeFrozen {
		t.Skip("-make-frozen was not given")
	}
	kept := frozenFolder(t)
	for _, folder := range []string{"data", "old"} {
		if err := os.RemoveAll(filepath.Join(kept, folder)); err != nil {
			t.Fatal(err)
		}
	}
	if err := datasets.WriteFolder(enginetest.Graph(), filepath.Join(kept, "data", "small")); err != nil {
		t.Fatal(err)
	}
	writeNodes(t, filepath.Join(kept, "data", "kinds"))

	dir := filepath.Join(os.TempDir(), "frozen") // what studies and models name as the place of their data
	defer os.RemoveAll(dir)
	enterFrozen(t, kept, dir)
	run := func(command string) {
		t.Helper()
		object(t, strings.Fields(command)...)
	}
	run("query sample --dataset small --hops 2,3 --count 60 --out queries")
	run("train --recipe plain --dataset small --structure simple --dim 8 --epochs 6 --batch 32 --out old/models/triples")
	run("train --recipe plain --dataset small --structure 1,-2;2,1 --dim 8 --epochs 6 --batch 32 --reciprocal --validate-every 2 --dura 0.01 --out old/models/reverses")
	run("query train --dataset queries --structure complex --dim 8 --epochs 6 --batch 16 --out old/models/bilinear")
	run("query train --dataset queries --structure complex --dim 8 --epochs 6 --batch 16 --with 1 --no-reciprocal --out old/models/transposed")
	for _, kind := range []string{"transe", "diag", "gqe", "q2b"} {
		run("query train --dataset queries --model " + kind + " --dim 8 --epochs 6 --batch 16 --hops 3 --with 1,2 --optimizer adam --lr 0.01 --out old/models/" + kind)
	}
	run("search --dataset world --tune 2 --final 2 --final-dims 8 --final-epochs 2 --budget 8 --dim 8 --epochs 2 --n 16 --p 4 --i 4 --study old/finished.db --out out")

	// Of what the list does from beginning to end, the first part.
	for _, line := range frozenCommands(t, kept) {
		searched, isSearch := strings.CutPrefix(line, "search ")
		isSearch = isSearch && strings.Contains(line, "--study alone/")
		switch {
		case isSearch && strings.Contains(line, "--study alone/killed.db"):
			leaveHalfDone(t, strings.Replace(line, "--study alone/", "--study old/", 1), "old/killed.db", func() bool { return halfDone("old/killed.db") })
		case isSearch: // two whole rounds
			run("search " + strings.NewReplacer("--study alone/", "--study old/", "--budget 10", "--budget 6").Replace(searched))
		case strings.HasPrefix(line, "reproduce "):
			folder := filepath.Join("old", filepath.Base(line)) // its --out comes last
			leaveHalfDone(t, strings.Replace(line, "--out alone/", "--out old/", 1), folder, func() bool {
				return inTraining(folder+"/final.training") || inTraining(folder+"/search.training") && halfDone(folder+"/study.db")
			})
		}
	}
	journals, _ := filepath.Glob("old/*-journal") // all rolled back
	more, _ := filepath.Glob("old/*/*-journal")
	for _, journal := range append(journals, more...) {
		_ = os.Remove(journal)
	}
	if err := os.CopyFS(filepath.Join(kept, "old"), os.DirFS("old")); err != nil {
		t.Fatal(err)
	}
}

// halfDone says whether some structures were trained and others were about to be.
func halfDone(file string) bool {
	contents, err := study.Read(file)
	return err == nil && contents.Result().Trained > 0 && contents.Counts().Running > 0
}

// inTraining says whether a checkpoint has some epochs and lacks more.
func inTraining(file string) bool {
	content, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	var wanted, done int
	found := regexp.MustCompile(`"epochs":(\d+),"batch".*"epochs":(\d+),"steps"`).FindSubmatch(content)
	_, err = fmt.Sscan(string(found[1])+" "+string(found[2]), &wanted, &done)
	return err == nil && wanted/5 < done && done < wanted*4/5
}

// leaveHalfDone kills the program at random moments, each time from the beginning,
// until what it leaves is good.
func leaveHalfDone(t *testing.T, command, left string, good func() bool) {
	t.Helper()
	for range 2000 {
		if err := os.RemoveAll(left); err != nil {
			t.Fatal(err)
		}
		program := startProgram(t, strings.Fields(command)...)
		time.Sleep(time.Duration(rand.Int64N(int64(time.Second / 4))))
		_ = program.Process.Kill()
		_ = program.Wait()
		if good() {
			return
		}
	}
	t.Fatalf("%s was not killed in time", command)
}

// writeNodes draws an RDF graph of three kinds of nodes, most of whose edges go to the
// hubs of their kind.
func writeNodes(t *testing.T, dir string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 0))
	const nodes, kinds, hubs, relations = 90, 3, 4, 3
	tables := map[string]*strings.Builder{}
	for _, name := range []string{"graph.nt", "trainingSet.tsv", "testSet.tsv"} {
		tables[name] = &strings.Builder{}
	}
	tables["trainingSet.tsv"].WriteString("node\tlabel\n")
	tables["testSet.tsv"].WriteString("node\tlabel\n")
	for i := range nodes {
		kind := i % kinds
		for range 3 {
			near := kind
			if rng.IntN(10) < 4 {
				near = rng.IntN(kinds)
			}
			fmt.Fprintf(tables["graph.nt"], "<x:%d> <r:%d> <hub:%d> .\n", i, rng.IntN(relations), near*hubs+rng.IntN(hubs))
		}
		fmt.Fprintf(tables["graph.nt"], "<x:%d> <r:%d> <x:%d> .\n", i, rng.IntN(relations), rng.IntN(nodes))
		table := "trainingSet.tsv"
		if i%5 == 4 {
			table = "testSet.tsv"
		}
		fmt.Fprintf(tables[table], "x:%d\tkind %d\n", i, kind)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range tables {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
