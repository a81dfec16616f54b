package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/exchange"
	"github.com/autoblm/autoblm-go/internal/cli"
)

const ofPyKEEN = "../../kge/exchange/testdata/pykeen/complex-4-inverse"

// trainedModels trains two models, and returns the folder of the first, which has both.
func trainedModels(t *testing.T, graph string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "models")
	object(t, "train --structure complex --dim 8 --epochs 2 --members 2 --keep-members --no-eval",
		"--dataset", graph, "--out", out)
	return out
}

func TestModelExport(t *testing.T) {
	graph := smallGraph(t)
	model := trainedModels(t, graph)
	ensemble := filepath.Join(t.TempDir(), "ensemble")
	object(t, "ensemble --all --dataset", graph, model+"/seed-1", model+"/seed-2", "--out", ensemble)
	for _, format := range exchange.Formats() {
		out := filepath.Join(t.TempDir(), "out")
		made := object(t, "model export --format", format, "--model", model, "--out", out)
		for _, file := range made["files"].([]any) {
			if info, err := os.Stat(file.(string)); err != nil || info.Size() == 0 {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	out := t.TempDir()
	export := "model export --format tsv --model " + ensemble
	fail(t, cli.Misuse, "choose one with --member", export, "--out", out)
	fail(t, cli.Misuse, "has 2 models", export, "--member 3 --out", out)
	var members, seeds []string
	for _, n := range []string{"1", "2"} {
		of := filepath.Join(out, n)
		succeed(t, export, "--member", n, "--out", of+"-member")
		members = append(members, readFile(t, of+"-member", "entities.tsv"))
		succeed(t, "model export --format tsv --out", of+"-seed", "--model", model+"/seed-"+n)
		seeds = append(seeds, readFile(t, of+"-seed", "entities.tsv"))
	}
	slices.Sort(members)
	slices.Sort(seeds)
	if !slices.Equal(members, seeds) || members[0] == members[1] {
		t.Error("the members of the ensemble are not the seeds")
	}
}

func TestModelImport(t *testing.T) {
	out := filepath.Join(t.TempDir(), "model")
	made := object(t, "model import --from pykeen --out", out, ofPyKEEN)
	has(t, made, fields{"structure": "ComplEx", "entities": 5, "relations": 2, "reciprocal": true})
	found := object(t, "predict --known keep --head USA --relation borders --model", out)
	if len(found["answers"].([]any)) != 5 {
		t.Errorf("%v", found)
	}
	fail(t, cli.Failed, "set structure to complex", "model import --from pykeen --out", out+"-2",
		ofPyKEEN+"/state.pt")
	fail(t, cli.Failed, "no such file", "model import --from libkge --out", out+"-2", "absent.pt")
}

func TestModelNeighborsAndMap(t *testing.T) {
	graph := smallGraph(t)
	model := trainedModels(t, graph)
	entity, _, _ := strings.Cut(readFile(t, model, "entities.txt"), "\n")
	relation, _, _ := strings.Cut(readFile(t, model, "relations.txt"), "\n")
	found := object(t, "model neighbors --top 3 --model", model, entity)
	has(t, found, fields{"of": entity})
	if n := len(found["neighbors"].([]any)); n != 3 {
		t.Errorf("%d neighbours", n)
	}
	succeed(t, "model neighbors --relations --model", model, relation)
	fail(t, cli.Failed, "has no entity", "model neighbors --model", model, "nothing")

	page := filepath.Join(t.TempDir(), "map.html")
	has(t, object(t, "model map --entities 5 --model", model, "--out", page), fields{"shown": 5})
	contains(t, readFile(t, page), "<!DOCTYPE html>", "The colour is the end of a relation")
	_, stderr := succeed(t, "model map --dataset world --model", model, "--out", page)
	contains(t, flat(stderr), "the map has no colours: no entity on it is in a training triple of world")
	if strings.Contains(readFile(t, page), "The colour is") {
		t.Error("the page explains colours that it lacks")
	}
	must(t, os.RemoveAll(graph))
	absent := filepath.Join(t.TempDir(), "absent")
	fail(t, cli.Failed, absent, "model map --model", model, "--out", filepath.Join(absent, "map.html"))
	if isFolder(absent) {
		t.Error("the map made a folder")
	}
	_, stderr = succeed(t, "model map --model", model, "--out", page)
	contains(t, stderr, "the map has no colours")
	fail(t, cli.Failed, "absent", "model map --dataset absent --model", model, "--out", page)
	writeFile(t, "my data", page)
	fail(t, cli.Failed, "is not a page", "model map --model", model, "--out", page)
}
