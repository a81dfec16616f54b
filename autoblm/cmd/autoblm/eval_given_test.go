package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestOGBRecipes trains a few steps with the published recipes for folders of OGB, which are found by
// the names of the folders.
func TestOGBRecipes(t *testing.T) {
	testdata, err := filepath.Abs("../../../datasets/testdata/ogb")
	must(t, err)
	t.Chdir(t.TempDir())
	for _, folder := range []string{"biokg", "wikikg2"} {
		copyFolder(t, "ogbl_"+folder, filepath.Join(testdata, folder))
	}
	for _, c := range []struct{ graph, recipe, field, value string }{
		{"ogbl_biokg", "autosf-ogb", "structure", "1,1,0,0;0,2,0,0;0,0,3,0;0,0,0,4"},
		{"ogbl_wikikg2", "autosf-ogb", "structure", "1,0,0,0;0,2,0,3;0,0,1,3;0,-2,4,0"},
		{"ogbl_biokg", "pairre", "model", "pairre"},
	} {
		o := object(t, "train --no-eval --dim 8 --epochs 2 --dataset", c.graph, "--recipe", c.recipe)
		has(t, o, fields{c.field: c.value})
		if first, last := number(t, o, "loss.0"), number(t, o, "loss.1"); !(last < first) {
			t.Errorf("%s for %s does not learn: the loss is %v, then %v", c.recipe, c.graph, first, last)
		}
	}
}

// TestOGBFolders trains and evaluates on folders of OGB. The metrics among given negatives stand next
// to the others, and alone if the graph is large.
func TestOGBFolders(t *testing.T) {
	biokg, err := filepath.Abs("../../../datasets/testdata/ogb/biokg")
	must(t, err)
	t.Chdir(t.TempDir())
	succeed(t, "train --out m", quick, "--dataset", biokg)
	stdout, _ := succeed(t, "eval --model m --dataset", biokg)
	contains(t, stdout, "test  ", "given negatives  MRR", "right kind")
	stdout, _ = succeed(t, "eval --model m --split train --dataset", biokg)
	if strings.Contains(stdout, "given negatives") {
		t.Errorf("train has no negatives:\n%s", stdout)
	}

	stdout, _ = succeed(t, "dataset import --out g", biokg)
	contains(t, strings.Join(strings.Fields(stdout), " "), "30 train 4 valid 6 test",
		"The given negatives are not copied: evaluate with --dataset")
	fail(t, cli.Failed, "a folder, which keeps its splits", "dataset import --valid 0.3 --out h", biokg)
	contains(t, readFile(t, "g/entity2type.txt"), "disease/C0001\tdisease\n", "protein/0\tprotein\n")
	succeed(t, "train --out imported", quick, "--dataset g")
	stdout, _ = succeed(t, "eval --model imported --dataset", biokg)
	contains(t, stdout, "given negatives  MRR")

	entity, _, _ := strings.Cut(readFile(t, "g/test.txt"), "\t") // the model below lacks it
	for _, split := range []string{"train", "valid"} {
		var lines []string
		for line := range strings.Lines(readFile(t, "g/"+split+".txt")) {
			if !strings.Contains(line, entity+"\t") && !strings.Contains(line, entity+"\n") {
				lines = append(lines, line)
			}
		}
		writeFile(t, strings.Join(lines, ""), "fewer", split+".txt")
	}
	succeed(t, "train --out fewer-model", quick, "--dataset fewer")
	o := object(t, "eval --model fewer-model --sample 100 --dataset", biokg)
	if n := number(t, o, "given_negatives.triples"); n >= 6 || get(o, "given_negatives.of") != nil {
		t.Errorf("all %v triples that the model knows are a sample: %v", n, o["given_negatives"])
	}

	usual := mostCompared
	mostCompared = 10
	defer func() { mostCompared = usual }()
	stdout, _ = succeed(t, "eval --model m --by relation --verbose --dataset", biokg)
	contains(t, stdout, "given negatives  MRR", "heads", "tails", "only these are compared", "drug-disease")
	if strings.Contains(stdout, "right kind") || strings.Contains(stdout, "popularity") {
		t.Errorf("all entities were compared:\n%s", stdout)
	}
	var only struct {
		Test  json.RawMessage
		Given struct{ Triples int } `json:"given_negatives"`
	}
	stdout, _ = succeed(t, "eval --model m --json --dataset", biokg)
	if err := json.Unmarshal([]byte(stdout), &only); err != nil || only.Test != nil || only.Given.Triples != 6 {
		t.Errorf("%s (%v)", stdout, err)
	}
}
