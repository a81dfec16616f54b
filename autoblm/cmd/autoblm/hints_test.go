package main

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestHintsForData: data of another kind are reported with the commands for them, and a misspelt
// name with a suggestion.
func TestHintsForData(t *testing.T) {
	data := t.TempDir()
	t.Setenv("AUTOBLM_DATA", data)
	for _, file := range []string{"queries/train-1p.txt", "triples/train.tsv", "kinds/all.nt.gz",
		"nothing/readme"} {
		writeFile(t, "", data, file)
	}
	const (
		forTriples = "is data for autoblm train and autoblm search)"
		forQueries = "is data for autoblm query train and autoblm search --task query)"
		forClasses = "is data for autoblm classify train and autoblm search --task classify)"
	)
	for command, says := range map[string]string{
		"train --structure simple --dataset aifb":                          "(aifb " + forClasses,
		"train --structure simple --dataset " + data + "/kinds":            forClasses,
		"train --structure simple --dataset queries":                       "(queries " + forQueries,
		"query train --structure simple --dataset mutag":                   "(mutag " + forClasses,
		"query sample --out " + data + "/new --hops 2 --dataset am":        "(am " + forClasses,
		"classify train --structure simple --dataset umls":                 "(umls " + forTriples,
		"classify train --structure simple --dataset world":                "(world " + forTriples,
		"classify train --structure simple --dataset queries":              "(queries " + forQueries,
		"classify train --structure simple --dataset " + data + "/triples": forTriples,
		"search --task classify --dataset umls":                            "(umls " + forTriples,
		"search --dataset aifb":                                            "(aifb " + forClasses,
		"dataset info aifb":                                                "(aifb " + forClasses,
		"ablate --dataset bgs dimension":                                   "(bgs " + forClasses,
		"dataset info ulms":                                                "did you mean umls?",
		"dataset fetch wn18r":                                              "did you mean wn18",
		"classify train --structure simple --dataset afib":                 "did you mean aifb?",
		"train --structure simple --dataset " + data + "/nothing":          "train.txt, train.tsv",
	} {
		refuse(t, []refusal{{cli.Failed, says, command}})
	}
	stderr := fail(t, cli.Failed, "", "train --structure simple --dataset", data+"/nothing")
	if strings.Contains(stderr, "is data for") {
		t.Error(stderr)
	}
}
